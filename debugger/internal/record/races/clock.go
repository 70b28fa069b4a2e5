package races

// A clock has for each thread, by its index, the time up to which what it did is before something.
type clock []uint32

// of returns the time of a thread.
func (c clock) of(thread int) uint32 {
	if thread < len(c) {
		return c[thread]
	}
	return 0
}

// set sets the time of a thread, unless it is later already.
func (c *clock) set(thread int, time uint32) {
	for len(*c) <= thread {
		*c = append(*c, 0)
	}
	(*c)[thread] = max((*c)[thread], time)
}

// join makes what is before other before c, too.
func (c *clock) join(other clock) {
	for n, time := range other {
		if time > c.of(n) {
			c.set(n, time)
		}
	}
}
