package site

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// The pace of requests: one a second for the first few, then slower and slower.
const (
	burst    = 4                // requests at the shortest interval
	shortest = time.Second      // between two requests
	longest  = 10 * time.Second // between two requests of a long series
	quiet    = time.Minute      // after which a series is over
	maxWait  = 2 * time.Minute  // for a turn; beyond it the request is refused
)

// A Throttle limits the rate of requests of all processes that use the same file:
// one a second, and after four requests in a row a growing interval of up to ten
// seconds. A minute without requests resets it.
type Throttle struct {
	path  string
	now   func() time.Time
	sleep func(context.Context, time.Duration) error
	tell  func(time.Duration)
}

// NewThrottle returns a throttle that keeps its state in a file. It calls tell, if that is
// not nil, before it waits for longer than the shortest interval.
func NewThrottle(path string, tell func(time.Duration)) *Throttle {
	if tell == nil {
		tell = func(time.Duration) {}
	}
	return &Throttle{path: path, now: time.Now, sleep: sleep, tell: tell}
}

// slots is the state of a throttle: the last request that was permitted.
type slots struct {
	Last  time.Time `json:"last"`
	Count int       `json:"count"` // requests in the current series
}

// Wait waits for the turn of a request.
func (t *Throttle) Wait(ctx context.Context) error {
	at, err := t.reserve(ctx)
	if err != nil {
		return fmt.Errorf("the throttle of requests: %w", err)
	}
	d := at.Sub(t.now())
	if d <= 0 {
		return nil
	}
	if d > shortest {
		t.tell(d)
	}
	return t.sleep(ctx, d)
}

// reserve returns the time of the next free turn and takes it.
func (t *Throttle) reserve(ctx context.Context) (time.Time, error) {
	if err := os.MkdirAll(filepath.Dir(t.path), 0o700); err != nil {
		return time.Time{}, err
	}
	lock := flock.New(t.path + ".lock")
	if _, err := lock.TryLockContext(ctx, 10*time.Millisecond); err != nil {
		return time.Time{}, err
	}
	defer func() { _ = lock.Close() }() // it unlocks
	var state slots
	text, err := os.ReadFile(t.path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return time.Time{}, err
	}
	_ = json.Unmarshal(text, &state) // a damaged file starts a new series
	if state = state.next(t.now()); state.Last.Sub(t.now()) > maxWait {
		return time.Time{}, fmt.Errorf("more than %v of requests are waiting; retry later", maxWait)
	}
	text, err = json.Marshal(state)
	if err != nil {
		return time.Time{}, err
	}
	return state.Last, writeFile(t.path, text)
}

// next returns the state after one more request, whose time is its Last.
func (s slots) next(now time.Time) slots {
	elapsed := now.Sub(s.Last)
	// A turn far in the future was taken before the clock was set back.
	if s.Count == 0 || elapsed > quiet || -elapsed > time.Hour {
		return slots{Last: now, Count: 1}
	}
	at := s.Last.Add(interval(s.Count))
	if at.Before(now) {
		at = now
	}
	return slots{Last: at, Count: s.Count + 1}
}

// interval returns the time to wait after n requests of a series.
func interval(n int) time.Duration {
	d := shortest
	for range n - burst {
		if d = d * 3 / 2; d > longest {
			return longest
		}
	}
	return d
}

// writeFile writes a small file in place: the lock keeps other processes away, and
// a damaged file starts a new series.
func writeFile(path string, text []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
