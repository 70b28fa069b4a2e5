package history

import "github.com/triptych-mcp/triptych/debugger/internal/machine/x86"

// cacheSize is a power of two: entries are indexed by the low bits of the
// address.
const cacheSize = 1 << 14

// An instruction is a cache entry.
type instruction struct {
	x86.Inst
	valid bool
}

// A codeCache holds decoded instructions until their code is written or mapped
// again.
type codeCache struct {
	entries [cacheSize]instruction
	pages   map[uint64]struct{} // numbers of the pages that entries are in
	some    [1 << 10]bool       // filter for pages, by the low bits of the number
	read    func(uint64, []byte) (int, error)
	alias   func(addr uint64) bool // reports whether an entry must not be cached
}

// at returns the instruction at an address, or an instruction of class Barrier
// if it cannot be decoded.
func (c *codeCache) at(pc uint64) *x86.Inst {
	e := &c.entries[pc&(cacheSize-1)]
	if e.valid && e.PC == pc {
		return &e.Inst
	}
	var code [x86.MaxLen]byte
	n, _ := c.read(pc, code[:])
	in, err := x86.Decode(code[:n], pc)
	if err != nil {
		in = x86.Inst{PC: pc, Class: x86.Barrier}
	}
	*e = instruction{Inst: in, valid: !c.alias(pc)}
	c.markPage(pc)
	c.markPage(pc + x86.MaxLen - 1)
	return &e.Inst
}

func (c *codeCache) markPage(addr uint64) {
	if c.pages == nil {
		c.pages = make(map[uint64]struct{})
	}
	number := addr / pageSize
	c.pages[number] = struct{}{}
	c.some[number%uint64(len(c.some))] = true
}

// invalidate drops all entries if a write has touched a page with entries.
func (c *codeCache) invalidate(addr, n uint64) {
	for number := addr / pageSize; number <= (addr+n-1)/pageSize; number++ {
		if !c.some[number%uint64(len(c.some))] {
			continue
		}
		if _, ok := c.pages[number]; ok {
			c.drop()
			return
		}
	}
}

// drop removes all entries.
func (c *codeCache) drop() {
	clear(c.entries[:])
	clear(c.pages)
	clear(c.some[:])
}
