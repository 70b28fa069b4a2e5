package filestore

import (
	"sync"
	"time"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// maxCached limits the cache, in bytes.
const maxCached = 4 << 20

// A cache holds parsed rulesets, which are valid while the stamps of their files
// do not change. Parsing a file takes several times as long as reading its stamp.
type cache struct {
	mu    sync.Mutex
	bytes int
	of    map[ruleset.Name]cached
}

type cached struct {
	stamp   stamp
	ruleset ruleset.Ruleset
}

// cost returns the approximate memory use in bytes.
func (c cached) cost() int {
	return len(c.ruleset.Markdown) + len(c.ruleset.Description) + len(c.ruleset.Extra) + 512
}

// get returns the ruleset that was read from a file with this stamp.
func (c *cache) get(name ruleset.Name, now stamp) (r ruleset.Ruleset, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	was, ok := c.of[name]
	if !ok || was.stamp != now {
		return r, false
	}
	return was.ruleset.Clone(), true
}

// put stores what was read from a file whose stamp was taken before reading it.
func (c *cache) put(name ruleset.Name, before stamp, r ruleset.Ruleset) {
	one := cached{before, r.Clone()}
	if !before.Settled(time.Now()) || one.cost() > maxCached {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of == nil {
		c.of = map[ruleset.Name]cached{}
	}
	c.removeLocked(name)
	for other := range c.of { // in random order: frequently used entries soon return
		if c.bytes+one.cost() <= maxCached {
			break
		}
		c.removeLocked(other)
	}
	c.of[name] = one
	c.bytes += one.cost()
}

func (c *cache) removeLocked(name ruleset.Name) {
	if old, ok := c.of[name]; ok {
		c.bytes -= old.cost()
		delete(c.of, name)
	}
}
