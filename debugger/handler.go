package debugger

import (
	"context"
	"errors"
	"fmt"

	"github.com/triptych-mcp/triptych/debugger/internal/proc"
	"github.com/triptych-mcp/triptych/mcp"
)

// The scopes of what looks at a process, and of what moves or changes one.
const (
	scopeRead  mcp.Scope = "debug:read"
	scopeWrite mcp.Scope = "debug:write"
)

// sessionArg is in the arguments of every tool that works on a session.
type sessionArg struct {
	Session string `json:"session,omitempty" doc:"The session, as attach and launch return it; not needed when there is only one"`
}

func (a sessionArg) session() string { return a.Session }

// sessionArgs are arguments with a sessionArg.
type sessionArgs interface{ session() string }

// onlySession are the arguments of tools that have no others.
type onlySession struct{ sessionArg }

// handler is a handler of a tool.
type handler[A, R any] func(ctx context.Context, call *mcp.Call, args A) (R, error)

// worker is what a tool does when it has a session to itself.
type worker[A, R any] func(ctx context.Context, call *mcp.Call, s *session, args A) (R, error)

// with makes a handler that works on a session, whether the process stands
// still or not.
func with[A sessionArgs, R any](r *registry, work worker[A, R]) handler[A, R] {
	return func(ctx context.Context, call *mcp.Call, args A) (R, error) {
		var none R
		s, err := r.find(call.StateKey(), args.session())
		if err != nil {
			return none, err
		}
		r.touch(s)
		defer r.touch(s)
		answer, err := within(ctx, call, s, work, args)
		if err = r.afterwards(s, err); err != nil {
			return none, err
		}
		return answer, nil
	}
}

// still makes a handler that works on a process which stands still.
func still[A sessionArgs, R any](r *registry, work worker[A, R]) handler[A, R] {
	return with(r, func(ctx context.Context, call *mcp.Call, s *session, args A) (R, error) {
		if err := s.look(); err != nil {
			var none R
			return none, err
		}
		return work(ctx, call, s, args)
	})
}

// moves makes a handler of what goes through what a process does, or did if it
// is a trace. A core file is but one moment.
func moves[A sessionArgs, R any](r *registry, work worker[A, R]) handler[A, R] {
	return still(r, func(ctx context.Context, call *mcp.Call, s *session, args A) (R, error) {
		if err := s.movable(); err != nil {
			var none R
			return none, err
		}
		return work(ctx, call, s, args)
	})
}

// changes makes a handler of what changes a process, which core files and
// traces have not, and the past no more.
func changes[A sessionArgs, R any](r *registry, work worker[A, R]) handler[A, R] {
	return still(r, func(ctx context.Context, call *mcp.Call, s *session, args A) (R, error) {
		if err := errors.Join(s.alive(), s.atNow()); err != nil {
			var none R
			return none, err
		}
		return work(ctx, call, s, args)
	})
}

// within runs the worker while it has the session.
func within[A, R any](ctx context.Context, call *mcp.Call, s *session, work worker[A, R], args A) (R, error) {
	inside, leave, err := s.enter(ctx)
	if err != nil {
		var none R
		return none, err
	}
	defer leave()
	answer, err := work(inside, call, s, args)
	if errors.Is(err, context.Canceled) && ctx.Err() == nil {
		err = errClosed
	}
	return answer, err
}

// afterwards ends a session whose process has ended, once somebody knows.
func (r *registry) afterwards(s *session, err error) error {
	if errors.Is(err, proc.ErrDetached) {
		return errClosed
	}
	stop, ended := s.end()
	if !ended || s.untold() != nil && err == nil {
		return err
	}
	text := s.name() + " " + ending(stop)
	if endErr := r.end(context.Background(), s, false, text); endErr != nil {
		s.log.Warn("a process that ended could not be let go", "err", endErr)
	}
	if err != nil {
		return &notAttachedError{text}
	}
	return nil
}

// ending says how a process ended.
func ending(stop proc.Stop) string {
	switch {
	case stop.Why == proc.Killed:
		return "was killed by signal " + signalName(stop.Signal)
	case stop.Status == proc.UnknownStatus:
		return "has ended"
	}
	return fmt.Sprintf("exited with status %d", stop.Status)
}
