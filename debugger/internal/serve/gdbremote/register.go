package gdbremote

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/xsave"
)

// A register is a register of the target description.
type register struct {
	name string
	bits int
	kind string // its type in the description
	in   place
}

// A place locates a register: in the general registers, in the vector state, or
// computed from the latter.
type place struct {
	word     int // index in ptrace.Regs.Words, -1 for other registers
	part     xsave.Part
	n        int // number of the part
	computed func(*xsave.X87) uint64
}

// A feature is a part of the target description with a name that gdb knows.
type feature struct {
	name  string
	types string // XML of types of its registers
	// width is the size in bytes of the vector registers that the feature
	// requires.
	width     int
	registers []register
}

// generalRegisters returns registers of one type that are words.
func generalRegisters(bits int, kind string, names ...string) []register {
	var all []register
	for _, name := range names {
		all = append(all, register{name, bits, kind, place{word: slices.Index(ptrace.RegNames[:], name)}})
	}
	return all
}

// parts returns registers that are the same part of consecutive vector registers,
// starting with number first.
func parts(format string, first, count, bits int, kind string, part xsave.Part) []register {
	var all []register
	for n := first; n < first+count; n++ {
		all = append(all, register{fmt.Sprintf(format, n), bits, kind, place{word: -1, part: part, n: n}})
	}
	return all
}

// x87Words lists the control registers of the x87 unit in gdb's order.
var x87Words = []struct {
	name  string
	value func(*xsave.X87) uint64
}{
	{"fctrl", func(x *xsave.X87) uint64 { return uint64(x.Control) }},
	{"fstat", func(x *xsave.X87) uint64 { return uint64(x.Status) }},
	{"ftag", func(x *xsave.X87) uint64 { return uint64(x.Tags()) }},
	{"fiseg", func(x *xsave.X87) uint64 { return x.Instruction >> 32 }},
	{"fioff", func(x *xsave.X87) uint64 { return x.Instruction & (1<<32 - 1) }},
	{"foseg", func(x *xsave.X87) uint64 { return x.Operand >> 32 }},
	{"fooff", func(x *xsave.X87) uint64 { return x.Operand & (1<<32 - 1) }},
	{"fop", func(x *xsave.X87) uint64 { return uint64(x.Opcode) }},
}

func x87Registers() []register {
	all := parts("st%d", 0, 8, 80, "i387_ext", xsave.Stack)
	for _, w := range x87Words {
		all = append(all, register{w.name, 32, "int", place{word: -1, computed: w.value}})
	}
	return all
}

// states holds the registers of a thread as the view returns them.
type states struct {
	regs   ptrace.Regs
	vector []byte // in the layout of XSAVE; nil if unknown
	layout xsave.Layout
}

// bytes returns a register in little-endian order, or nil if it is unknown. The
// result may alias the vector state.
func (s *states) bytes(r register) []byte {
	switch {
	case r.in.computed != nil:
		regs, ok := s.layout.Registers(s.vector)
		if !ok {
			return nil
		}
		return binary.LittleEndian.AppendUint32(nil, uint32(r.in.computed(&regs.X87)))
	case r.in.word >= 0:
		word := binary.LittleEndian.AppendUint64(nil, s.regs.Words()[r.in.word])
		return word[:r.bits/8]
	}
	return s.layout.Bytes(s.vector, r.in.part, r.in.n)
}

// set changes a register and reports whether the vector state changed.
func (s *states) set(r register, value []byte) (vector bool, err error) {
	switch {
	case len(value) != r.bits/8:
		return false, errArgument
	case r.in.computed != nil:
		return false, fmt.Errorf("%s cannot be written", r.name)
	case r.in.word >= 0:
		var word [8]byte
		copy(word[:], value)
		s.regs.Words()[r.in.word] = binary.LittleEndian.Uint64(word[:])
		return false, nil
	}
	to := s.layout.Bytes(s.vector, r.in.part, r.in.n)
	if to == nil {
		return false, errors.New("the vector registers are not known")
	}
	copy(to, value)
	xsave.Mark(s.vector, r.in.part, r.in.n)
	return true, nil
}
