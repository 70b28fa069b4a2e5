package isolate

import (
	"errors"
	"io"
	"log/slog"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/triptych-mcp/triptych/debugger/document"
)

// silent is a process that answers nothing by itself.
func silent() *process {
	in := struct {
		io.Writer
		io.Closer
	}{io.Discard, io.NopCloser(nil)}
	return &process{in: in, ended: make(chan struct{}), waiting: map[int64]*waiter{}}
}

// A process that hangs is given up after the patience of a request, and one that reports
// progress is not, however long the request takes.
func TestPatience(t *testing.T) {
	const patience = 10 * time.Second
	for _, reports := range []int{0, 1, 1000} {
		synctest.Test(t, func(t *testing.T) {
			p := silent()
			go func() {
				for i := range reports {
					time.Sleep(patience - time.Second)
					p.deliver(reply{ID: 1, Progress: &progress{i, reports, ""}})
				}
			}()
			start := time.Now()
			_, err := p.ask(t.Context(), methodPreload, nil, patience, nil)
			if _, ok := errors.AsType[*document.LimitError](err); !ok {
				t.Errorf("got %v, want a LimitError", err)
			}
			want := time.Duration(reports)*(patience-time.Second) + patience
			if took := time.Since(start); took != want {
				t.Errorf("a process with %d reports was given up after %v, want %v", reports, took, want)
			}
		})
	}
}

// The time for an answer is bounded, whatever the limit of a request is.
func TestPatienceIsBounded(t *testing.T) {
	for _, limit := range []time.Duration{0, time.Second, 3 * time.Hour, math.MaxInt64} {
		r := New(nil, document.Config{MaxTime: limit}, 0, slog.New(slog.DiscardHandler))
		if got := restoring * r.patience(); got < time.Minute || got > 2*365*24*time.Hour {
			t.Errorf("with a limit of %v a request may take %v", limit, got)
		}
	}
}
