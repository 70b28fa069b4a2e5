package catalog

import (
	"context"
	"maps"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// A Catalog is an index of a store.
type Catalog struct {
	store ruleset.Store

	load chan struct{} // holds a token while the store is read

	mu      sync.RWMutex
	watches int
	whole   bool // whether the index was read since a watch began
	used    bool // whether it was searched since it was compared with the store
	stale   map[ruleset.Name]struct{}
	index   *index
}

// compareEvery is the interval at which the index is compared with the store's list.
const compareEvery = time.Minute

// New returns the catalog of a store. Nothing is read yet.
func New(store ruleset.Store) *Catalog {
	return &Catalog{store: store, load: make(chan struct{}, 1), stale: map[ruleset.Name]struct{}{}, index: newIndex()}
}

// Watch is the Watch of the store, and has the index follow it meanwhile.
func (c *Catalog) Watch(ctx context.Context, changed func(ruleset.Change)) error {
	c.follow(1)
	defer c.follow(-1)
	var wg sync.WaitGroup
	defer wg.Wait()
	ctx, stop := context.WithCancel(ctx)
	defer stop() // before Wait
	if !watchesAll(c.store) {
		wg.Go(func() { c.compareAlways(ctx) })
	}
	return c.store.Watch(ctx, func(change ruleset.Change) {
		c.note(change)
		changed(change)
	})
}

// watchesAll reports whether a watch of a store misses nothing.
func watchesAll(store ruleset.Store) bool {
	w, ok := ruleset.As[interface{ WatchesAll() bool }](store)
	return ok && w.WatchesAll()
}

// follow counts the watches. An index from before the first one may lack changes.
func (c *Catalog) follow(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.watches += n; c.watches <= 1 {
		c.whole = false
	}
}

// note has a change read before the next search.
func (c *Catalog) note(change ruleset.Change) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if change.Name == "" {
		c.whole = false
		return
	}
	c.stale[change.Name] = struct{}{}
}

// refresh brings the index up to date.
func (c *Catalog) refresh(ctx context.Context) error {
	select {
	case c.load <- struct{}{}:
		defer func() { <-c.load }()
	case <-ctx.Done():
		return ctx.Err()
	}
	c.mu.Lock()
	c.used = true
	whole, stale := c.whole && c.watches > 0, c.stale
	c.stale = map[ruleset.Name]struct{}{}
	c.mu.Unlock()
	if !whole {
		return c.readAll(ctx)
	}
	if len(stale) == 0 {
		return nil
	}
	if err := c.readSome(ctx, slices.Collect(maps.Keys(stale))); err != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		maps.Copy(c.stale, stale)
		return err
	}
	return nil
}

// readAll makes a new index of the whole store; searches use the old one meanwhile.
// Changes that are noted meanwhile stay noted.
func (c *Catalog) readAll(ctx context.Context) error {
	c.mu.Lock()
	c.whole = true // unless a change of all is noted meanwhile
	c.mu.Unlock()
	fresh := newIndex()
	err := c.store.Read(ctx, nil, func(r ruleset.Ruleset) error {
		fresh.put(r)
		return nil
	})
	fresh.words.Compact()
	if err = c.replace(fresh, err); err == nil {
		debug.FreeOSMemory() // reading leaves garbage of several times the size of the index
	}
	return err
}

// replace makes fresh the index, unless it could not be read.
func (c *Catalog) replace(fresh *index, err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		c.whole = false
		return err
	}
	c.index = fresh
	return nil
}

// readSome reads some rulesets again. Names without one leave the index.
func (c *Catalog) readSome(ctx context.Context, names []ruleset.Name) error {
	gone := map[ruleset.Name]struct{}{}
	for _, name := range names {
		gone[name] = struct{}{}
	}
	err := c.store.Read(ctx, names, func(r ruleset.Ruleset) error {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.index.put(r)
		delete(gone, r.Name)
		return nil
	})
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for name := range gone {
		c.index.remove(name)
	}
	return nil
}

// compareAlways compares the index with the store's list now and then, while it is
// used.
func (c *Catalog) compareAlways(ctx context.Context) {
	timer := time.NewTicker(compareEvery)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
			c.compare(ctx)
		}
	}
}

// compare notes what the list of the store has otherwise than the index. If the list
// cannot be read, the next comparison does it.
func (c *Catalog) compare(ctx context.Context) {
	c.mu.Lock()
	due := c.used && c.whole
	c.used = false
	c.mu.Unlock()
	if !due {
		return
	}
	metas, _, err := c.store.List(ctx, ruleset.Page{})
	if err != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	listed := make(map[ruleset.Name]struct{}, len(metas))
	for _, m := range metas {
		listed[m.Name] = struct{}{}
		if e, ok := c.index.entries[m.Name]; !ok || e.differs(m) {
			c.stale[m.Name] = struct{}{}
		}
	}
	for name := range c.index.entries {
		if _, ok := listed[name]; !ok {
			c.stale[name] = struct{}{}
		}
	}
}
