package document

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"
)

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

// within gives a context that ends after d, in the time of a synctest bubble.
func within(t *testing.T, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

func TestWorkThatIsDone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrew(1, 10*time.Second, gib, quiet())
		got, err := work(within(t, time.Second), c, "test", func(context.Context) (int, error) { return 7, nil })
		if got != 7 || err != nil {
			t.Errorf("got %d, %v, want 7", got, err)
		}
		boom := errors.New("boom")
		if _, err := work(t.Context(), c, "test", func(context.Context) (int, error) { return 0, boom }); !errors.Is(err, boom) {
			t.Errorf("got %v, want the error of the work", err)
		}
		_, err = work(t.Context(), c, "test", func(context.Context) (int, error) { panic("engine") })
		if wrong, ok := errors.AsType[*EngineError](err); !ok || wrong.Cause != "engine" {
			t.Errorf("got %v, want an EngineError", err)
		}
		synctest.Wait() // for the workers, which give their slots back after the answer
		if len(c.places) != 0 || c.abandoned.Load() != 0 {
			t.Errorf("%d places are taken, %d given up, want none", len(c.places), c.abandoned.Load())
		}
	})
}

// Work that respects its context ends at the deadline and is not given up.
func TestWorkThatRespectsItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrew(1, 10*time.Second, gib, quiet())
		start := time.Now()
		_, err := work(within(t, time.Second), c, "test", func(ctx context.Context) (int, error) {
			<-ctx.Done()
			return 0, ctx.Err()
		})
		limit, ok := errors.AsType[*LimitError](err)
		if !ok || limit.What != "time" || time.Since(start) != time.Second {
			t.Errorf("got %v after %v, want a LimitError after a second", err, time.Since(start))
		}
		if c.abandoned.Load() != 0 {
			t.Error("it counts as given up")
		}
		synctest.Wait()
		if len(c.places) != 0 {
			t.Error("its place is taken still")
		}
	})
}

// Work that ignores its context is given up: its caller is free after the grace, its
// place only when it ends.
func TestWorkThatIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrew(2, 10*time.Second, gib, quiet())
		release := make(chan struct{})
		deaf := func(context.Context) (int, error) { <-release; return 1, nil }
		for range 2 {
			start := time.Now()
			_, err := work(within(t, time.Second), c, "deaf", deaf)
			limit, ok := errors.AsType[*LimitError](err)
			if !ok || limit.Subject != "deaf" || time.Since(start) != time.Second+graceWait {
				t.Errorf("got %v after %v, want a LimitError after a second and the grace", err, time.Since(start))
			}
		}
		_, err := work(within(t, time.Second), c, "late", deaf)
		if busy, ok := errors.AsType[*BusyError](err); !ok || busy.Workers != 2 || busy.Abandoned != 2 {
			t.Errorf("got %v, want that both workers are busy with what was given up", err)
		}
		close(release)
		synctest.Wait()
		if c.abandoned.Load() != 0 || len(c.places) != 0 {
			t.Errorf("%d given up and %d places taken after all ended", c.abandoned.Load(), len(c.places))
		}
	})
}

// A caller who leaves gets the reason, not a limit.
func TestWorkThatIsCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrew(1, 10*time.Second, gib, quiet())
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		_, err := work(ctx, c, "test", func(ctx context.Context) (int, error) {
			<-ctx.Done()
			return 0, errors.New("whatever")
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want %v", err, context.Canceled)
		}
		c.places <- struct{}{} // all are busy
		if _, err := work(ctx, c, "test", func(context.Context) (int, error) { return 0, nil }); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v while waiting, want %v", err, context.Canceled)
		}
	})
}

// Work under which the heap grows too far is stopped.
func TestWorkThatTakesMemory(t *testing.T) {
	c := newCrew(1, 10*time.Second, 64*mib, quiet())
	_, err := work(within(t, time.Minute), c, "test", func(ctx context.Context) (int, error) {
		var held [][]byte
		for ctx.Err() == nil {
			held = append(held, make([]byte, mib))
			if len(held) > 4096 {
				return len(held), nil
			}
			time.Sleep(time.Millisecond)
		}
		return len(held), ctx.Err()
	})
	if limit, ok := errors.AsType[*LimitError](err); !ok || limit.What != "memory in bytes" {
		t.Errorf("got %v, want a LimitError", err)
	}
}
