package worktime

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A call ends when its time is used up, and says how far it came. The time for which it waits
// does not count.
func TestTimeOfCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := NewAccounts(Limits{Call: time.Minute}).Begin(t.Context(), "ann")
		defer w.End()
		time.Sleep(50 * time.Second)
		done := w.Wait(nil)
		time.Sleep(time.Hour)
		done()
		w.Looked(700, 900, true)
		w.Looked(400, 700, true)
		time.Sleep(9 * time.Second)
		if err := w.Context().Err(); err != nil {
			t.Fatalf("after 59 seconds of work: %v", err)
		}
		time.Sleep(2 * time.Second)
		err := w.Explain(w.Context().Err())
		used, ok := errors.AsType[*UsedUpError](err)
		if !ok || used.Hour || used.Time != time.Minute || !strings.Contains(err.Error(), "positions 400 to 900") || !strings.Contains(err.Error(), "seek to position 400") {
			t.Errorf("after 61 seconds of work: %v", err)
		}
	})
}

// A caller that ends its call itself gets no error about its time.
func TestCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	w := NewAccounts(Limits{Call: time.Minute}).Begin(ctx, "ann")
	defer w.End()
	cancel()
	if err := w.Explain(w.Context().Err()); !errors.Is(err, context.Canceled) || errors.As(err, new(*UsedUpError)) {
		t.Errorf("%v", err)
	}
}

// A key that has used up its hour has a second for each call, and regains its time in the
// course of an hour. Other keys have all of theirs.
func TestTimeOfKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := NewAccounts(Limits{Call: time.Minute, Hour: 10 * time.Minute})
		lasted := func(key string) time.Duration {
			began := time.Now()
			w := a.Begin(t.Context(), key)
			<-w.Context().Done()
			w.End()
			return time.Since(began).Round(100 * time.Millisecond)
		}
		var all time.Duration
		for range 12 {
			all += lasted("ann")
		}
		// 10 minutes, and 1/6 of the time that has passed until they were used up.
		if all < 11*time.Minute || all > 12*time.Minute {
			t.Errorf("12 calls lasted %v", all)
		}
		for lasted("ann") > 2*time.Second {
			continue
		}
		if got := lasted("ann"); got < time.Second || got > 2*time.Second {
			t.Errorf("a call of a key that has used up its time lasted %v", got)
		}
		if got := lasted("bob"); got != time.Minute {
			t.Errorf("a call of another key lasted %v", got)
		}
		time.Sleep(3 * time.Minute) // for 30 seconds
		if got := lasted("ann"); got < 29*time.Second || got > 45*time.Second {
			t.Errorf("a call after three minutes lasted %v", got)
		}
		time.Sleep(2 * time.Hour)
		if got := a.used("ann"); got != 0 {
			t.Errorf("%v are used after two hours", got)
		}
	})
}

// Calls at the same time share what is left of the time of a key, also one that begins another.
func TestTimeOfParallelCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := NewAccounts(Limits{Call: time.Minute, Hour: 3 * time.Minute})
		var all time.Duration
		for range 10 {
			w := a.Begin(t.Context(), "ann")
			defer w.End()
			all += w.allowed
		}
		if want := 3*time.Minute + 7*least; all != want {
			t.Errorf("ten calls have %v, want %v", all, want)
		}
		first := a.Begin(t.Context(), "bob")
		second := first.Beside(t.Context())
		if second.allowed != time.Minute {
			t.Errorf("what a call begins has %v", second.allowed)
		}
		first.End()
		second.End()
		if k := a.keys["bob"]; k.reserved != 0 || k.used != 0 {
			t.Errorf("%v are reserved and %v used after the calls", k.reserved, k.used)
		}
	})
}

// A key that has used a minute more than its time can call what does not search, and cannot search
// until some of it is forgiven. It never uses more than twice its time.
func TestBeyond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := NewAccounts(Limits{Call: time.Minute, Hour: 10 * time.Minute})
		begin := func() *Work { return a.Begin(t.Context(), "ann") }
		a.charge("ann", time.Hour, 0)
		if got := a.used("ann"); got != 20*time.Minute {
			t.Errorf("%v are used", got)
		}
		w := begin()
		if err := w.Context().Err(); err != nil {
			t.Errorf("a call that does not search: %v", err)
		}
		w.Phase(10).Close()
		used, ok := errors.AsType[*UsedUpError](w.Explain(w.Context().Err()))
		if !ok || !used.Hour || used.Time != 0 {
			t.Errorf("a search: %v", used)
		}
		w.End()
		time.Sleep(53 * time.Minute) // 8 minutes 50 seconds are forgiven
		w = begin()
		w.Phase(10).Close()
		if w.End(); w.UsedUp() == nil {
			t.Error("a search while 70 seconds too much are used")
		}
		time.Sleep(2 * time.Minute) // 20 seconds
		w = begin()
		w.Phase(10).Close()
		if err := w.Context().Err(); err != nil {
			t.Errorf("a search while 50 seconds too much are used: %v", err)
		}
		w.End()
	})
}

// The accounts of keys that have not worked for long are dropped.
func TestManyKeys(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := NewAccounts(Limits{Hour: time.Hour})
		for n := range 5 * manyKeys {
			a.charge(strings.Repeat("k", n), time.Millisecond, 0)
			time.Sleep(time.Second)
		}
		if n := len(a.keys); n > 2*manyKeys {
			t.Errorf("there are %d accounts", n)
		}
	})
}

// Phases add up, parts of them count within them, and what ends early leaves nothing over.
func TestPhases(t *testing.T) {
	w := (*Accounts)(nil).Begin(t.Context(), "")
	defer w.End()
	check := func(done, total float64) {
		t.Helper()
		if d, n, _, ok := w.Progress(); !ok || d != done || n != total {
			t.Errorf("%v of %v (%v), want %v of %v", d, n, ok, done, total)
		}
	}
	first := w.Phase(100)
	first.At(10)
	part := w.Phase(1000)
	part.At(5)
	check(15, 100)
	part.At(500)
	part.Close()
	check(100, 100)
	first.Close()
	second := w.Phase(50)
	check(100, 150)
	second.At(20)
	second.Close()
	check(120, 120)
	child := w.Beside(t.Context())
	defer child.End()
	child.Phase(7).At(3)
	done := w.Wait(child)
	check(3, 7)
	done()
	defer w.Wait(nil)()
	if _, _, _, ok := w.Progress(); ok {
		t.Error("a work that waits for a process has progress")
	}
}

// Without a work everything can be called.
func TestNone(t *testing.T) {
	w := Of(t.Context())
	p := w.Phase(10)
	p.At(3)
	p.Close()
	w.Looked(1, 2, true)
	w.Wait(nil)()
	w.End()
	if err := w.Explain(context.Canceled); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if other := w.Beside(t.Context()); other.Context().Err() != nil {
		t.Error("a work without limits has ended")
	}
}
