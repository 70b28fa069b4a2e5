package aoc

import (
	"time"

	"github.com/triptych-mcp/triptych/mcp/filestamp"
)

// A cachedSpeeds holds the entries of a day's file at the time of reading.
type cachedSpeeds struct {
	stamp  filestamp.Stamp
	speeds []Speed
}

// speedsCached is like [Book.Speeds], but reads an unchanged file only once. The
// caller must not modify the result.
func (b *Book) speedsCached(day Day) ([]Speed, error) {
	before, err := filestamp.Stat(b.speedPath(day))
	if err != nil {
		return b.Speeds(day) // returns the error
	}
	b.mu.Lock()
	cached, ok := b.cache[day]
	b.mu.Unlock()
	if ok && cached.stamp == before {
		return cached.speeds, nil
	}
	speeds, err := b.Speeds(day)
	if err == nil && before.Content().Settled(time.Now()) {
		b.mu.Lock()
		if b.cache == nil {
			b.cache = map[Day]cachedSpeeds{}
		}
		b.cache[day] = cachedSpeeds{before, speeds}
		b.mu.Unlock()
	}
	return speeds, err
}
