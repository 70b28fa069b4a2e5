package quota_test

import (
	"errors"
	"os"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/alicebob/miniredis/v2"

	"github.com/triptych-mcp/triptych/transport/quota"
	"github.com/triptych-mcp/triptych/transport/valkeytest"
)

// meters are one of each backend, empty.
func meters(t *testing.T) map[string]quota.Meter {
	t.Helper()
	return map[string]quota.Meter{
		"local":  openLocal(t, t.TempDir()),
		"valkey": quota.NewValkey(valkeytest.Client(t, "redis://"+miniredis.RunT(t).Addr()), ""),
	}
}

// Requests that come together are granted together or not at all.
func TestTakeAll(t *testing.T) {
	steps := []struct {
		name   string
		limits quota.Limits
		n      int64
		want   quota.Period // that refuses, "" for none
		used   int64        // afterwards
	}{
		{"more than a minute has", free, 11, quota.Minute, 0},
		{"more than a month has", free, 101, quota.Month, 0},
		{"some", free, 7, "", 7},
		{"one more than there are", free, 4, quota.Minute, 7},
		{"all that there are", free, 3, "", 10},
		{"one", free, 1, quota.Minute, 10},
		{"of a lowered limit", quota.Limits{Month: 5}, 1, quota.Month, 10},
		{"more than a block of the journal", quota.Limits{Month: 1_000_000}, 5000, "", 5010},
		{"one more than a month has", quota.Limits{Month: 5019}, 10, quota.Month, 5010},
		{"the rest of a month", quota.Limits{Month: 5019}, 9, "", 5019},
		{"without limits", quota.Limits{}, 100_000, "", 105_019},
		{"without a plan", quota.Plan("").Limits(quota.Limits{}), 1, quota.Month, 105_019},
	}
	for name, m := range meters(t) {
		t.Run(name, func(t *testing.T) {
			for _, step := range steps {
				u, err := m.TakeAll(t.Context(), "k", step.limits, step.n, noon)
				var period quota.Period
				if spent, ok := errors.AsType[*quota.ExceededError](err); ok {
					period = spent.Period
				} else if err != nil {
					t.Fatalf("%s: %v", step.name, err)
				}
				if period != step.want || u.Month.Used != step.used || u.Minute.Used != step.used {
					t.Errorf("%s: refused by %q with %d and %d used, want %q and %d", step.name, period, u.Month.Used, u.Minute.Used, step.want, step.used)
				}
			}
		})
	}
}

// What was granted together is kept together when the process is gone without
// a word: the journal knew of all of it before.
func TestTakeAllIsKept(t *testing.T) {
	dir, crashed := t.TempDir(), t.TempDir()
	if _, err := openLocal(t, dir).TakeAll(t.Context(), "k", free, 10, noon); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(crashed, os.DirFS(dir)); err != nil { // as a crash would leave it
		t.Fatal(err)
	}
	if u, err := openLocal(t, crashed).Peek(t.Context(), "k", free, nextMinute); err != nil || u.Month.Used != 10 {
		t.Errorf("after a crash %d are used, %v, want 10", u.Month.Used, err)
	}
}

// Of batches at one time as many are granted as fit, and none in part.
func TestTakeAllAtOnce(t *testing.T) {
	const size, limit = 7, 500
	limits := quota.Limits{Month: limit}
	for name, m := range meters(t) {
		t.Run(name, func(t *testing.T) {
			var granted atomic.Int64
			var wg sync.WaitGroup
			for range 16 {
				wg.Go(func() {
					for range 10 {
						if _, err := m.TakeAll(t.Context(), "k", limits, size, noon); err == nil {
							granted.Add(size)
						}
					}
				})
			}
			wg.Wait()
			u, err := m.Peek(t.Context(), "k", limits, noon)
			if want := int64(limit / size * size); err != nil || granted.Load() != want || u.Month.Used != want {
				t.Errorf("granted %d and %d used, %v, want %d", granted.Load(), u.Month.Used, err, want)
			}
		})
	}
}
