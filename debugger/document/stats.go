package document

import (
	"slices"
	"strings"
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
	Documents []CachedDocument // by path, then kind
}

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
	s.Abandoned = int(max(l.crew.abandoned.Load(), 0))
	return s
}

func (c *cache) stats(now time.Time) Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := Stats{
		Hits: c.hits, Misses: c.misses, Evictions: c.evictions,
		Entries: len(c.entries), Bytes: c.bytes, Budget: c.budget,
		Documents: make([]CachedDocument, 0, len(c.entries)),
	}
	if all := c.hits + c.misses; all > 0 {
		s.HitRatio = float64(c.hits) / float64(all)
	}
	for k, at := range c.entries {
		e := at.Value.(*entry)
		s.Documents = append(s.Documents, CachedDocument{k.path, string(k.kind), e.bytes, e.hits, now.Sub(e.loaded)})
	}
	slices.SortFunc(s.Documents, func(a, b CachedDocument) int {
		return strings.Compare(a.Path+"\x00"+a.Kind, b.Path+"\x00"+b.Kind)
	})
	return s
}
