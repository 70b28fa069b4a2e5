package aoc

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Who waits gives up with its context, whether it waits for another process or
// for one of its own that does. What is waited for in vain is not kept.
func TestWaitingForTheLockEnds(t *testing.T) {
	b := bookWith(t, map[string]string{"speeds/.lock": ""})
	other, err := Open(b.dir).lock(t.Context()) // as another process has it
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer stop()
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			if _, err := b.lock(ctx); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("got %v, want that the time is over", err)
			}
		})
	}
	wg.Wait()
	other()
	for range 20 { // a lock that is free is not had either
		if _, err := b.lock(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want that the time is over", err)
		}
	}
	for range 2 {
		unlock, err := b.lock(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		unlock()
	}
}

// A lock that cannot be taken fails at once.
func TestLockWithoutAFolder(t *testing.T) {
	b := bookWith(t, nil)
	for range 2 {
		if _, err := b.lock(t.Context()); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("got %v, want that there is no folder", err)
		}
	}
	if err := os.Mkdir(b.speeds(), 0o755); err != nil {
		t.Fatal(err)
	}
	unlock, err := b.lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	unlock()
}

// Callers of one book and those of others never have the lock together.
func TestLockExcludes(t *testing.T) {
	b := bookWith(t, map[string]string{"speeds/.lock": ""})
	var inside atomic.Int32
	var wg sync.WaitGroup
	for i := range 8 {
		mine := b
		if i%2 == 1 {
			mine = Open(b.dir)
		}
		wg.Go(func() {
			for range 100 {
				unlock, err := mine.lock(t.Context())
				if err != nil {
					t.Error(err)
					return
				}
				if n := inside.Add(1); n != 1 {
					t.Errorf("%d are inside", n)
				}
				inside.Add(-1)
				unlock()
			}
		})
	}
	wg.Wait()
}
