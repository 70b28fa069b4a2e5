package translate

import (
	"encoding/binary"

	"github.com/triptych-mcp/triptych/debugger/internal/x86"
)

// The tracer lets threads wait for private futexes itself: they are stopped before their
// system calls. A thread that wakes only such threads makes no stop: it subtracts them from
// a table, and the tracer finds the call in the buffer. Calls that would wait are refused.

// Commands of futex(2), with FUTEX_PRIVATE_FLAG.
const (
	futexWait       = 0x80
	futexWake       = 0x81
	futexWaitBitset = 0x89
	futexRealtime   = 8 // bit number of FUTEX_CLOCK_REALTIME
)

// Layout of the table of waiters: an address, and how many threads wait there. The place of
// an address is given by its low bits.
const (
	waiterEntries = 64
	waiterSize    = 16
	waiterShift   = 2
	severalFutex  = 1 // in place of an address: several have the same place
)

// SetWaiters sets the numbers of threads that the tracer lets wait, by the addresses of
// their futexes.
func (c Context) SetWaiters(waiting map[uint64]int) {
	table := c[contextWaiters:][:waiterEntries*waiterSize]
	clear(table)
	for address, count := range waiting {
		entry := table[address>>waiterShift%waiterEntries*waiterSize:]
		if binary.LittleEndian.Uint64(entry) != 0 {
			address = severalFutex
		}
		binary.LittleEndian.PutUint64(entry, address)
		binary.LittleEndian.PutUint64(entry[8:], uint64(count))
	}
}

// sysGetpid is the number of a system call that does nothing.
const sysGetpid = 39

// A futexCode has places of jumps to where the call is made and where it has been made, and
// the address of the load that may fail.
type futexCode struct {
	makes, made int
	loads       uint64
}

// futex adds the code for futex(2). Rsi and rdi have the program's values.
func (s *bufferStub) futex() (code futexCode) {
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
	s.refuseIf(equal) // it would wait
	code.makes = s.jumpLater()
	s.land(wake)
	code.made = s.wake()
	return code
}

// wake adds FUTEX_WAKE, and returns the place of a jump to where the call has been made. If
// the tracer lets no thread wait there, the code continues where the kernel makes the call.
func (s *bufferStub) wake() (made int) {
	s.raw(0x48, 0x83) // cmp qword [Leave], 0
	s.field(7, contextLeave, 1)
	s.raw(0)
	s.refuseIf(notEqual)
	s.raw(0x8b) // mov eax, edx of the program
	s.field(x86.RAX, gprField(x86.RDX), 0)
	s.raw(0x85, 0xc0) // test eax, eax
	s.refuseIf(notGreater)
	s.raw(0x89, 0xf9)                   // mov ecx, edi
	s.raw(0xc1, 0xe9, waiterShift)      // shr ecx, 2
	s.raw(0x83, 0xe1, waiterEntries-1)  // and ecx, 63
	s.raw(0xc1, 0xe1, 4)                // shl ecx, 4
	s.raw(0x48, 0x8d)                   // lea rdx, [Waiters]
	s.field(x86.RDX, contextWaiters, 0) //
	s.raw(0x48, 0x01, 0xca)             // add rdx, rcx
	s.raw(0x48, 0x8b, 0x0a)             // mov rcx, [rdx]
	s.raw(0x48, 0x85, 0xc9)             // test rcx, rcx
	none := s.near(equal)               //
	s.raw(0x48, 0x39, 0xf9)             // cmp rcx, rdi
	s.refuseIf(notEqual)                //
	s.raw(0x48, 0x83, 0x7a, 8, 0)       // cmp qword [rdx+8], 0
	all := s.near(equal)                // they are woken already
	s.raw(0x48, 0x39, 0x42, 8)          // cmp [rdx+8], rax
	s.refuseIf(below)                   //
	s.raw(0x48, 0x29, 0x42, 8)          // sub [rdx+8], rax
	s.store(x86.RAX, contextWoken)      //
	s.restoreFlags()                    //
	s.raw(0xb8, sysGetpid, 0, 0, 0)     // mov eax, getpid
	s.raw(0x0f, 0x05)                   // syscall: r11 gets the flags
	s.load(x86.RAX, contextWoken)       //
	for _, r := range []x86.Reg{x86.RDX, x86.RSI, x86.RDI} {
		s.restore(r)
	}
	made = s.jumpLater()
	s.land(none)
	s.land(all)
	return made
}
