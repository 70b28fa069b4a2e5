package symbols

import (
	"encoding/binary"
)

// Memory reads the memory of the program: all of p or an error. It may also
// have a method ReadPart(addr, p) int, which reads as much as is readable and
// returns how many bytes that is.
type Memory interface {
	ReadMemory(addr uint64, p []byte) error
}

// ReadWord reads eight bytes.
//
// A Memory with a method ReadWord reads it without an allocation.
func ReadWord(m Memory, addr uint64) (uint64, error) {
	if m, ok := m.(interface {
		ReadWord(addr uint64) (uint64, error)
	}); ok {
		return m.ReadWord(addr)
	}
	var p [8]byte
	err := m.ReadMemory(addr, p[:])
	return binary.LittleEndian.Uint64(p[:]), err
}
