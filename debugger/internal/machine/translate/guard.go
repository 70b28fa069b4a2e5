package translate

import "github.com/triptych-mcp/triptych/debugger/internal/machine/x86"

// A Guard is a set of kinds of system calls. The tracer guards some files: it must know when
// the process changes them. While there are such files, calls of these kinds make a stop.
type Guard byte

// The kinds.
const (
	// Opens are calls with flags of open(2) in [CallRule.Register]. They make a stop if the
	// file may be written, or is truncated.
	Opens Guard = 1 << iota
	// Writes are calls that write to the first argument, a descriptor. They make a stop if
	// it is guarded, or greater than 63.
	Writes
	// Duplicates are calls that make one descriptor that of another file.
	Duplicates
)

// SetGuard says which kinds of calls are guarded, and which descriptors.
func (c Context) SetGuard(kinds Guard, descriptors []int) {
	c.set(contextGuard, uint64(kinds))
	set := uint64(0)
	for _, d := range descriptors {
		set |= 1 << uint(d) // those that are greater are guarded anyway
	}
	c.set(contextGuarded, set)
}

// changing are the flags with which open(2) can change a file: O_WRONLY, O_RDWR, O_TRUNC.
const changing = 1 | 2 | 0x200

// guarded is the number of descriptors of which the context says whether they are guarded.
const guarded = 64

// guard refuses the call if it is guarded. It changes rax and rcx.
func (s *bufferStub) guard() {
	s.raw(0x8a) // mov al, [Guard]
	s.field(x86.RAX, contextGuard, 0)
	s.raw(0x22, 0x42, ruleGuard) // and al, [rdx+Guard]
	none := s.near(equal)
	s.raw(0xa8, byte(Duplicates)) // test al, Duplicates
	s.refuseIf(notEqual)
	s.raw(0xa8, byte(Opens)) // test al, Opens
	writes := s.near(equal)
	s.raw(0x0f, 0xb6, 0x42, ruleRegister) // movzx eax, byte [rdx+Register]
	s.raw(0x48, 0x8d)                     // lea rcx, [GPR]
	s.field(x86.RCX, contextGPR, 0)
	s.raw(0xf7, 0x04, 0xc1) // test dword [rcx+rax*8], changing
	s.imm32(changing)
	s.refuseIf(notEqual)
	opens := s.jumpLater()
	s.land(writes)
	s.raw(0x89, 0xf8)          // mov eax, edi
	s.raw(0x83, 0xf8, guarded) // cmp eax, 64
	s.refuseIf(notBelow)
	s.raw(0x48, 0x0f, 0xa3) // bt [Guarded], rax
	s.field(x86.RAX, contextGuarded, 0)
	s.refuseIf(below) // the bit is in the carry flag
	s.land(opens)
	s.land(none)
}

// lists begins the paths of /proc. The files below it list what the process has, and so what the
// tracer has added.
const lists = "/proc/"

// endAtLists takes the rest of the buffer away if the call has opened a file below /proc, so that
// the next one makes a stop. Rax has the result, and rdi and rsi are as they were before. The
// kernel has just read the path. It changes rdx and r11.
func (s *bufferStub) endAtLists() {
	s.raw(0x48, 0x85, 0xc0) // test rax, rax
	other := []int{s.near(negative)}
	s.load(x86.RDX, contextRule)
	s.raw(0x80, 0x7a, ruleGuard, byte(Opens)) // cmp byte [rdx+Guard], Opens
	other = append(other, s.near(notEqual))
	s.raw(0x49, 0x89, 0xf3)                        // mov r11, rsi
	s.raw(0x80, 0x7a, ruleRegister, byte(x86.RSI)) // cmp byte [rdx+Register], rsi: open(2) has its flags there
	s.raw(0x4c, 0x0f, 0x44, 0xdf)                  // cmove r11, rdi
	for n := range len(lists) {
		s.raw(0x41, 0x80, 0x7b, byte(n), lists[n]) // cmp byte [r11+n], lists[n]
		other = append(other, s.near(notEqual))
	}
	s.storeWord(0, contextRecordEnd)
	s.storeWord(0, contextRecordEnd+4)
	for _, jump := range other {
		s.land(jump)
	}
}
