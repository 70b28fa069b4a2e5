package quota_test

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/transport/quota"
)

// large are limits that a benchmark does not meet.
var large = quota.Limits{Month: 1 << 40, Minute: 1 << 40}

func BenchmarkTake(b *testing.B) {
	m, err := quota.OpenLocal(b.Context(), b.TempDir(), quiet)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = m.Close() }() // the folder goes too
	for _, tc := range []struct {
		name   string
		limits quota.Limits
	}{{"limited", large}, {"no limits", quota.Limits{}}} {
		b.Run(tc.name, func(b *testing.B) {
			b.ReportAllocs()
			now := time.Now()
			for b.Loop() {
				if _, err := m.Take(b.Context(), tc.name, tc.limits, now); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("parallel keys", func(b *testing.B) {
		b.ReportAllocs()
		var keys atomic.Int64
		now := time.Now()
		b.RunParallel(func(pb *testing.PB) {
			key := fmt.Sprint(keys.Add(1))
			for pb.Next() {
				if _, err := m.Take(b.Context(), key, quota.Limits{}, now); err != nil {
					b.Error(err)
				}
			}
		})
	})
	b.Run("refused", func(b *testing.B) {
		b.ReportAllocs()
		now := time.Now()
		for b.Loop() {
			if _, err := m.Take(b.Context(), "refused", quota.Limits{Month: -1}, now); err == nil {
				b.Fatal("granted")
			}
		}
	})
}

// TestTakeAllocatesNothing: it is on the way of every request.
func TestTakeAllocatesNothing(t *testing.T) {
	m := openLocal(t, t.TempDir())
	take(t, m, "k", quota.Limits{}, noon, 1)
	ctx := t.Context()
	got := testing.AllocsPerRun(1000, func() {
		if _, err := m.Take(ctx, "k", quota.Limits{}, noon); err != nil {
			t.Fatal(err)
		}
	})
	if got != 0 {
		t.Errorf("%v allocations, want 0", got)
	}
}
