package keys

import "sync"

// maxCached limits the records that a process has in memory: some 10 MiB.
const maxCached = 10_000

// A recordCache has records that were used lately, all of one version of the ring. Where it is
// full, any record makes room: which one matters little, for the next look-up reads it again.
type recordCache struct {
	mu      sync.Mutex
	version version
	hadKeys bool              // the store has had a version: it cannot be without one again
	records map[string]Record // by ID
	tokens  map[Hash]string   // the IDs of the records that tokens open
}

// find returns the record that a token opens. That there is none says nothing of the store.
func (c *recordCache) find(h Hash) (Record, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	one, ok := c.records[c.tokens[h]]
	if !ok {
		return Record{}, false
	}
	return one.openedBy(h)
}

// known returns the version of the records.
func (c *recordCache) known() version {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.version
}

// lost records that the store has a version, and reports whether it has none though it had one
// before, be that one which the cache has not moved on to. Such a store has lost its keys, for no
// change removes the version.
func (c *recordCache) lost(now version) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.hadKeys = c.hadKeys || now != ""
	return c.hadKeys && now == ""
}

// add adds a record that was read at a version, unless the cache has moved on to another one
// meanwhile: the record may have changed in between.
func (c *recordCache) add(v version, one Record) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if v != c.version {
		return
	}
	c.dropLocked(one.ID)
	for id := range c.records { // any one
		if len(c.records) < maxCached {
			break
		}
		c.dropLocked(id)
	}
	if c.records == nil {
		c.records, c.tokens = map[string]Record{}, map[Hash]string{}
	}
	c.records[one.ID] = one
	for _, h := range one.hashes() {
		c.tokens[h] = one.ID
	}
}

// dropLocked forgets a record.
func (c *recordCache) dropLocked(id string) {
	one, ok := c.records[id]
	if !ok {
		return
	}
	for _, h := range one.hashes() {
		if c.tokens[h] == id {
			delete(c.tokens, h)
		}
	}
	delete(c.records, id)
}

// advance moves the cache on to another version, in which some records were changed, or all.
// These are forgotten.
func (c *recordCache) advance(v version, changed []string, all bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.version = v
	if all {
		clear(c.records)
		clear(c.tokens)
		return
	}
	for _, id := range changed {
		c.dropLocked(id)
	}
}

// hashes returns the hashes of the tokens that open the record: one or two, of which the second
// may have expired, and those of its grants.
func (r *Record) hashes() []Hash {
	all := []Hash{r.Hash}
	if !r.PreviousUntil.IsZero() {
		all = append(all, r.Previous)
	}
	for i := range r.Grants {
		all = r.Grants[i].appendHashes(all)
	}
	return all
}
