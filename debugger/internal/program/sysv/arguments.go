package sysv

import (
	"encoding/binary"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// An Argument is a number or pointer.
type Argument struct {
	Bits  uint64 // extended to 64 bits, or those of a floating-point number
	Float bool
}

// Numbers of registers that take arguments.
const (
	intRegisters   = 6
	floatRegisters = 8
)

// Arguments holds the arguments of one call.
type Arguments struct {
	ints, floats []uint64
	Stack        []byte // of arguments that have no register, above the return address
}

// Add adds the next argument.
func (a *Arguments) Add(arg Argument) {
	registers, most := &a.ints, intRegisters
	if arg.Float {
		registers, most = &a.floats, floatRegisters
	}
	if len(*registers) < most {
		*registers = append(*registers, arg.Bits)
		return
	}
	a.Stack = binary.LittleEndian.AppendUint64(a.Stack, arg.Bits)
}

// Offsets in the layout of XSAVE, and the bits of its header.
const (
	offsetMXCSR  = 24
	offsetST0    = 32
	offsetXMM    = 160
	offsetHeader = 512
	minSize      = offsetHeader + 64

	componentSSE = 1 << 1
)

// defaultMXCSR is the initial value, which the state has no other place for.
const defaultMXCSR = 0x1f80

// Place puts the arguments into the registers, and into the vector state, which it
// returns changed. RAX becomes the number of floating-point registers, as functions
// with a variable number of arguments require.
func (a *Arguments) Place(regs *ptrace.Regs, vector []byte) bool {
	to := [intRegisters]*uint64{&regs.RDI, &regs.RSI, &regs.RDX, &regs.RCX, &regs.R8, &regs.R9}
	for i, bits := range a.ints {
		*to[i] = bits
	}
	regs.RAX = uint64(len(a.floats))
	if len(a.floats) == 0 {
		return true
	}
	if len(vector) < minSize {
		return false
	}
	header := binary.LittleEndian.Uint64(vector[offsetHeader:])
	if header&componentSSE == 0 { // its registers have their initial state
		clear(vector[offsetXMM : offsetXMM+16*16])
		binary.LittleEndian.PutUint32(vector[offsetMXCSR:], defaultMXCSR)
		binary.LittleEndian.PutUint64(vector[offsetHeader:], header|componentSSE)
	}
	for i, bits := range a.floats {
		at := vector[offsetXMM+16*i:]
		binary.LittleEndian.PutUint64(at, bits)
		binary.LittleEndian.PutUint64(at[8:], 0)
	}
	return true
}
