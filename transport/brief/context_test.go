package brief_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/triptych-mcp/triptych/transport/brief"
)

type key struct{}

var errEnough = errors.New("enough")

// ends are ways for a context to end, and what that is called.
var ends = []struct {
	name  string
	end   func(c *brief.Context, parent context.CancelCauseFunc)
	cause error
}{
	{"end", func(c *brief.Context, _ context.CancelCauseFunc) { c.End(nil) }, context.Canceled},
	{"end for a cause", func(c *brief.Context, _ context.CancelCauseFunc) { c.End(errEnough) }, errEnough},
	{"end twice", func(c *brief.Context, _ context.CancelCauseFunc) { c.End(errEnough); c.End(nil) }, errEnough},
	{"end before the parent", func(c *brief.Context, p context.CancelCauseFunc) { c.End(nil); p(errEnough) }, context.Canceled},
	{"end after the parent", func(c *brief.Context, p context.CancelCauseFunc) { p(errEnough); c.End(nil) }, errEnough},
	{"the parent's end", func(_ *brief.Context, p context.CancelCauseFunc) { p(errEnough) }, errEnough},
}

// TestEnds: whoever asks, before the end or after it, is told the same.
func TestEnds(t *testing.T) {
	for _, tt := range ends {
		for _, before := range []bool{false, true} {
			t.Run(tt.name, func(t *testing.T) {
				parent, cancel := context.WithCancelCause(context.WithValue(t.Context(), key{}, "value"))
				var c brief.Context
				c.Begin(parent)
				if c.Err() != nil || c.Cause() != nil {
					t.Fatalf("over at the beginning: %v, %v", c.Err(), c.Cause())
				}
				if before && isClosed(c.Done()) {
					t.Error("told at the beginning")
				}
				tt.end(&c, cancel)
				if c.Err() != context.Canceled || c.Cause() != tt.cause { //nolint:errorlint // these very ones
					t.Errorf("over with %v, %v", c.Err(), c.Cause())
				}
				if !isClosed(c.Done()) || context.Cause(&c) != tt.cause || c.Value(key{}) != "value" { //nolint:errorlint // likewise
					t.Errorf("package context finds %v, value %v", context.Cause(&c), c.Value(key{}))
				}
			})
		}
	}
}

func isClosed(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}

// TestDerived: contexts that are derived end with it.
func TestDerived(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c, second brief.Context
		c.Begin(context.Background())
		second.Begin(&c)
		third, stop := context.WithTimeout(&second, time.Hour)
		defer stop()
		told := false
		context.AfterFunc(third, func() { told = true })
		if synctest.Wait(); told || second.Err() != nil {
			t.Fatalf("told %v, %v", told, second.Err())
		}
		c.End(errEnough)
		if synctest.Wait(); !told || context.Cause(third) != errEnough || second.Cause() != errEnough { //nolint:errorlint // this very one
			t.Errorf("told %v, %v, %v", told, context.Cause(third), second.Cause())
		}
	})
}

// TestTogether: whoever asks or derives while somebody ends it is told, and once it
// has said why it is over it says nothing else.
func TestTogether(t *testing.T) {
	for range 200 {
		parent, cancel := context.WithCancelCause(t.Context())
		c := brief.New(parent)
		var all sync.WaitGroup
		all.Go(func() { c.End(nil) })
		all.Go(func() { cancel(errEnough) })
		all.Go(func() { <-c.Done() })
		all.Go(func() {
			derived, stop := context.WithTimeout(c, time.Hour)
			defer stop()
			<-derived.Done()
		})
		for c.Err() == nil {
			runtime.Gosched()
		}
		first := c.Cause()
		all.Wait()
		if last := c.Cause(); first == nil || last != first || context.Cause(c) != first { //nolint:errorlint // this very one
			t.Fatalf("ended with %v, then %v", first, last)
		}
	}
}

// TestBriefIsCheap: nothing more is made for a context that nobody waits for.
func TestBriefIsCheap(t *testing.T) {
	parent := t.Context()
	if n := testing.AllocsPerRun(100, func() {
		c := brief.New(parent)
		if c.Err() == nil {
			c.End(nil)
		}
	}); n > 1 {
		t.Errorf("%v allocations, want at most itself", n)
	}
}
