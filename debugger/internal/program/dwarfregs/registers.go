package dwarfregs

import (
	"encoding/binary"

	"github.com/triptych-mcp/triptych/debugger/internal/program/cfi"
)

// Numbers of registers in the DWARF numbering of the System V ABI for AMD64
// (version 1.0, figure 3.36).
const (
	RAX = iota
	RDX
	RCX
	RBX
	RSI
	RDI
	RBP
	RSP
	R8
	R9
	R10
	R11
	R12
	R13
	R14
	R15
	RIP
	XMM0
	XMM15  = XMM0 + 15
	FSBase = 58
)

// Registers are the registers of a thread or frame. Some may not be known.
type Registers struct {
	general [cfi.Columns]uint64
	known   uint32
	fsBase  uint64
	vector  *[16][16]byte // nil: not known
}

// NewRegisters makes the registers of a thread from the general ones, in DWARF
// order with rip last, and the thread pointer, 0 when not known.
func NewRegisters(general [17]uint64, fsBase uint64) Registers {
	return Registers{general: general, known: 1<<cfi.Columns - 1, fsBase: fsBase}
}

// WithVectors returns the registers with the lower halves of the vector
// registers, where optimized code keeps floating-point variables.
func (r Registers) WithVectors(xmm *[16][16]byte) Registers {
	r.vector = xmm
	return r
}

// Get returns a general register or the thread pointer by its DWARF number;
// false when its value is not known.
func (r *Registers) Get(n uint64) (uint64, bool) {
	switch {
	case n < cfi.Columns:
		return r.general[n], r.known&(1<<n) != 0
	case n == FSBase:
		return r.fsBase, r.fsBase != 0
	case n >= XMM0 && n <= XMM15 && r.vector != nil:
		return binary.LittleEndian.Uint64(r.vector[n-XMM0][:]), true
	}
	return 0, false
}

// PC returns the program counter.
func (r *Registers) PC() uint64 { return r.general[RIP] }

// Set sets a general register by its DWARF number.
func (r *Registers) Set(n int, v uint64) {
	r.general[n] = v
	r.known |= 1 << n
}

// Forget makes a general register unknown.
func (r *Registers) Forget(n int) { r.known &^= 1 << n }

// Bytes returns a register as it lies in memory; nil when it is not known.
func (r *Registers) Bytes(n uint64) []byte {
	if n >= XMM0 && n <= XMM15 {
		if r.vector == nil {
			return nil
		}
		return r.vector[n-XMM0][:]
	}
	v, ok := r.Get(n)
	if !ok {
		return nil
	}
	return binary.LittleEndian.AppendUint64(nil, v)
}

// BasePointer returns rbp, zero when it is not known.
func (r *Registers) BasePointer() uint64 { return r.general[RBP] }

// Unknown returns registers of the same thread of which only the thread pointer
// is known.
func (r *Registers) Unknown() Registers { return Registers{fsBase: r.fsBase} }
