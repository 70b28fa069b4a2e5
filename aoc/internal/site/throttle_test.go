package site

import (
	"context"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Requests are a second apart; from the fifth on the interval grows to ten seconds
// at most, by a half each time. A quiet minute begins a new series.
func TestThrottle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []time.Duration
		throttle := NewThrottle(filepath.Join(t.TempDir(), "throttle"), func(d time.Duration) { told = append(told, d) })
		begin := time.Now()
		var got []time.Duration
		for range 11 {
			if err := throttle.Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
			got = append(got, time.Since(begin))
			begin = time.Now()
		}
		want := []time.Duration{
			0, time.Second, time.Second, time.Second, time.Second, 1500 * time.Millisecond, 2250 * time.Millisecond,
			3375 * time.Millisecond, 5062500 * time.Microsecond, 7593750 * time.Microsecond, 10 * time.Second,
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("intervals (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(want[5:], told); diff != "" {
			t.Errorf("waits that were told (-want +got):\n%s", diff)
		}
		time.Sleep(61 * time.Second)
		begin = time.Now()
		if err := throttle.Wait(t.Context()); err != nil || time.Since(begin) != 0 {
			t.Errorf("after a quiet minute: waited %v, %v", time.Since(begin), err)
		}
	})
}

// Several processes share a file: no two requests are closer than a second.
func TestThrottleIsShared(t *testing.T) {
	path := filepath.Join(t.TempDir(), "throttle")
	var mu sync.Mutex
	now := time.Now()
	var turns []time.Time
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			throttle := NewThrottle(path, nil)
			throttle.now = func() time.Time { return now }
			throttle.sleep = func(context.Context, time.Duration) error { return nil }
			at, err := throttle.reserve(t.Context())
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			turns = append(turns, at)
			mu.Unlock()
		})
	}
	wg.Wait()
	seen := map[time.Time]bool{}
	for _, at := range turns {
		seen[at.Round(0)] = true
	}
	if len(seen) != 8 {
		t.Errorf("%d turns at %d times", len(turns), len(seen))
	}
}

// A long queue of requests is refused instead of waited for.
func TestThrottleRefuses(t *testing.T) {
	throttle := NewThrottle(filepath.Join(t.TempDir(), "throttle"), nil)
	now := time.Now()
	throttle.now = func() time.Time { return now }
	for range 100 {
		at, err := throttle.reserve(t.Context())
		if err != nil {
			return
		}
		if wait := at.Sub(now); wait > maxWait {
			t.Fatalf("a turn in %v", wait)
		}
	}
	t.Error("100 requests at once are accepted")
}

// A turn in the far future comes from a clock that was wrong.
func TestThrottleSurvivesClocks(t *testing.T) {
	now := time.Now()
	if next := (slots{Last: now.Add(24 * time.Hour), Count: 3}).next(now); !next.Last.Equal(now) {
		t.Errorf("the turn is %v, want %v", next.Last, now)
	}
}
