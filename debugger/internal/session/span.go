package session

import "context"

// The spans of a call in a trace.
const (
	SpanWait = "debugger wait" // for another call that uses the session
	SpanUse  = "debugger use"  // of the session, by one call
	SpanRun  = "debugger run"  // of the process, while the call waits for it
)

// Span begins a span of a call. The function ends it with the error of that part.
func (s *Session) Span(ctx context.Context, name string) (context.Context, func(error)) {
	if s.span == nil {
		return ctx, func(error) {}
	}
	return s.span(ctx, name)
}
