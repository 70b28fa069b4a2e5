package interp

import (
	"fmt"
	"slices"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
)

// A State holds the registers that instructions read and write.
type State struct {
	x86.Regs
	RIP uint64
}

// A Write is a piece of memory that a step overwrote.
type Write struct {
	Addr uint64
	Old  uint64 // the contents before, little-endian
	Size uint8  // bytes, at most 8
}

// A Machine executes instructions. Make one with [New].
type Machine struct {
	State

	// RefuseRepeats leaves repeated string operations to the processor, which executes
	// all of one at once.
	RefuseRepeats bool

	// Processor is the processor that the machine imitates. [New] sets it to the one that
	// this program runs on.
	Processor x86.Processor

	memory  memory
	next    uint64 // address of the next instruction
	changed uint32
	writes  []Write
	stale   bool // the step wrote to memory with decoded instructions
	cache   [cacheSize]*instruction

	vectors      Vectors // valid if vectorsKnown
	vectorsKnown bool
	vectorSource VectorSource
	vectorChange VectorChange
	operation    operation // scratch space of the step, here to avoid an allocation
}

// cacheSize is a power of two: the low bits of an instruction's address are its
// index in the cache.
const cacheSize = 1 << 15

// An instruction is a decoded instruction with its handler and what the handler
// needs.
type instruction struct {
	in   x86.Inst
	run  handler
	dst  x86.Operand
	src  x86.Operand
	src2 x86.Operand
	size uint8 // of dst, in bytes
	cc   uint8 // condition

	vector *vectorPlan // of vector instructions
}

// A handler executes an instruction. It returns false, with nothing changed, if
// the processor must execute it.
type handler func(m *Machine, i *instruction) bool

// New returns a machine that loads each page from source when it is first
// accessed.
func New(source Source) *Machine {
	return &Machine{memory: memory{source: source, pages: make(map[uint64]*Page)}, Processor: x86.Machine()}
}

// Step executes the instruction at RIP, or one iteration of it if it is a
// repeated string operation. It returns false, with nothing changed, if the
// processor must execute it.
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
	if m.stale { // only now: the instruction itself is in the cache
		m.forgetCode()
	}
	return true
}

// Run executes at most n steps and returns the number of steps executed.
func (m *Machine) Run(n int) int {
	for done := range n {
		if !m.Step() {
			return done
		}
	}
	return n
}

// Writes returns what the last step overwrote, in the order of the writes. The
// slice is valid until the next step.
func (m *Machine) Writes() []Write { return m.writes }

// Changed returns the set of general registers that the last step wrote: bit n
// stands for register n. RIP and the flags are not included.
func (m *Machine) Changed() uint32 { return m.changed }

// Flush calls write for each page that was written since it was loaded or last
// flushed, in the order of the first writes. It stops at the first error; the
// pages that are not yet written stay dirty.
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

// Refresh updates the copies of memory at addr after the processor executed an
// instruction that wrote data there. It does not load pages that the machine has
// not accessed.
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

// DropPages drops all copies of memory and all decoded instructions. Call it
// after the process has run.
func (m *Machine) DropPages() {
	m.memory.forget()
	m.forgetCode()
}

func (m *Machine) forgetCode() {
	clear(m.cache[:])
	m.stale = false
}

// fetch returns the instruction at RIP, or nil if its bytes cannot be read or
// decoded.
func (m *Machine) fetch() *instruction {
	place := &m.cache[m.RIP&(cacheSize-1)]
	if i := *place; i != nil && i.in.PC == m.RIP {
		return i
	}
	var code [x86.MaxLen]byte
	n := m.memory.fetch(m.RIP, code[:])
	in, err := m.Processor.Decode(code[:n], m.RIP)
	if err != nil {
		return nil
	}
	*place = prepare(in)
	return *place
}

// setReg writes all 64 bits of a general register.
func (m *Machine) setReg(r x86.Reg, value uint64) {
	m.GPR[r&15] = value
	m.changed |= 1 << (r & 15)
}

// canonical reports whether an address is canonical, that is, whether bits 63 to
// 47 are equal. The processor cannot branch to other addresses.
func canonical(addr uint64) bool { return uint64(int64(addr<<16)>>16) == addr }

// jump makes the instruction at addr the next one.
func (m *Machine) jump(addr uint64) bool {
	if !canonical(addr) {
		return false
	}
	m.next = addr
	return true
}
