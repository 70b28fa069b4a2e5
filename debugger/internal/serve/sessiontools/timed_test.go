package sessiontools

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// What is repeated ends with the context, also without a stop.
func TestRepeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		calls := 0
		_ = repeat(ctx, time.Second, func() { calls++ })
		time.Sleep(3500 * time.Millisecond)
		cancel()
		time.Sleep(time.Minute)
		synctest.Wait()
		if calls != 3 {
			t.Errorf("%d calls in three seconds and a half", calls)
		}
	})
}

// What is stopped is not repeated any more.
func TestRepeatStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		stop := repeat(t.Context(), time.Second, func() { calls++ })
		time.Sleep(1500 * time.Millisecond)
		stop()
		time.Sleep(time.Minute)
		synctest.Wait()
		if calls != 1 {
			t.Errorf("%d calls in a second and a half", calls)
		}
	})
}

// A call that is under way is waited for, so that no message of progress follows the answer.
func TestRepeatStopWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := false
		stop := repeat(t.Context(), time.Second, func() {
			time.Sleep(time.Second)
			ended = true
		})
		time.Sleep(1500 * time.Millisecond)
		stop()
		if !ended {
			t.Error("stopped in the middle of a call")
		}
	})
}
