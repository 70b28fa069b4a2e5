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

// Displayed returns the memory from which values that are shown are read, and false if
// that is m itself. Memory whose secrets are masked has a method Displayed, and so has
// memory that adds something to another one.
func Displayed(m Memory) (Memory, bool) {
	if m, ok := m.(interface{ Displayed() (Memory, bool) }); ok {
		return m.Displayed()
	}
	return nil, false
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
