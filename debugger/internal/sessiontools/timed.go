package sessiontools

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/worktime"
	"github.com/triptych-mcp/triptych/mcp"
)

// progressEvery is the interval of messages of progress. Calls that take less send none.
const progressEvery = 500 * time.Millisecond

// Timed begins the work of a call, which may take the time that its key has, and reports to
// the client how far it is. The caller must call done with the error of the work, which
// returns the error for the client.
func Timed(ctx context.Context, call *mcp.Call, accounts *worktime.Accounts) (inside context.Context, done func(error) error) {
	work := accounts.Begin(ctx, call.Caller().Principal.ID)
	var ended atomic.Bool
	var timer *time.Timer
	timer = time.AfterFunc(time.Hour, func() {
		if ended.Load() {
			return
		}
		if at, total, message, ok := work.Progress(); ok {
			call.Progress(ctx, at, total, message)
		}
		timer.Reset(progressEvery)
	})
	timer.Reset(progressEvery)
	return work.Context(), func(err error) error {
		ended.Store(true)
		timer.Stop()
		work.End()
		return session.Explain(work, err)
	}
}
