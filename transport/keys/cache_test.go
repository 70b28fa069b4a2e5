package keys

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// A slow store answers after a second, with the ring that it had then.
type slow struct {
	loads atomic.Int64
	now   atomic.Pointer[ring]
	err   atomic.Pointer[error]
}

func (s *slow) load(context.Context, *ring) (*ring, error) {
	s.loads.Add(1)
	r, err := s.now.Load(), s.err.Load()
	time.Sleep(time.Second)
	if err != nil {
		return nil, *err
	}
	return r, nil
}

// holds puts tokens into the store.
func (s *slow) holds(t *testing.T, tokens ...Token) {
	t.Helper()
	var records []Record
	for i, token := range tokens {
		settings := Settings{}.filled(nil)
		id := IDPrefix + "000000000" + string(idAlphabet[i])
		records = append(records, Record{ID: id, Kind: Live, Hash: token.Hash(), Settings: settings, Created: time.Unix(1, 0)})
	}
	r, errs := newRing("v", records)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	s.now.Store(r)
}

// TestStampede: any number of look-ups that find the ring too old share one
// load.
func TestStampede(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s slow
		token := NewToken(Live)
		s.holds(t, token)
		c := newCache(s.load)
		for round := range int64(3) {
			var wg sync.WaitGroup
			for range 1000 {
				wg.Go(func() {
					if _, err := c.Find(t.Context(), token); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			if got := s.loads.Load(); got != round+1 {
				t.Errorf("%d loads after round %d, want one a round", got, round+1)
			}
			time.Sleep(2 * time.Second)
		}
	})
}

// TestYoungRing: a ring that is young enough is not loaded again for tokens that
// are known.
func TestYoungRing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s slow
		token := NewToken(Live)
		s.holds(t, token)
		c := newCache(s.load)
		c.last.Store(s.now.Load())
		c.asked.Store(c.clock()) // as if it was loaded now
		find := func(wantLoads int64) {
			t.Helper()
			if _, err := c.Find(t.Context(), token); err != nil || s.loads.Load() != wantLoads {
				t.Errorf("%d loads, %v, want %d", s.loads.Load(), err, wantLoads)
			}
		}
		find(0)
		time.Sleep(MaxAge)
		find(0)
		time.Sleep(time.Nanosecond)
		find(1)
	})
}

// TestMissWaitsForTheNextLoad: a token that was made while a load runs is found
// by a look-up that began after it was made.
func TestMissWaitsForTheNextLoad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s slow
		s.holds(t)
		c := newCache(s.load)
		fresh := NewToken(Live)
		var wg sync.WaitGroup
		wg.Go(func() {
			if _, err := c.Find(t.Context(), NewToken(Live)); !errors.Is(err, ErrUnknown) {
				t.Errorf("an unknown token: %v", err)
			}
		})
		time.Sleep(time.Second / 2) // the load has read the old ring
		s.holds(t, fresh)
		if _, err := c.Find(t.Context(), fresh); err != nil {
			t.Errorf("the new token: %v", err)
		}
		wg.Wait()
	})
}

// TestOldFailure: a failure of a load that began before a look-up says nothing
// about it.
func TestOldFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s slow
		token, broken := NewToken(Live), errors.New("broken")
		s.holds(t, token)
		s.err.Store(&broken)
		c := newCache(s.load)
		time.Sleep(2 * MaxAge)
		var wg sync.WaitGroup
		wg.Go(func() {
			if _, err := c.Find(t.Context(), token); !errors.Is(err, broken) {
				t.Errorf("while it is away: %v", err)
			}
		})
		time.Sleep(MaxAge + time.Millisecond) // less than the load takes
		s.err.Store(nil)
		if _, err := c.Find(t.Context(), token); err != nil {
			t.Errorf("after it came back: %v", err)
		}
		wg.Wait()
	})
}

// TestFailuresAreShared: while the store is away each look-up learns it from
// one load that began after it came, and others do not queue up behind it.
func TestFailuresAreShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s slow
		broken := errors.New("broken")
		s.err.Store(&broken)
		c := newCache(s.load)
		began := time.Now()
		var wg sync.WaitGroup
		for range 100 {
			wg.Go(func() {
				if _, err := c.Find(t.Context(), NewToken(Live)); !errors.Is(err, ErrUnavailable) || !errors.Is(err, broken) {
					t.Errorf("Find: %v", err)
				}
			})
		}
		wg.Wait()
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("it took %v, want two loads at most", took)
		}
	})
}

// TestImpatientLookUp: a request that ends does not wait for a load that
// another one runs, and does not end it.
func TestImpatientLookUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s slow
		token := NewToken(Live)
		s.holds(t, token)
		c := newCache(s.load)
		var wg sync.WaitGroup
		first, end := context.WithCancel(t.Context())
		wg.Go(func() {
			if _, err := c.Find(first, token); err != nil {
				t.Errorf("the first: %v", err)
			}
		})
		synctest.Wait()
		end() // it runs the load for others too
		ctx, stop := context.WithTimeout(t.Context(), time.Second/10)
		defer stop()
		began := time.Now()
		_, err := c.Find(ctx, token)
		if took := time.Since(began); !errors.Is(err, ErrUnavailable) || !errors.Is(err, context.DeadlineExceeded) || took != time.Second/10 {
			t.Errorf("%v after %v", err, took)
		}
		wg.Wait()
	})
}

// TestPanickingLoad: no caller waits forever for a load that panicked.
func TestPanickingLoad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCache(func(context.Context, *ring) (*ring, error) {
			time.Sleep(time.Second)
			panic("broken")
		})
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				defer func() { _ = recover() }() // the one that ran it
				if _, err := c.Find(t.Context(), NewToken(Live)); !errors.Is(err, ErrUnavailable) {
					t.Errorf("Find: %v", err)
				}
			})
		}
		wg.Wait()
	})
}

// TestLastKnownRecord: a look-up that fails returns the record of the last ring
// beside the error, and the zero record for a token that the ring did not have.
func TestLastKnownRecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s slow
		token := NewToken(Live)
		s.holds(t, token)
		c := newCache(s.load)
		known, err := c.Find(t.Context(), token)
		if err != nil {
			t.Fatal(err)
		}
		broken := errors.New("broken")
		s.err.Store(&broken)
		time.Sleep(2 * MaxAge)
		if got, err := c.Find(t.Context(), token); !errors.Is(err, ErrUnavailable) || got.Hash != known.Hash {
			t.Errorf("Find: %v, %v, want the record before and ErrUnavailable", got, err)
		}
		if got, err := c.Find(t.Context(), NewToken(Live)); !errors.Is(err, ErrUnavailable) || got.ID != "" {
			t.Errorf("an unknown token: %v, %v, want no record and ErrUnavailable", got, err)
		}
	})
}
