package symbols

import (
	"encoding/binary"
)

// Memory reads the memory of the program: all of p or an error. It may also have
// a method ReadPart, which reads as much as can be read and says how much.
type Memory interface {
	ReadMemory(addr uint64, p []byte) error
}

// ReadWord reads eight bytes.
func ReadWord(m Memory, addr uint64) (uint64, error) {
	var p [8]byte
	err := m.ReadMemory(addr, p[:])
	return binary.LittleEndian.Uint64(p[:]), err
}
