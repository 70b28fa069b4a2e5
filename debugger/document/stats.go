package document

import (
	"cmp"
	"context"
	"slices"
	"time"
)

// Stats tells what the cache holds and how it fares.
type Stats struct {
	Hits, Misses, Evictions int64
	Entries                 int
	Bytes, Budget           int64   // of memory, as estimated
	HitRatio                float64 // hits of all look-ups, 0 to 1; 0 before the first
	// Abandoned counts requests that were given up and whose work goes on.
	Abandoned int
	// Restarts counts how often the process that holds the cache was replaced, see
	// package isolate. Lost counts those of them that took the cache with them.
	Restarts, Lost int
	// Documents are the largest entries, at most [MaxListed], by path, then kind.
	Documents []CachedDocument
}

// MaxListed limits the entries that [Stats] lists.
const MaxListed = 100

// A CachedDocument is one thing in the cache.
type CachedDocument struct {
	Path  string
	Kind  string // "document" or "schema"
	Bytes int64
	Hits  int64
	Age   time.Duration // since it was loaded
}

// Stats tells how things are now.
func (l *Library) Stats() Stats {
	s := l.cache.stats(time.Now())
	s.Abandoned = l.Abandoned()
	return s
}

// Abandoned returns how many requests were given up whose work goes on.
func (l *Library) Abandoned() int { return int(max(l.crew.abandoned.Load(), 0)) }

// A Reference names a document or schema in the cache.
type Reference struct {
	Path   string
	Schema bool // it is a schema
}

// Contents returns what is in the cache, the most recently used first.
func (l *Library) Contents() []Reference {
	l.cache.mu.Lock()
	defer l.cache.mu.Unlock()
	all := make([]Reference, 0, len(l.cache.entries))
	for at := l.cache.recent.Front(); at != nil; at = at.Next() {
		e := at.Value.(*entry)
		all = append(all, Reference{e.key.path, e.key.kind == schemaKind})
	}
	return all
}

// Restore loads what another library's Contents returned, in the reverse order, so
// that the cache ends up in the same order. It leaves out what fails to load, and
// stops when ctx ends.
func (l *Library) Restore(ctx context.Context, contents []Reference) {
	for _, r := range slices.Backward(contents) {
		if ctx.Err() != nil {
			return
		}
		_ = l.reload(ctx, r) // the request that needs it will see the error
	}
}

// reload loads one reference on a worker.
func (l *Library) reload(ctx context.Context, r Reference) error {
	ctx, cancel := context.WithTimeout(ctx, l.config.Patience())
	defer cancel()
	_, err := work(ctx, l.crew, "loading "+r.Path, func(ctx context.Context) (loaded, error) {
		if r.Schema {
			_, err := l.schema(ctx, r.Path)
			return loaded{}, err
		}
		return l.load(ctx, r.Path)
	})
	return err
}

func (c *cache) stats(now time.Time) Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := Stats{
		Hits: c.hits, Misses: c.misses, Evictions: c.evictions,
		Entries: len(c.entries), Bytes: c.bytes, Budget: c.budget,
	}
	if all := c.hits + c.misses; all > 0 {
		s.HitRatio = float64(c.hits) / float64(all)
	}
	largest := make([]*entry, 0, len(c.entries))
	for _, at := range c.entries {
		largest = append(largest, at.Value.(*entry))
	}
	slices.SortFunc(largest, func(a, b *entry) int { return cmp.Compare(b.bytes, a.bytes) })
	for _, e := range largest[:min(len(largest), MaxListed)] {
		s.Documents = append(s.Documents, CachedDocument{e.key.path, string(e.key.kind), e.bytes, e.hits, now.Sub(e.loaded)})
	}
	slices.SortFunc(s.Documents, func(a, b CachedDocument) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Kind, b.Kind))
	})
	return s
}
