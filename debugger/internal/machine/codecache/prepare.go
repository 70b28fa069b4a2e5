package codecache

// An Entry is an address at which the process has entered its translation.
type Entry struct {
	PC       uint64
	Indirect bool // by an indirect branch, see [Cache.EnterIndirect]
}

// Prepare translates the blocks at addresses that the process will probably enter, and nothing ahead of
// them. It ends early if the cache is full.
func (c *Cache) Prepare(entries []Entry) {
	places := make([]*place, len(entries))
	for n, e := range entries {
		p := c.place(e.PC)
		p.known = true
		p.expected = p.expected || e.Indirect && p.block == nil
		places[n] = p
	}
	for _, p := range places {
		for p != nil && p.block == nil {
			a, err := c.add(p)
			if err != nil {
				return // the process leaves the cache at the others
			}
			c.connect(a, p, nil)
			p = c.knownNext(a)
		}
	}
}

// knownNext returns the place in which the last block of an arena continues, if it is to be prepared: no jump
// is needed to it.
func (c *Cache) knownNext(a *arena) *place {
	if p := c.places[a.next]; a.continues && p != nil && p.known {
		return p
	}
	return nil
}
