package filestore

import (
	"sync"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// maxCached limits the cache, in bytes.
const maxCached = 4 << 20

// A cache holds parsed rulesets, valid while their files have the same stamps.
// Parsing a file takes several times as long as reading its stamp.
type cache struct {
	mu    sync.Mutex
	bytes int
	of    map[ruleset.Name]cached
}

type cached struct {
	stamp   stamp
	ruleset ruleset.Ruleset
}

// cost is about how many bytes it takes.
func (c cached) cost() int {
	return len(c.ruleset.Markdown) + len(c.ruleset.Description) + len(c.ruleset.Extra) + 512
}

// get returns the ruleset that was read of a file with this stamp.
func (c *cache) get(name ruleset.Name, now stamp) (r ruleset.Ruleset, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	was, ok := c.of[name]
	if !ok || was.stamp != now {
		return r, false
	}
	return was.ruleset.Clone(), true
}

// put keeps what was read of a file that had this stamp before that.
func (c *cache) put(name ruleset.Name, before stamp, r ruleset.Ruleset) {
	one := cached{before, r.Clone()}
	if !before.settled() || one.cost() > maxCached {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of == nil {
		c.of = map[ruleset.Name]cached{}
	}
	c.removeLocked(name)
	for other := range c.of { // in no order: what is often read is soon back
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
