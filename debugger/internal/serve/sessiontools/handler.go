package sessiontools

import (
	"context"
	"errors"

	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/mcp"
)

// A Handler handles calls of a tool.
type Handler[A, R any] func(ctx context.Context, call *mcp.Call, args A) (R, error)

// Work is a handler of a tool that is called with the session acquired.
type Work[A, R any] func(ctx context.Context, call *mcp.Call, s *session.Session, args A) (R, error)

// WithSession returns a handler that acquires the session and calls work,
// whether or not the process is stopped.
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

// WithStopped is WithSession for work on a stopped process.
func WithStopped[A sessionArgs, R any](r *session.Registry, work Work[A, R]) Handler[A, R] {
	return WithSession(r, func(ctx context.Context, call *mcp.Call, s *session.Session, args A) (R, error) {
		if err := s.RequireStopped(); err != nil {
			var none R
			return none, err
		}
		return work(ctx, call, s, args)
	})
}

// WithExecution is WithStopped for work that steps through execution, live or
// recorded. It rejects core files.
func WithExecution[A sessionArgs, R any](r *session.Registry, work Work[A, R]) Handler[A, R] {
	return WithStopped(r, func(ctx context.Context, call *mcp.Call, s *session.Session, args A) (R, error) {
		if err := s.Target.RequireExecution(); err != nil {
			var none R
			return none, err
		}
		return work(ctx, call, s, args)
	})
}

// WithProcess is WithStopped for work that changes a live process. It rejects
// core files and traces, and positions in the past.
func WithProcess[A sessionArgs, R any](r *session.Registry, work Work[A, R]) Handler[A, R] {
	return WithStopped(r, func(ctx context.Context, call *mcp.Call, s *session.Session, args A) (R, error) {
		if err := errors.Join(s.Target.RequireProcess(), s.Timeline.RequirePresent()); err != nil {
			var none R
			return none, err
		}
		return work(ctx, call, s, args)
	})
}

// Exclusive calls work while it holds the gate of the session. If work fails,
// the next answer tells the state that this one could not.
func Exclusive[A, R any](ctx context.Context, call *mcp.Call, s *session.Session, work Work[A, R], args A) (answer R, err error) {
	_, waited := s.Span(ctx, session.SpanWait)
	inside, leave, err := s.Acquire(ctx)
	waited(err)
	if err != nil {
		return answer, err
	}
	defer leave()
	inside, used := s.Span(inside, session.SpanUse)
	defer func() { used(err) }()
	inside, done := Timed(inside, call, s.Work())
	defer func() { _ = done(nil) }() // if work panics
	known := s.Reported()
	answer, err = work(inside, call, s, args)
	err = done(err)
	if err != nil {
		s.SetReported(known)
	}
	if errors.Is(err, context.Canceled) && ctx.Err() == nil {
		err = session.ErrClosed
	}
	return answer, err
}
