package interp

import (
	"fmt"
	"slices"

	"github.com/triptych-mcp/triptych/debugger/internal/x86"
)

// A State holds the registers that instructions read and write.
type State struct {
	x86.Regs
	RIP uint64
}

// A Write is a piece of memory that a step has overwritten.
type Write struct {
	Addr uint64
	Old  uint64 // the contents before, little-endian
	Size uint8  // bytes, at most 8
}

// A Machine executes instructions. Make one with [New].
type Machine struct {
	State

	memory  memory
	next    uint64 // where the step goes on
	changed uint32
	writes  []Write
	stale   bool // the step has written where instructions were decoded
	cache   [cacheSize]*instruction

	vectors      Vectors // if vectorsKnown
	vectorsKnown bool
	vectorSource VectorSource
	vectorChange VectorChange
	operation    operation // of the step, here so that nothing is allocated
}

// cacheSize is a power of two: instructions are kept by the low bits of their
// address.
const cacheSize = 1 << 15

// An instruction is decoded and ready to be executed.
type instruction struct {
	in   x86.Inst
	run  handler
	dst  x86.Operand
	src  x86.Operand
	src2 x86.Operand
	size uint8 // of dst, in bytes
	cc   uint8 // condition

	vector *vectorPlan // of instructions on vectors
}

// A handler executes an instruction. It returns false, with nothing changed, if
// the processor must do it.
type handler func(m *Machine, i *instruction) bool

// New returns a machine whose memory comes from source, page by page, when it
// is first touched.
func New(source Source) *Machine {
	return &Machine{memory: memory{source: source, pages: make(map[uint64]*Page)}}
}

// Step executes the instruction at RIP, or one iteration of it if it is a
// repeated string operation. It returns false if the processor must do it;
// nothing has changed then.
func (m *Machine) Step() bool {
	i := m.fetch()
	m.writes, m.changed, m.vectorChange = m.writes[:0], 0, VectorChange{}
	if i == nil {
		return false
	}
	m.next = i.in.Next()
	if !i.run(m, i) {
		return false
	}
	m.RIP = m.next
	if m.stale { // not earlier: the instruction itself is in the cache
		m.forgetCode()
	}
	return true
}

// Run executes at most n steps and returns how many.
func (m *Machine) Run(n int) int {
	for done := range n {
		if !m.Step() {
			return done
		}
	}
	return n
}

// Writes returns what the last step has overwritten, in that order. The slice is
// valid until the next step.
func (m *Machine) Writes() []Write { return m.writes }

// Changed returns the set of general registers that the last step has written: bit
// n is register n. RIP and flags are not in it.
func (m *Machine) Changed() uint32 { return m.changed }

// Flush calls write for each page that has been written since it was loaded or
// flushed, in the order of the first writes, so that the process has what the
// machine has. It stops at the first error; the pages that are not written stay
// dirty.
func (m *Machine) Flush(write func(addr uint64, data []byte) error) error {
	for n, p := range m.memory.dirty {
		if err := write(p.number*PageSize, p.Data[:]); err != nil {
			m.memory.dirty = slices.Delete(m.memory.dirty, 0, n)
			return fmt.Errorf("write page %#x back: %w", p.number*PageSize, err)
		}
		p.dirty = false
	}
	clear(m.memory.dirty)
	m.memory.dirty = m.memory.dirty[:0]
	return nil
}

// Refresh tells the machine what the process has at addr, after the processor
// did an instruction that wrote there. Pages that were never touched are not
// loaded for it.
func (m *Machine) Refresh(addr uint64, data []byte) {
	for len(data) > 0 {
		at := addr % PageSize
		n := min(uint64(len(data)), PageSize-at)
		if p := m.memory.pages[addr/PageSize]; p != nil {
			copy(p.Data[at:], data[:n])
			if p.code {
				m.forgetCode()
			}
		}
		addr, data = addr+n, data[n:]
	}
}

// DropPages drops all copies of memory and all decoded instructions, because the
// process has run.
func (m *Machine) DropPages() {
	m.memory.forget()
	m.forgetCode()
}

func (m *Machine) forgetCode() {
	clear(m.cache[:])
	m.stale = false
}

// fetch returns the instruction at RIP, or nil if there is none to be had.
func (m *Machine) fetch() *instruction {
	place := &m.cache[m.RIP&(cacheSize-1)]
	if i := *place; i != nil && i.in.PC == m.RIP {
		return i
	}
	var code [x86.MaxLen]byte
	n := m.memory.fetch(m.RIP, code[:])
	in, err := x86.Decode(code[:n], m.RIP)
	if err != nil {
		return nil
	}
	*place = prepare(in)
	return *place
}

// setReg writes a general register as a whole.
func (m *Machine) setReg(r x86.Reg, value uint64) {
	m.GPR[r&15] = value
	m.changed |= 1 << (r & 15)
}

// canonical reports whether the processor can go to an address.
func canonical(addr uint64) bool { return uint64(int64(addr<<16)>>16) == addr }

// jump makes the step go on at addr.
func (m *Machine) jump(addr uint64) bool {
	if !canonical(addr) {
		return false
	}
	m.next = addr
	return true
}
