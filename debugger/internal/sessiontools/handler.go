package sessiontools

import (
	"context"
	"errors"

	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/mcp"
)

// Handler is a handler of a tool.
type Handler[A, R any] func(ctx context.Context, call *mcp.Call, args A) (R, error)

// Work is what a tool does when it has a session to itself.
type Work[A, R any] func(ctx context.Context, call *mcp.Call, s *session.Session, args A) (R, error)

// WithSession makes a handler that works on a session, whether the process stands
// still or not.
func WithSession[A sessionArgs, R any](r *session.Registry, work Work[A, R]) Handler[A, R] {
	return func(ctx context.Context, call *mcp.Call, args A) (R, error) {
		var none R
		s, err := r.Find(call.StateKey(), args.session())
		if err != nil {
			return none, err
		}
		r.Touch(s)
		defer r.Touch(s)
		answer, err := Exclusive(ctx, call, s, work, args)
		if err = r.EndIfExited(s, err); err != nil {
			return none, err
		}
		return answer, nil
	}
}

// WithStopped makes a handler that works on a process which stands still.
func WithStopped[A sessionArgs, R any](r *session.Registry, work Work[A, R]) Handler[A, R] {
	return WithSession(r, func(ctx context.Context, call *mcp.Call, s *session.Session, args A) (R, error) {
		if err := s.RequireStopped(); err != nil {
			var none R
			return none, err
		}
		return work(ctx, call, s, args)
	})
}

// WithExecution makes a handler of what goes through what a process does, or did if it
// is a trace. A core file is but one moment.
func WithExecution[A sessionArgs, R any](r *session.Registry, work Work[A, R]) Handler[A, R] {
	return WithStopped(r, func(ctx context.Context, call *mcp.Call, s *session.Session, args A) (R, error) {
		if err := s.RequireExecution(); err != nil {
			var none R
			return none, err
		}
		return work(ctx, call, s, args)
	})
}

// WithProcess makes a handler of what changes a process, which core files and
// traces have not, and the past no more.
func WithProcess[A sessionArgs, R any](r *session.Registry, work Work[A, R]) Handler[A, R] {
	return WithStopped(r, func(ctx context.Context, call *mcp.Call, s *session.Session, args A) (R, error) {
		if err := errors.Join(s.RequireProcess(), s.RequirePresent()); err != nil {
			var none R
			return none, err
		}
		return work(ctx, call, s, args)
	})
}

// Exclusive runs the worker while it has the session.
func Exclusive[A, R any](ctx context.Context, call *mcp.Call, s *session.Session, work Work[A, R], args A) (R, error) {
	inside, leave, err := s.Acquire(ctx)
	if err != nil {
		var none R
		return none, err
	}
	defer leave()
	answer, err := work(inside, call, s, args)
	if errors.Is(err, context.Canceled) && ctx.Err() == nil {
		err = session.ErrClosed
	}
	return answer, err
}
