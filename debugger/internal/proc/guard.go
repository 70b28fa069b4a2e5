package proc

import (
	"encoding/binary"
	"io"
)

// GuardCommand is the first argument that makes a program which may set
// breakpoints call GuardMain.
const GuardCommand = "__guard"

// int3 is the breakpoint instruction, a single byte.
const int3 = 0xcc

// A guardRecord tells the guard what is behind an int3 instruction, or that it
// is out again: the address, the byte, and 1 or 0.
type guardRecord struct {
	Address  uint64
	Original byte
	In       byte
}

const guardRecordSize = 10

// guardWatch reads records until the end, which is the end of the program that
// writes them, and returns what was in then. A record that is cut off at the
// end was of an instruction that is not in yet.
func guardWatch(r io.Reader) map[uint64]byte {
	in := map[uint64]byte{}
	for {
		var b [guardRecordSize]byte
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
func (g guardRecord) bytes() []byte {
	b := binary.LittleEndian.AppendUint64(make([]byte, 0, guardRecordSize), g.Address)
	return append(b, g.Original, g.In)
}
