package document

import (
	"context"
	"errors"
	"testing"
	"time"
)

// Work that waits uses no processor time, however long that takes by the clock.
func TestWaitingIsNotCounted(t *testing.T) {
	c := newCrew(1, 100*time.Millisecond, gib, quiet())
	got, err := work(t.Context(), c, "waiting", func(ctx context.Context) (int, error) {
		select {
		case <-time.After(500 * time.Millisecond):
			return 1, nil
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	})
	if got != 1 || err != nil {
		t.Errorf("got %d, %v, want 1", got, err)
	}
}

// Work ends when it has used its processor time, and what another thread uses does not
// count.
func TestProcessorTime(t *testing.T) {
	const limit = 200 * time.Millisecond
	c := newCrew(1, limit, gib, quiet())
	other, stop := context.WithCancel(t.Context())
	defer stop()
	go func() {
		for n := 0; other.Err() == nil; n++ {
		}
	}()
	var used time.Duration
	_, err := work(t.Context(), c, "computing", func(ctx context.Context) (int, error) {
		clock := newThreadClock()
		begun := clock.spent()
		for ctx.Err() == nil {
			used = clock.spent() - begun
		}
		return 0, ctx.Err()
	})
	wrong, ok := errors.AsType[*LimitError](err)
	if !ok || wrong.What != "processor time" || wrong.Elapsed != limit || wrong.Subject != "computing" {
		t.Errorf("got %v, want a LimitError of processor time", err)
	}
	if used < limit {
		t.Errorf("the work used %v of its %v", used, limit)
	}
}
