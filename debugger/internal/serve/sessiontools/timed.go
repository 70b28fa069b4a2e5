package sessiontools

import (
	"context"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/limits/worktime"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/mcp"
)

// progressEvery is the interval of messages of progress. Calls that take less send none.
const progressEvery = 500 * time.Millisecond

// Timed begins the work of a call, which may take the time that its key has, and reports to
// the client how far it is. The caller must call done with the error of the work, which
// returns the error for the client; further calls of done do nothing.
func Timed(ctx context.Context, call *mcp.Call, accounts *worktime.Accounts) (inside context.Context, done func(error) error) {
	work := accounts.Begin(ctx, call.Caller().Principal.ID)
	stop := repeat(work.Context(), progressEvery, func() {
		if at, total, message, ok := work.Progress(); ok {
			call.Progress(ctx, at, total, message)
		}
	})
	return work.Context(), func(err error) error {
		stop()
		work.End()
		return session.Explain(work, err)
	}
}

// repeat calls f after each interval until the context ends, or stop is called. After stop
// has returned, f is not called any more: no progress follows an answer.
func repeat(ctx context.Context, interval time.Duration, f func()) (stop func()) {
	inside, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		ticker := time.NewTicker(interval)
		defer ticker.Stop()
		for {
			select {
			case <-inside.Done():
				return
			case <-ticker.C:
				f()
			}
		}
	}()
	return func() {
		cancel()
		<-ended
	}
}
