package translate

import (
	"bytes"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
)

// CountsInRCX reports whether a thread that is stopped at an address of an arena is about
// to store rcx in the field Left, so that a change of the field would be lost. Code is
// what is there, and stubs the start of the arena.
func CountsInRCX(code []byte, address, stubs uint64) bool {
	if lea := []byte{0x48, 0x8d, 0x49}; bytes.HasPrefix(code, lea) && len(code) > len(lea) {
		code, address = code[len(lea)+1:], address+uint64(len(lea))+1
	}
	for n := range uint8(counters) {
		s := section{base: address, arena: stubs}
		s.store(x86.RCX, counterField(n))
		if bytes.HasPrefix(code, s.code) {
			return true
		}
	}
	return false
}
