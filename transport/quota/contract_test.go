package quota_test

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/transport/quota"
)

var (
	quiet = slog.New(slog.DiscardHandler)
	// noon is 30 s into a minute, in the last days of a month.
	noon       = time.Date(2026, 2, 27, 12, 0, 30, 0, time.UTC)
	march      = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	nextMinute = time.Date(2026, 2, 27, 12, 1, 0, 0, time.UTC)
)

// contract runs the tests that every meter must pass. open returns an opener of new, empty
// counts; each meter it opens has them to itself after the one before is closed.
func contract(t *testing.T, open func(t *testing.T) (again func() quota.Meter)) {
	tests := []struct {
		name string
		test func(t *testing.T, again func() quota.Meter)
	}{
		{"usage", usage},
		{"the minute is full", fullMinute},
		{"the month is full", fullMonth},
		{"no limits", noLimits},
		{"no plan", noPlan},
		{"limits change", limitsChange},
		{"keys are apart", keysApart},
		{"peeking counts nothing", peeking},
		{"a clock that goes back", clockGoesBack},
		{"large limits", largeLimits},
		{"exact under load", exactUnderLoad},
		{"counts survive", countsSurvive},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) { tc.test(t, open(t)) })
	}
}

// take takes n requests, all of which must be granted.
func take(t *testing.T, m quota.Meter, key string, limits quota.Limits, now time.Time, n int) quota.Usage {
	t.Helper()
	var u quota.Usage
	for i := range n {
		var err error
		if u, err = m.Take(t.Context(), key, limits, now); err != nil {
			t.Fatalf("request %d of %d: %v", i+1, n, err)
		}
	}
	return u
}

// refused takes one request, which must be refused.
func refused(t *testing.T, m quota.Meter, key string, limits quota.Limits, now time.Time) quota.ExceededError {
	t.Helper()
	u, err := m.Take(t.Context(), key, limits, now)
	e, ok := errors.AsType[*quota.ExceededError](err)
	if !ok {
		t.Fatalf("%+v, %v, want an ExceededError", u, err)
	}
	return *e
}

func same(t *testing.T, got, want quota.Usage) {
	t.Helper()
	if !got.Month.Reset.Equal(want.Month.Reset) || !got.Minute.Reset.Equal(want.Minute.Reset) {
		t.Errorf("resets at %v and %v, want %v and %v", got.Month.Reset, got.Minute.Reset, want.Month.Reset, want.Minute.Reset)
	}
	got.Month.Reset, got.Minute.Reset = want.Month.Reset, want.Minute.Reset
	if got != want {
		t.Errorf("usage %+v, want %+v", got, want)
	}
}

func windows(limits quota.Limits, month, minute int64) quota.Usage {
	return quota.Usage{
		Month:  quota.Window{Limit: limits.Month, Used: month, Reset: march},
		Minute: quota.Window{Limit: limits.Minute, Used: minute, Reset: nextMinute},
	}
}

var free = quota.Limits{Month: 100, Minute: 10}

func usage(t *testing.T, again func() quota.Meter) {
	m := again()
	same(t, take(t, m, "k", free, noon, 1), windows(free, 1, 1))
	same(t, take(t, m, "k", free, nextMinute.Add(-1), 2), windows(free, 3, 3))
	u := take(t, m, "k", free, nextMinute, 1)
	if u.Month.Used != 4 || u.Minute.Used != 1 || !u.Minute.Reset.Equal(nextMinute.Add(time.Minute)) {
		t.Errorf("in the next minute: %+v", u)
	}
	u = take(t, m, "k", free, march, 1)
	if u.Month.Used != 1 || u.Minute.Used != 1 || !u.Month.Reset.Equal(march.AddDate(0, 1, 0)) {
		t.Errorf("in the next month: %+v", u)
	}
}

func fullMinute(t *testing.T, again func() quota.Meter) {
	m := again()
	take(t, m, "k", free, noon, 10)
	for range 3 { // what is refused does not count
		got := refused(t, m, "k", free, noon)
		if got.Period != quota.Minute || got.Limit != 10 || got.Used != 10 || !got.ResetAt.Equal(nextMinute) || got.RetryAfter(noon) != 30 {
			t.Errorf("refused: %+v, retry after %d", got, got.RetryAfter(noon))
		}
	}
	u := take(t, m, "k", free, nextMinute, 1)
	if u.Month.Used != 11 || u.Minute.Used != 1 {
		t.Errorf("in the next minute: %+v", u)
	}
}

func fullMonth(t *testing.T, again func() quota.Meter) {
	m := again()
	now := noon
	for range 10 {
		take(t, m, "k", free, now, 10)
		now = now.Add(time.Minute)
	}
	got := refused(t, m, "k", free, now)
	if got.Period != quota.Month || got.Limit != 100 || got.Used != 100 || !got.ResetAt.Equal(march) {
		t.Errorf("refused: %+v", got)
	}
	got = refused(t, m, "k", free, now.Add(-time.Minute)) // both are full: the longer wait counts
	if got.Period != quota.Month {
		t.Errorf("refused: %+v", got)
	}
	refused(t, m, "k", free, march.Add(-1))
	take(t, m, "k", free, march, 10)
}

