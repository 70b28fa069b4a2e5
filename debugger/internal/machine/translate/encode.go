package translate

import (
	"encoding/binary"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
)

// A section is code under construction. The instructions that it adds change no
// flags unless their comments say so.
type section struct {
	code  []byte
	base  uint64 // address of the first byte
	arena uint64 // address of the stubs
}

func (s *section) address() uint64 { return s.base + uint64(len(s.code)) }

func (s *section) raw(b ...byte) { s.code = append(s.code, b...) }

func (s *section) imm32(v uint32) { s.code = binary.LittleEndian.AppendUint32(s.code, v) }

func (s *section) imm64(v uint64) { s.code = binary.LittleEndian.AppendUint64(s.code, v) }

// relative adds the distance from the end of these four bytes to an address in the
// same arena.
func (s *section) relative(to uint64) { s.imm32(uint32(to - s.address() - 4)) }

// jump adds a jmp and returns the offset of its distance.
func (s *section) jump(to uint64) int {
	s.raw(0xe9)
	s.relative(to)
	return len(s.code) - 4
}

// relocated adds the operand [rip+d] for an address in the arena's memory. Reg is the
// other operand or a part of the opcode; tail is the length of what follows.
func (s *section) relocated(reg x86.Reg, address uint64, tail int) {
	s.raw(byte(reg&7)<<3 | 0x05)
	s.imm32(uint32(address - s.address() - 4 - uint64(tail)))
}

// field adds the operand for a field of the context.
func (s *section) field(reg x86.Reg, offset uint64, tail int) {
	s.relocated(reg, s.arena-ContextSize+offset, tail)
}

// store adds the move of a register to a field.
func (s *section) store(reg x86.Reg, offset uint64) {
	s.raw(0x48|byte(reg>>3)<<2, 0x89)
	s.field(reg, offset, 0)
}

// load adds the move of a field to a register.
func (s *section) load(reg x86.Reg, offset uint64) {
	s.raw(0x48|byte(reg>>3)<<2, 0x8b)
	s.field(reg, offset, 0)
}

// save adds the move of a register to its place in the context.
func (s *section) save(reg x86.Reg) { s.store(reg, contextGPR+8*uint64(reg)) }

// restore adds the move back.
func (s *section) restore(reg x86.Reg) { s.load(reg, contextGPR+8*uint64(reg)) }

// restoreLength is the length in bytes of what restore adds.
const restoreLength = 7

// storeWord adds the move of a number to half a field.
func (s *section) storeWord(value uint32, offset uint64) {
	s.raw(0xc7) // mov dword [rip+d], value
	s.field(0, offset, 4)
	s.imm32(value)
}

// storeTarget adds the move of an address to the field Target.
func (s *section) storeTarget(pc uint64) {
	s.storeWord(uint32(pc), contextTarget)
	s.storeWord(uint32(pc>>32), contextTarget+4)
}

// storeAddress adds the move of an address in the arena to a field. It changes rcx.
func (s *section) storeAddress(address, offset uint64) {
	s.raw(0x48, 0x8d) // lea rcx, [rip+d]
	s.relocated(x86.RCX, address, 0)
	s.store(x86.RCX, offset)
}

// jumpField adds a jmp to the address in a field.
func (s *section) jumpField(offset uint64) {
	s.raw(0xff)
	s.field(4, offset, 0)
}

// subtractLeft subtracts from a counter of Left, and changes flags.
func (s *section) subtractLeft(counter uint8, n int8) {
	s.raw(0x48, 0x83) // sub qword [counter], n
	s.field(5, counterField(counter), 1)
	s.raw(byte(n))
}

// addLeft adds to a counter of Left. Rcx is saved, and has the sum afterwards.
func (s *section) addLeft(counter uint8, n int8) {
	s.save(x86.RCX)
	s.load(x86.RCX, counterField(counter))
	s.raw(0x48, 0x8d, 0x49, byte(n)) // lea rcx, [rcx+n]
	s.store(x86.RCX, counterField(counter))
}

// loadImmediate adds mov reg, value.
func (s *section) loadImmediate(reg x86.Reg, value uint64) {
	s.raw(0x48|byte(reg>>3), 0xb8|byte(reg&7))
	s.imm64(value)
}
