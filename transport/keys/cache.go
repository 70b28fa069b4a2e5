package keys

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// MaxAge limits the age of an answer of a ring: a key that was revoked anywhere authenticates
// no client after that. It is short enough for a revocation to seem immediate, and long enough
// for a busy server to ask the store twice a second instead of for each request.
const MaxAge = 500 * time.Millisecond

// A cache answers from a ring that is at most [MaxAge] old.
//
//	Find ── known and young ──────────────────────────► record
//	  └──── old, or not known ── refresh ── load ─────► record, or ErrUnknown
//	Watch ── a notice, or some time ── refresh
//
// At most one load runs at a time; callers that come meanwhile share its result, or wait for
// the next when only one that begins later will do.
type cache struct {
	refresher
	last atomic.Pointer[ring]
}

// A refresher loads something again when it is too old. Loads are shared. Its own lock is held
// for a moment only, never while it loads.
type refresher struct {
	load  func(ctx context.Context) error // returns in bounded time
	epoch time.Time                       // monotonic times are counted from here
	asked atomic.Int64                    // when the last load began that succeeded, since epoch

	mu      sync.Mutex
	loading *sharedLoad // under way, nil if none
}

// A sharedLoad is one load that any number of callers wait for.
type sharedLoad struct {
	began int64         // on the clock of the cache
	done  chan struct{} // closed when err is set
	err   error
}

// newCache returns a cache without a ring: the first look-up loads one. load returns the
// present ring: the one given if that has not changed, which is nil the first time. It must
// return in bounded time, and is never called twice at once.
func newCache(load func(context.Context, *ring) (*ring, error)) *cache {
	c := new(cache)
	c.init(func(ctx context.Context) error {
		r, err := load(ctx, c.last.Load())
		if err == nil {
			c.last.Store(r)
		}
		return err
	})
	return c
}

// init sets the function that loads.
func (c *refresher) init(load func(context.Context) error) { c.load, c.epoch = load, time.Now() }

// clock returns the monotonic time in nanoseconds, which no change of the system's clock
// moves; it is never 0.
func (c *refresher) clock() int64 { return int64(time.Since(c.epoch)) + 1 }

// Find implements [Ring]. A token that is not known costs one load: many of them at once share
// it.
func (c *cache) Find(ctx context.Context, t Token) (Record, error) {
	if t == (Token{}) {
		return Record{}, ErrUnknown
	}
	now, h := c.clock(), t.Hash()
	if err := c.refresh(ctx, now-int64(MaxAge)); err != nil {
		return c.lastKnown(h), err
	}
	if one, ok := c.last.Load().find(h); ok {
		return one, nil
	}
	if err := c.refresh(ctx, now); err != nil {
		return Record{}, err
	}
	if one, ok := c.last.Load().find(h); ok {
		return one, nil
	}
	return Record{}, ErrUnknown
}

// lastKnown returns the record of a token in the last ring that was loaded, however old that
// ring is, or the zero Record. Find returns it beside an error.
func (c *cache) lastKnown(h Hash) Record {
	if last := c.last.Load(); last != nil {
		if one, ok := last.find(h); ok {
			return one
		}
	}
	return Record{}
}

// current returns the ring as it is when current is called, or was later. Methods of [Store]
// use it, so that a manager sees what other processes have changed.
func (c *cache) current(ctx context.Context) (*ring, error) {
	if err := c.refresh(ctx, c.clock()); err != nil {
		return nil, err
	}
	return c.last.Load(), nil
}

// List implements [Store].
func (c *cache) List(ctx context.Context) ([]Record, error) {
	r, err := c.current(ctx)
	if err != nil {
		return nil, err
	}
	return slices.Clone(r.records), nil
}

// Page implements [Store].
func (c *cache) Page(ctx context.Context, after string, n int) ([]Record, error) {
	r, err := c.current(ctx)
	if err != nil {
		return nil, err
	}
	first := 0
	if after != "" {
		if first = slices.IndexFunc(r.records, func(one Record) bool { return one.ID == after }) + 1; first == 0 {
			return nil, &NotFoundError{after}
		}
	}
	return slices.Clone(r.records[first : first+min(n, len(r.records)-first)]), nil
}

// GetAll implements [Store].
func (c *cache) GetAll(ctx context.Context, ids []string) ([]Record, error) {
	r, err := c.current(ctx)
	if err != nil {
		return nil, err
	}
	var found []Record
	for i := range r.records {
		if slices.Contains(ids, r.records[i].ID) {
			found = append(found, r.records[i])
		}
	}
	return found, nil
}

// Get implements [Store].
func (c *cache) Get(ctx context.Context, id string) (Record, error) {
	r, err := c.current(ctx)
	if err != nil {
		return Record{}, err
	}
	return r.get(id)
}

// refresh returns nil once a load has succeeded that began at since or later, on the
// refresher's clock. It runs that load itself unless another goroutine does.
func (c *refresher) refresh(ctx context.Context, since int64) error {
	for {
		if asked := c.asked.Load(); asked != 0 && asked >= since {
			return nil
		}
		f, mine := c.joinLoad()
		if mine {
			c.runLoad(ctx, f)
		} else if err := wait(ctx, f.done); err != nil {
			return err
		}
		if f.err != nil && f.began >= since {
			return f.err
		}
		// The load that was joined began before since: its outcome, good or
		// bad, says nothing about the time after that.
	}
}

// wait waits for a load that another goroutine runs, and stops waiting when ctx is
// done; the load goes on.
func wait(ctx context.Context, done <-chan struct{}) error {
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("%w: %w", ErrUnavailable, ctx.Err())
	}
}

// joinLoad returns the load that is under way, or a new one that the caller must run, for
// others may have joined it by then.
func (c *refresher) joinLoad() (f *sharedLoad, mine bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.loading != nil {
		return c.loading, false
	}
	c.loading = &sharedLoad{began: c.clock(), done: make(chan struct{})}
	return c.loading, true
}

// runLoad runs a load. It does not end with the request that happens to run it:
// others wait for it.
func (c *refresher) runLoad(ctx context.Context, f *sharedLoad) {
	defer close(f.done)
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.loading = nil
	}()
	f.err = ErrUnavailable // should load panic
	err := c.load(context.WithoutCancel(ctx))
	if err != nil {
		if !errors.Is(err, ErrUnavailable) {
			err = fmt.Errorf("%w: %w", ErrUnavailable, err)
		}
		f.err = err
		return
	}
	f.err = nil
	c.asked.Store(f.began)
}

// catchUp lets this process see a change that it made before the change is acknowledged.
// Should that fail, the change is made all the same and seen within [MaxAge].
func (c *refresher) catchUp(ctx context.Context) {
	_ = c.refresh(context.WithoutCancel(ctx), c.clock())
}
