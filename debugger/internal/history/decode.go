package history

import "github.com/triptych-mcp/triptych/debugger/internal/x86"

// cacheSize is a power of two: instructions are kept by the low bits of their
// address.
const cacheSize = 1 << 14

// An instruction is a decoded one. It is kept until the code is written or
// mapped anew.
type instruction struct {
	x86.Inst
	valid bool
}

// A codeCache keeps decoded instructions.
type codeCache struct {
	entries [cacheSize]instruction
	pages   map[uint64]struct{} // those that entries are of
	some    [1 << 10]bool       // whether any is, by the low bits of its number
	read    func(uint64, []byte) (int, error)
	alias   func(addr uint64) bool // says which those are
}

// at returns the instruction at an address. It is a barrier if there is none
// that is known.
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
	c.note(pc)
	c.note(pc + x86.MaxLen - 1)
	return &e.Inst
}

func (c *codeCache) note(addr uint64) {
	if c.pages == nil {
		c.pages = make(map[uint64]struct{})
	}
	number := addr / pageSize
	c.pages[number] = struct{}{}
	c.some[number%uint64(len(c.some))] = true
}

// wrote drops everything if a write has touched decoded code.
func (c *codeCache) wrote(addr, n uint64) {
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

// drop forgets everything.
func (c *codeCache) drop() {
	clear(c.entries[:])
	clear(c.pages)
	clear(c.some[:])
}
