package document

import (
	"cmp"
	"context"
	"slices"
	"time"
)

// Stats describes the contents and the use of the cache.
type Stats struct {
	Hits, Misses, Evictions int64
	Entries                 int
	Bytes, Budget           int64   // estimated memory
	HitRatio                float64 // share of look-ups that were hits, 0 to 1; 0 before the first
	// Abandoned counts abandoned requests whose work still runs.
	Abandoned int
	// Restarts counts replacements of the process that holds the cache, see
	// package isolate. Lost counts those that lost the cache.
	Restarts, Lost int
	// Documents lists the largest entries, at most [MaxListed], ordered by
	// path and kind.
	Documents []CachedDocument
}

// MaxListed limits the entries that [Stats] lists.
const MaxListed = 100

// A CachedDocument describes an entry of the cache.
type CachedDocument struct {
	Path  string
	Kind  string // "document" or "schema"
	Bytes int64
	Hits  int64
	Age   time.Duration // since it was loaded
}

// Stats returns the current statistics.
func (l *Library) Stats() Stats {
	s := l.cache.stats(time.Now())
	s.Abandoned = l.Abandoned()
	return s
}

// Abandoned returns the number of abandoned requests whose work still runs.
func (l *Library) Abandoned() int { return int(max(l.crew.abandoned.Load(), 0)) }

// A Reference identifies a document or schema in the cache.
type Reference struct {
	Path   string
	Schema bool // a schema, not a document
}

// Contents returns the contents of the cache, the most recently used first.
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

// Restore loads the result of another library's Contents in reverse order, so
// that the cache ends up in the same order. It skips what fails to load, and
// stops when ctx ends.
func (l *Library) Restore(ctx context.Context, contents []Reference) {
	for _, r := range slices.Backward(contents) {
		if ctx.Err() != nil {
			return
		}
		_ = l.reload(ctx, r) // a request that needs it will get the error
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
