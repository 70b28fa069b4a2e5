package translate

import (
	"github.com/triptych-mcp/triptych/debugger/internal/x86"
)

// NoSyscall is the number of the system call that exits make. It does not exist.
const NoSyscall = 1<<64 - 1

// Offsets of the stubs.
const (
	stubExit   = 0
	stubSearch = 128
	// StubsSize is the size of the stubs in bytes.
	StubsSize = 512
)

// Stubs returns the code that the blocks of an arena share, and the address behind
// the system call at which exits stop.
func Stubs(base uint64) (code []byte, exited uint64) {
	s := &section{base: base, arena: base}
	exited = s.leave()
	for len(s.code) < stubSearch {
		s.raw(0x90)
	}
	s.searchAll()
	return s.code, exited
}

// leave adds the system call of exits. If it returns, there is no tracer, and the
// program continues in its own code.
func (s *section) leave() (exited uint64) {
	for _, r := range []x86.Reg{x86.RAX, x86.RCX, x86.R11} {
		s.save(r)
	}
	s.raw(0x48, 0xc7, 0xc0) // mov rax, -1
	s.imm32(uint32(NoSyscall & 0xffffffff))
	s.raw(0x0f, 0x05) // syscall
	exited = s.address()
	for _, r := range []x86.Reg{x86.RAX, x86.RCX, x86.R11} {
		s.restore(r)
	}
	s.jumpField(contextTarget)
	return exited
}

// searchAll adds the search for the translation of the address in rax in the second
// table. The former values of rax, rcx and rdx are saved. It continues at the address in
// the field Found with the address of the entry in rdx, or at that in the field None
// with all registers restored.
func (s *section) searchAll() {
	s.save(x86.RSI)
	s.raw(0x48, 0x89, 0xc1)       // mov rcx, rax
	s.raw(0x9f, 0x0f, 0x90, 0xc0) // lahf; seto al
	s.store(x86.RAX, contextFlags)
	s.raw(0x48, 0x8d) // lea rsi, [table]
	s.relocated(x86.RSI, s.table()+secondOffset, 0)
	s.raw(0x69, 0xd1) // imul edx, ecx, factor
	s.imm32(hashFactor)
	s.raw(0xc1, 0xea, hashShift) // shr edx, shift
	loop := len(s.code)
	s.raw(0x8d, 0x04, 0x12)       // lea eax, [rdx+rdx]
	s.raw(0x48, 0x39, 0x0c, 0xc6) // cmp [rsi+rax*8], rcx
	s.raw(0x74, 0)                // je found
	found := len(s.code)
	s.raw(0x48, 0x83, 0x3c, 0xc6, 0) // cmp qword [rsi+rax*8], 0
	s.raw(0x74, 0)                   // je missing
	missing := len(s.code)
	s.raw(0xff, 0xc2) // inc edx
	s.raw(0x81, 0xe2) // and edx, entries-1
	s.imm32(secondEntries - 1)
	s.raw(0xeb, byte(loop-len(s.code)-2)) // jmp loop
	s.code[found-1] = byte(len(s.code) - found)
	s.raw(0x48, 0x8d, 0x14, 0xc6) // lea rdx, [rsi+rax*8]
	s.searched()
	s.jumpField(contextFound)
	s.code[missing-1] = byte(len(s.code) - missing)
	s.searched()
	for _, r := range []x86.Reg{x86.RDX, x86.RCX, x86.RAX} {
		s.restore(r)
	}
	s.jumpField(contextNone)
}

// searched adds the restoration of flags and rsi after a search.
func (s *section) searched() {
	s.load(x86.RAX, contextFlags)
	s.raw(0x04, 0x7f, 0x9e) // add al, 0x7f (overflows if al is 1); sahf
	s.restore(x86.RSI)
}
