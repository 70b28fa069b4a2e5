package translate

import "github.com/triptych-mcp/triptych/debugger/internal/machine/x86"

// The tracer lets threads wait for private futexes itself, see waiter.go. A call that wakes
// such a thread, or that waits while another thread can run, makes no stop. Other calls that
// would wait are refused.

// Commands of futex(2), with FUTEX_PRIVATE_FLAG.
const (
	futexWait       = 0x80
	futexWake       = 0x81
	futexWaitBitset = 0x89
	futexRealtime   = 8 // bit number of FUTEX_CLOCK_REALTIME
)

// sysGetpid is the number of a system call that does nothing.
const sysGetpid = 39

// A futexCode has places of jumps to where the kernel makes the call, to where it has been
// made, and to where it waits, and the address of the load that may fail.
type futexCode struct {
	makes, made, waits int
	loads              uint64
}

// futex adds the code for futex(2). Rsi and rdi have the program's values.
func (s *bufferStub) futex() (code futexCode) {
	s.load(x86.RAX, contextRecord)
	s.raw(0x48, 0x05) // add rax, 2*recordData: when one thread waits, another one returns
	s.imm32(2 * recordData)
	s.raw(0x48, 0x3b) // cmp rax, [RecordsEnd]
	s.field(x86.RAX, contextRecordEnd, 0)
	s.refuseIf(above)
	s.raw(0x40, 0xf6, 0xc7, 3) // test dil, 3
	s.refuseIf(notEqual)
	s.raw(0x48, 0x81, 0xfe) // cmp rsi, FUTEX_WAKE
	s.imm32(futexWake)
	wake := s.near(equal)
	s.raw(0x4d, 0x85, 0xd2) // test r10, r10
	s.refuseIf(notEqual)
	s.raw(0x48, 0x81, 0xfe) // cmp rsi, FUTEX_WAIT
	s.imm32(futexWait)
	wait := s.near(equal)
	s.raw(0x41, 0x83, 0xf9, 0xff) // cmp r9d, FUTEX_BITSET_MATCH_ANY
	s.refuseIf(notEqual)
	s.raw(0x48, 0x89, 0xf0)                      // mov rax, rsi
	s.raw(0x48, 0x0f, 0xba, 0xf0, futexRealtime) // btr rax, FUTEX_CLOCK_REALTIME
	s.raw(0x48, 0x3d)                            // cmp rax, FUTEX_WAIT_BITSET
	s.imm32(futexWaitBitset)
	s.refuseIf(notEqual)
	s.land(wait)
	code.loads = s.address()
	s.raw(0x8b, 0x07) // mov eax, [rdi]
	s.raw(0x3b)       // cmp eax, edx of the program
	s.field(x86.RAX, gprField(x86.RDX), 0)
	code.waits = s.near(equal)
	code.makes = s.jumpLater()
	s.land(wake)
	code.made = s.wake()
	return code
}

// wake adds FUTEX_WAKE, and returns the place of a jump to where the call has been made. If
// the tracer lets no thread wait there, the code continues where the kernel makes the call.
func (s *bufferStub) wake() (made int) {
	s.refuseLeaving()
	s.raw(0x8b) // mov eax, edx of the program
	s.field(x86.RAX, gprField(x86.RDX), 0)
	s.raw(0x85, 0xc0) // test eax, eax
	s.refuseIf(notGreater)
	none := s.first(func() []int {
		s.memory(0x39, x86.RDI, x86.RCX, waiterAddress) // cmp [rcx+address], rdi
		other := s.near(notEqual)
		s.raw(0x83, 0x39, byte(Waiting)) // cmp dword [rcx], Waiting
		return []int{other, s.near(below)}
	})
	s.raw(0x83, 0xf8, 1)       // cmp eax, 1
	s.refuseIf(notEqual)       //
	s.exchange(Waiting, Woken) // fails if the thread is stopped
	s.refuseIf(notEqual)
	s.storeWord(0, contextMayWait)  // that thread can run
	s.raw(0x8b, 0x46, waiterThread) // mov eax, [rsi+thread]
	s.store(x86.RAX, contextWoken)  //
	s.callFlags()
	s.raw(0xb8, 1, 0, 0, 0) // mov eax, 1
	for _, r := range []x86.Reg{x86.RDX, x86.RSI, x86.RDI} {
		s.restore(r)
	}
	made = s.jumpLater()
	s.land(none)
	return made
}

// callFlags leaves in r11 the flags of the program as a system call does. It changes rax and
// rcx.
func (s *bufferStub) callFlags() {
	s.restoreFlags()
	s.raw(0xb8, sysGetpid, 0, 0, 0) // mov eax, getpid
	s.raw(0x0f, 0x05)               // syscall
}

// refuseLeaving refuses the call if the thread is to leave the cache.
func (s *bufferStub) refuseLeaving() {
	s.raw(0x48, 0x83) // cmp qword [Leave], 0
	s.field(7, contextLeave, 1)
	s.raw(0)
	s.refuseIf(notEqual)
}
