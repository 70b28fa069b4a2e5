package translate

import (
	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
)

// The system call that exits make has no effect: getppid(2), which takes no arguments, with
// an argument by which a seccomp filter can tell it from those of the program.
const (
	ExitCallNumber   = 110
	ExitCallArgument = 0x7472697074796368
)

// Offsets of the stubs.
const (
	stubExit    = 0
	stubSearch  = 128
	stubArrival = 384
	stubBuffer  = 768
	stubRules   = 4096
	// StubsSize is the size of the stubs in bytes.
	StubsSize = stubRules + rules*ruleSize
)

// Stubs returns the code that the blocks of an arena share, with the rules for system
// calls without a stop.
func Stubs(base uint64, list map[uint64]CallRule) []byte {
	s := &section{base: base, arena: base}
	s.leave()
	s.fill(stubSearch)
	s.searchAll()
	s.fill(stubArrival)
	s.searchArrival()
	s.fill(stubBuffer)
	buffer, _ := newBufferStub(s.address(), base, base+stubRules)
	s.raw(buffer...)
	s.fill(stubRules)
	s.raw(ruleTable(list)...)
	return s.code
}

// fill adds nop instructions up to an offset.
func (s *section) fill(offset int) {
	for len(s.code) < offset {
		s.raw(0x90)
	}
}

// leave adds the system call of exits. If it returns, there is no tracer, and the
// program continues in its own code.
func (s *section) leave() {
	changed := []x86.Reg{x86.RAX, x86.RCX, x86.R11, x86.RDI}
	for _, r := range changed {
		s.save(r)
	}
	s.exitCall()
	for _, r := range changed {
		s.restore(r)
	}
	s.jumpField(contextTarget)
}

// exitCall adds the system call of exits itself. It changes rax, rcx, r11 and rdi.
func (s *section) exitCall() {
	s.loadImmediate(x86.RDI, ExitCallArgument)
	s.raw(0xb8) // mov eax, number
	s.imm32(ExitCallNumber)
	s.raw(0x0f, 0x05) // syscall
}

// searchAll adds the search for the translation of the address in rax in the second
// table. The former values of rax, rcx and rdx are saved. It continues at the address in
// the field Found with the address of the entry in rdx, or at that in the field None
// with all registers restored.
func (s *section) searchAll() {
	s.save(x86.RSI)
	s.raw(0x48, 0x89, 0xc1) // mov rcx, rax
	s.saveFlags()
	s.raw(0x48, 0x8d) // lea rsi, [table]
	s.relocated(x86.RSI, s.table()+secondOffset, 0)
	s.raw(0x69, 0xd1) // imul edx, ecx, factor
	s.imm32(hashFactor)
	s.raw(0xc1, 0xea, hashShift) // shr edx, shift
	loop := len(s.code)
	s.raw(0x8d, 0x04, 0x52)       // lea eax, [rdx+rdx*2]
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
	s.restoreFlags()
	s.restore(x86.RSI)
}

// saveFlags saves the flags in the context. It changes rax.
func (s *section) saveFlags() {
	s.raw(0x9f, 0x0f, 0x90, 0xc0) // lahf; seto al
	s.store(x86.RAX, contextFlags)
}

// restoreFlags restores the flags that saveFlags has saved. It changes rax.
func (s *section) restoreFlags() {
	s.load(x86.RAX, contextFlags)
	s.setFlags()
}

// setFlags sets the flags to those in rax, as saveFlags saves them. It changes rax.
func (s *section) setFlags() {
	s.raw(0x04, 0x7f, 0x9e) // add al, 0x7f (overflows if al is 1); sahf
}
