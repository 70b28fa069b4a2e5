package codecache

import "github.com/triptych-mcp/triptych/debugger/internal/machine/translate"

// maxExpected is the number of targets up to which more are expected. The rest of the room is for
// targets to which a jump has led.
const maxExpected = translate.MaxTargets / 4 * 3

// addTarget lets indirect jumps find a block, if that was not done before.
func (c *Cache) addTarget(b *block) error {
	if b.target {
		return nil
	}
	a := c.arenaAt(b.address)
	if c.targets >= translate.MaxTargets || a.full() {
		return ErrFull
	}
	if b.arrival == 0 {
		b.arrival = a.arriveAt(b, c.Loop)
	}
	b.target = true
	c.targets++
	c.Targets.Expect(b.PC, b.address, b.arrival, c.arenas[0].Base)
	return nil
}

// expect lets indirect jumps find a new block if they are expected, and expects that functions
// return behind its calls. An exit for each of these addresses would cost more than to translate
// some for nothing. It appends to open the addresses behind calls that have no translation.
func (c *Cache) expect(p *place, open []*place) []*place {
	if p.expected {
		p.expected = false
		c.expectTarget(p.block)
	}
	for _, pc := range p.block.Returns {
		to := c.place(pc)
		if to.block != nil {
			c.expectTarget(to.block)
			continue
		}
		to.expected = true
		open = append(open, to)
	}
	return open
}

// expectTarget is addTarget for a block that is not needed yet.
func (c *Cache) expectTarget(b *block) {
	if c.targets < maxExpected {
		_ = c.addTarget(b) // if the cache is full, a jump to it will be an exit
	}
}

// arriveNext adds the code where indirect jumps to the next block arrive, and returns its
// address.
func (a *arena) arriveNext(pc uint64, loop bool) uint64 {
	at := a.hot
	code, entry := translate.Arrival(pc, at, a.Base, loop)
	a.write(at, code)
	a.hot += uint64(len(code))
	return at + uint64(entry)
}

// arriveAt is arriveNext for a block that is there.
func (a *arena) arriveAt(b *block, loop bool) uint64 {
	at := a.cold
	code, entry := translate.Arrival(b.PC, at, a.Base, loop)
	code = append(code, 0xe9, 0, 0, 0, 0) // jmp
	a.write(at, code)
	a.cold += uint64(len(code))
	a.link(a.cold-4, b.address)
	return at + uint64(entry)
}
