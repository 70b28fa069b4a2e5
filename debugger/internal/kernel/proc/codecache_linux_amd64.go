package proc

import (
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// codeCache holds pages of code that cannot change while threads are stepped.
type codeCache struct {
	tracee *tracee

	maps  procfs.Maps
	pages map[uint64]*[codePage + maxInstruction]byte
}

const (
	codePage       = 4096
	maxInstruction = 15
)

// drop removes all pages.
func (c *codeCache) drop() { c.maps, c.pages = nil, nil }

// kindAt returns the kind of a thread's next instruction. A thread that stopped in
// an interrupted system call restarts the call.
func (c *codeCache) kindAt(r *ptrace.Regs) codeKind {
	if r.Restarts() {
		return syscallCode
	}
	page := c.pages[r.RIP/codePage]
	if page == nil {
		page = c.read(r.RIP / codePage)
	}
	if page == nil {
		return plainCode // the step reports the error
	}
	return classify(page[r.RIP%codePage:][:maxInstruction])
}

// read reads a page and the rest of an instruction at its end. It caches the
// page unless the process can write to it.
func (c *codeCache) read(number uint64) *[codePage + maxInstruction]byte {
	page := new([codePage + maxInstruction]byte)
	if n, _ := c.tracee.memory.Read(number*codePage, page[:]); n == 0 {
		return nil
	}
	if c.maps == nil {
		c.maps, _ = c.tracee.readMaps()
		c.pages = map[uint64]*[codePage + maxInstruction]byte{}
	}
	if m, ok := c.maps.Find(number * codePage); ok && !m.Write && !m.Shared {
		c.pages[number] = page
	}
	return page
}
