package guard

import (
	"encoding/binary"
	"io"
)

// Command is the first argument that makes a program which may set
// breakpoints call Main.
const Command = "__guard"

// Int3 is the breakpoint instruction, a single byte.
const Int3 = 0xcc

// A record tells the guard what is behind an int3 instruction, or that it
// is out again: the address, the byte, and a state.
type record struct {
	Address  uint64
	Original byte
	State    byte
}

// States of an int3 instruction, and of the debugger.
const (
	stateOut    = iota
	stateIn     // the instruction is in the memory of the process, or soon will be
	stateClosed // the debugger needs the guard no more; the record has no address
)

const recordSize = 10

// An account holds the original bytes of int3 instructions by their addresses.
type account struct {
	in   map[uint64]byte // in the memory of the process
	ever map[uint64]byte // that have been there: children may have inherited them

	closed bool // the debugger was not killed
}

// watch reads records until the end, which is the end of the program that
// writes them. A record that is cut off at the end was of an instruction that is not
// in yet.
func watch(r io.Reader) account {
	a := account{in: map[uint64]byte{}, ever: map[uint64]byte{}}
	for {
		var b [recordSize]byte
		if _, err := io.ReadFull(r, b[:]); err != nil {
			return a
		}
		address := binary.LittleEndian.Uint64(b[:])
		switch b[9] {
		case stateIn:
			a.in[address], a.ever[address] = b[8], b[8]
		case stateClosed:
			a.closed = true
		default:
			delete(a.in, address)
		}
	}
}

// bytes is the record as it is sent.
func (g record) bytes() []byte {
	b := binary.LittleEndian.AppendUint64(make([]byte, 0, recordSize), g.Address)
	return append(b, g.Original, g.State)
}
