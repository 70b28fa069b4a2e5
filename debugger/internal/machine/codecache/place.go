package codecache

// A place is an address of the program that is translated, or to which a translation leads.
type place struct {
	pc       uint64
	block    *block // its translation, or nil
	waiting  []link // branches to it, while it has no translation
	expected bool   // it has no translation, and indirect jumps will lead to it
	known    bool   // Prepare translates it
}

// link is a branch in an arena.
type link struct {
	arena   *arena
	address uint64 // of its 32-bit distance
}

// sparePlaces is the number of places for which memory is allocated at once.
const sparePlaces = 1 << 8

// place returns the place at an address.
func (c *Cache) place(pc uint64) *place {
	p := c.places[pc]
	if p == nil {
		if len(c.spare) == 0 {
			c.spare = make([]place, sparePlaces)
		}
		p, c.spare = &c.spare[0], c.spare[1:]
		p.pc = pc
		c.places[pc] = p
	}
	return p
}
