package document

import (
	"container/list"
	"context"
	"slices"
	"sync"
	"time"
)

// A kind is the kind of a cache entry.
type kind string

const (
	documentKind kind = "document"
	schemaKind   kind = "schema"
)

// A key identifies a cache entry.
type key struct {
	kind kind
	path string // absolute; links between roots are resolved
}

// An entry is an entry of the cache.
type entry struct {
	key    key
	files  []version // the file itself and, for a schema, the files that it includes and imports
	value  any       // *parsed, *compact or *schema; shared and not modified
	bytes  int64
	loaded time.Time
	hits   int64
}

// A cache holds the most recently used entries that fit in its budget. It does
// not access files: callers check that an entry is current.
type cache struct {
	budget int64

	mu        sync.Mutex
	entries   map[key]*list.Element // of *entry
	recent    *list.List            // of *entry, the most recently used first
	bytes     int64
	hits      int64
	misses    int64
	evictions int64
	loading   map[key]*turn
}

func newCache(budget int64) *cache {
	return &cache{budget: budget, entries: map[key]*list.Element{}, recent: list.New(), loading: map[key]*turn{}}
}

// A turn is the right to load an entry.
type turn struct {
	taken chan struct{} // holds a token while a goroutine loads
	users int           // number of goroutines that load or wait; guarded by the cache's mutex
}

// lock waits until no other goroutine loads the entry for k, so that it is
// usually loaded once. Its error is that of ctx.
func (c *cache) lock(ctx context.Context, k key) (unlock func(), err error) {
	t := c.enter(k)
	select {
	case t.taken <- struct{}{}:
		return func() { <-t.taken; c.leave(k, t) }, nil
	case <-ctx.Done():
		c.leave(k, t)
		return nil, ctx.Err()
	}
}

func (c *cache) enter(k key) *turn {
	c.mu.Lock()
	defer c.mu.Unlock()
	t, ok := c.loading[k]
	if !ok {
		t = &turn{taken: make(chan struct{}, 1)}
		c.loading[k] = t
	}
	t.users++
	return t
}

func (c *cache) leave(k key, t *turn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t.users--; t.users == 0 {
		delete(c.loading, k)
	}
}

// get returns an entry without counting the look-up.
func (c *cache) get(k key) (*entry, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at, ok := c.entries[k]
	if !ok {
		return nil, false
	}
	return at.Value.(*entry), true
}

// versions returns the versions of the files that e was made from.
func (e *entry) versions(c *cache) []version {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(e.files)
}

// confirm records that a file of e was read again and has not changed.
func (c *cache) confirm(e *entry, again version) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, v := range e.files {
		if v.path == again.path {
			e.files[i] = again
		}
	}
}

// hit counts a use of e and makes it the most recently used entry.
func (c *cache) hit(e *entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.hits++
	e.hits++
	if at, ok := c.entries[e.key]; ok && at.Value == e {
		c.recent.MoveToFront(at)
	}
}

// miss counts a look-up that must load the entry.
func (c *cache) miss() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.misses++
}

// drop removes an outdated entry.
func (c *cache) drop(e *entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if at, ok := c.entries[e.key]; ok && at.Value == e {
		c.removeLocked(at)
	}
}

// put adds an entry, replacing one with the same key, and evicts the least
// recently used entries until all fit. An entry larger than the whole budget is
// not stored.
func (c *cache) put(e *entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if at, ok := c.entries[e.key]; ok {
		c.removeLocked(at)
	}
	if e.bytes > c.budget {
		return
	}
	c.entries[e.key] = c.recent.PushFront(e)
	c.bytes += e.bytes
	for c.bytes > c.budget {
		c.removeLocked(c.recent.Back())
		c.evictions++
	}
}

func (c *cache) removeLocked(at *list.Element) {
	e := c.recent.Remove(at).(*entry)
	delete(c.entries, e.key)
	c.bytes -= e.bytes
}

// clear removes all entries.
func (c *cache) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.entries)
	c.recent.Init()
	c.bytes = 0
}
