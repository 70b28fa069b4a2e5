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
// is out again: the address, the byte, and 1 or 0.
type record struct {
	Address  uint64
	Original byte
	In       byte
}

const recordSize = 10

// watch reads records until the end, which is the end of the program that
// writes them, and returns what was in then. A record that is cut off at the
// end was of an instruction that is not in yet.
func watch(r io.Reader) map[uint64]byte {
	in := map[uint64]byte{}
	for {
		var b [recordSize]byte
		if _, err := io.ReadFull(r, b[:]); err != nil {
			return in
		}
		address := binary.LittleEndian.Uint64(b[:])
		if b[9] != 0 {
			in[address] = b[8]
		} else {
			delete(in, address)
		}
	}
}

// bytes is the record as it is sent.
func (g record) bytes() []byte {
	b := binary.LittleEndian.AppendUint64(make([]byte, 0, recordSize), g.Address)
	return append(b, g.Original, g.In)
}