func noLimits(t *testing.T, again func() quota.Meter) {
	m := again()
	none := quota.LocalPlan.Limits(quota.Limits{})
	u := take(t, m, "k", none, noon, 1000)
	if u.Month.Used != 1000 || !u.Month.Unlimited() || u.Minute.Remaining() != math.MaxInt64 {
		t.Errorf("usage %+v", u)
	}
	if _, _, _, ok := u.Headers(); ok {
		t.Error("there are headers without a limit")
	}
}

func noPlan(t *testing.T, again func() quota.Meter) {
	got := refused(t, again(), "k", quota.Plan("").Limits(quota.Limits{}), noon)
	if got.Used != 0 {
		t.Errorf("refused: %+v", got)
	}
}

func limitsChange(t *testing.T, again func() quota.Meter) {
	m := again()
	take(t, m, "k", free, noon, 8)
	low := quota.Limits{Month: 5, Minute: 10}
	if got := refused(t, m, "k", low, noon); got.Period != quota.Month || got.Limit != 5 || got.Used != 8 {
		t.Errorf("refused: %+v", got)
	}
	if u, err := m.Peek(t.Context(), "k", low, noon); err != nil || u.Month.Remaining() != 0 {
		t.Errorf("left: %+v, %v", u, err)
	}
	take(t, m, "k", free, noon, 2)
	refused(t, m, "k", free, noon)
	take(t, m, "k", quota.Team.Limits(quota.Limits{}), noon, 290)
	refused(t, m, "k", quota.Team.Limits(quota.Limits{}), noon)
}

func keysApart(t *testing.T, again func() quota.Meter) {
	m := again()
	for _, key := range []string{"a", "A", "a b", "a:b", "{a}", "é\n\"'"} {
		same(t, take(t, m, key, free, noon, 10), windows(free, 10, 10))
		refused(t, m, key, free, noon)
	}
}

func peeking(t *testing.T, again func() quota.Meter) {
	m := again()
	for _, used := range []int64{0, 3} {
		for range 2 {
			u, err := m.Peek(t.Context(), "k", free, noon)
			if err != nil {
				t.Fatal(err)
			}
			same(t, u, windows(free, used, used))
		}
		if used == 0 {
			take(t, m, "k", free, noon, 3)
		}
	}
	u, err := m.Peek(t.Context(), "k", free, march)
	if err != nil || u.Month.Used != 0 || u.Minute.Used != 0 {
		t.Errorf("in the next month: %+v, %v", u, err)
	}
	same(t, take(t, m, "k", free, noon, 1), windows(free, 4, 4)) // peeking ahead began no window
}

func clockGoesBack(t *testing.T, again func() quota.Meter) {
	m := again()
	take(t, m, "k", free, march, 10)
	for _, back := range []time.Duration{time.Nanosecond, time.Minute, 24 * time.Hour, 400 * 24 * time.Hour} {
		refused(t, m, "k", free, march.Add(-back))
	}
	take(t, m, "k", free, march.Add(time.Minute), 9)
	take(t, m, "k", free, noon, 1) // counts in the windows that are
	u, err := m.Peek(t.Context(), "k", free, noon)
	if err != nil || u.Month.Used != 20 || u.Minute.Used != 10 || !u.Month.Reset.Equal(march.AddDate(0, 1, 0)) {
		t.Errorf("after going back: %+v, %v", u, err)
	}
	refused(t, m, "k", free, march)
}

func largeLimits(t *testing.T, again func() quota.Meter) {
	m := again()
	large := quota.Limits{Month: quota.MaxLimit, Minute: quota.MaxLimit}
	same(t, take(t, m, "k", large, noon, 3), windows(large, 3, 3))
}

// exactUnderLoad has exactly as many granted as are left, of many at once.
func exactUnderLoad(t *testing.T, again func() quota.Meter) {
	m := again()
	const goroutines, each = 16, 80 // a fake server answers one at a time, each within 3 s
	limits := quota.Limits{Month: 750, Minute: 500}
	for minute, want := range []int64{500, 250} {
		granted := contend(t.Context(), t, m, limits, noon.Add(time.Duration(minute)*time.Minute), goroutines, each)
		if granted != want {
			t.Errorf("minute %d: %d granted, want %d", minute, granted, want)
		}
	}
}

func contend(ctx context.Context, t *testing.T, m quota.Meter, limits quota.Limits, now time.Time, goroutines, each int) int64 {
	t.Helper()
	var granted atomic.Int64
	var wg sync.WaitGroup
	for range goroutines {
		wg.Go(func() {
			for range each {
				_, err := m.Take(ctx, "k", limits, now)
				if _, full := errors.AsType[*quota.ExceededError](err); err == nil {
					granted.Add(1)
				} else if !full {
					t.Errorf("Take: %v", err)
				}
			}
		})
	}
	wg.Wait()
	return granted.Load()
}

func countsSurvive(t *testing.T, again func() quota.Meter) {
	developer := quota.Developer.Limits(quota.Limits{})
	for i := range int64(3) {
		m := again()
		same(t, take(t, m, "k", developer, noon, 7), windows(developer, 7*i+7, 7*i+7))
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
	}
	u, err := again().Peek(t.Context(), "k", developer, noon)
	if err != nil {
		t.Fatal(err)
	}
	same(t, u, windows(developer, 21, 21))
}
