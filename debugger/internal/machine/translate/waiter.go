package translate

import (
	"encoding/binary"
	"math"
	"sync/atomic"
	"unsafe"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
)

// One thread at a time has the turn: it executes instructions of the program. A thread that
// the tracer lets wait for a private futex waits in code of the cache for the turn, by a
// futex of its own, the state of its waiter. A thread that has the turn and would wait for a
// futex passes the turn to the waiter that was woken first, with no stop: it records its
// call, and the other thread records the end of its own one.
//
// A thread that has not the turn reads and writes only its own waiter: all other memory is
// that of the thread that has it. Only the state of a waiter is changed by several, by
// atomic instructions.

// A WaiterState is the state of a waiter.
type WaiterState uint32

// The states.
const (
	NotWaiting   WaiterState = iota // the thread does not wait in the cache
	HasTurn                         // it executes instructions
	Woken                           // it waits for the turn
	WokenLeaves                     // it has waited for too long, and stops
	Waiting                         // it waits for the futex
	Leaves                          // it has waited for too long, and stops
	StoppedWaits                    // it is stopped, and the tracer lets it wait
)

// MaxWaiters is the number of waiters.
const MaxWaiters = 64

// Layout of a waiter.
const (
	waiterState    = 0
	waiterThread   = 4  // id
	waiterAddress  = 8  // of the futex
	waiterSince    = 16 // number that is larger than those of threads that waited before
	waiterNext     = 24 // address behind the system call
	waiterReturns  = 32 // where the thread continues in the cache
	waiterFlags    = 40 // as in the context
	waiterAllFlags = 48 // as the kernel leaves them in r11
	waiterGPR      = 56 // the registers of waiterRegisters
	waiterSize     = 128

	// WaitersSize is the size of all waiters in bytes.
	WaitersSize = MaxWaiters * waiterSize
)

// waiterRegisters are the registers that the code of system calls without a stop saves.
// Register r10 is 0.
var waiterRegisters = [...]x86.Reg{x86.RAX, x86.RCX, x86.RDX, x86.RSI, x86.RDI, x86.R11}

// A Waiter is our view of a waiter.
type Waiter []byte

// Waiter returns a waiter by its number.
func (w Waiters) Waiter(n int) Waiter { return Waiter(w[n*waiterSize:][:waiterSize]) }

// Waiters is our view of all waiters.
type Waiters []byte

// Offset returns the distance of a waiter from the first one.
func (Waiters) Offset(n int) uint64 { return uint64(n) * waiterSize }

func (w Waiter) state() *atomic.Uint32 { return (*atomic.Uint32)(unsafe.Pointer(&w[waiterState])) }

// State returns the state.
func (w Waiter) State() WaiterState { return WaiterState(w.state().Load()) }

// SetState changes the state. The process must be stopped.
func (w Waiter) SetState(s WaiterState) { w.state().Store(uint32(s)) }

// Change changes the state from one to another, and reports whether it was the first.
func (w Waiter) Change(from, to WaiterState) bool {
	return w.state().CompareAndSwap(uint32(from), uint32(to))
}

// SetThread sets the id of the thread.
func (w Waiter) SetThread(tid int) { binary.LittleEndian.PutUint32(w[waiterThread:], uint32(tid)) }

// A Call is the system call of a waiter.
type Call struct {
	GPR     [16]uint64 // before the call; only some of them have a place in a waiter
	Flags   uint64
	Next    uint64 // address of the instruction behind it
	Returns uint64 // where the thread continues in the cache
}

// SetCall sets the system call of a thread, which begins to wait.
func (w Waiter) SetCall(c *Call, since uint64) {
	const carryToSign, overflow = 0xff, 11
	w.set(waiterAddress, c.GPR[x86.RDI])
	w.set(waiterSince, since)
	w.set(waiterNext, c.Next)
	w.set(waiterReturns, c.Returns)
	w.set(waiterFlags, c.Flags&carryToSign<<8|c.Flags>>overflow&1)
	w.set(waiterAllFlags, c.Flags)
	for n, r := range waiterRegisters {
		w.set(waiterGPR+8*n, c.GPR[r])
	}
}

// Call returns the system call. Of the registers, those are set that the cache has changed.
func (w Waiter) Call() (c Call, changed []x86.Reg) {
	c = Call{Flags: w.word(waiterAllFlags), Next: w.word(waiterNext), Returns: w.word(waiterReturns)}
	for n, r := range waiterRegisters {
		c.GPR[r] = w.word(waiterGPR + 8*n)
	}
	return c, append(waiterRegisters[:len(waiterRegisters):len(waiterRegisters)], x86.R10)
}

func (w Waiter) word(at int) uint64 { return binary.LittleEndian.Uint64(w[at:]) }

func (w Waiter) set(at int, value uint64) { binary.LittleEndian.PutUint64(w[at:], value) }

// saved lists what a waiter has of the context.
func saved() (list [][2]uint64) {
	list = [][2]uint64{{contextNext, waiterNext}, {contextReturns, waiterReturns}, {contextFlags, waiterFlags}}
	for n, r := range waiterRegisters {
		list = append(list, [2]uint64{gprField(r), waiterGPR + 8*uint64(n)})
	}
	return list
}

// memory adds an instruction with a register and a word of the waiter that a register has
// the address of.
func (s *section) memory(opcode byte, reg, waiter x86.Reg, offset byte) {
	s.raw(0x48|byte(reg>>3)<<2, opcode, 0x40|byte(reg&7)<<3|byte(waiter), offset)
}

// Opcodes of moves.
const (
	toMemory   = 0x89
	fromMemory = 0x8b
)

// first leaves in rsi the address of the waiter that has waited for the longest time, of
// those for which the code that wanted adds does not jump to the returned places. It changes
// rcx and r11, and returns the place of a jump that is taken if there is none.
func (s *bufferStub) first(wanted func() []int) (none int) {
	s.load(x86.RCX, contextWaiters)
	s.raw(0x49, 0x83, 0xcb, 0xff) // or r11, -1
	s.raw(0x31, 0xf6)             // xor esi, esi
	loop := s.address()
	s.raw(0x48, 0x3b) // cmp rcx, [WaitersEnd]
	s.field(x86.RCX, contextWaitersEnd, 0)
	end := s.near(notBelow)
	next := wanted()
	s.memory(0x39, x86.R11, x86.RCX, waiterSince) // cmp [rcx+since], r11
	next = append(next, s.near(notBelow))
	s.memory(fromMemory, x86.R11, x86.RCX, waiterSince)
	s.raw(0x48, 0x89, 0xce) // mov rsi, rcx
	for _, jump := range next {
		s.land(jump)
	}
	s.raw(0x48, 0x81, 0xc1) // add rcx, waiterSize
	s.imm32(waiterSize)
	s.jump(loop)
	s.land(end)
	s.raw(0x48, 0x85, 0xf6) // test rsi, rsi
	return s.near(equal)
}

// exchange changes the state of the waiter at rsi, and clears the zero flag if it had
// another one. It changes rax and rcx.
func (s *bufferStub) exchange(from, to WaiterState) {
	s.loadStates(from, to)
	s.exchangeLoaded()
}

// loadStates loads the states for exchangeLoaded.
func (s *bufferStub) loadStates(from, to WaiterState) {
	s.raw(0xb8) // mov eax, from
	s.imm32(uint32(from))
	s.raw(0xb9) // mov ecx, to
	s.imm32(uint32(to))
}

// exchangeLoaded is exchange with the states that loadStates has loaded. It is one instruction.
func (s *bufferStub) exchangeLoaded() {
	s.raw(0xf0, 0x0f, 0xb1, 0x0e) // lock cmpxchg [rsi], ecx
}

// setState changes the state of the waiter at rdx.
func (s *bufferStub) setState(state WaiterState) {
	s.raw(0xc7, 0x02) // mov dword [rdx], state
	s.imm32(uint32(state))
}

// sysFutex is the number of futex(2).
const sysFutex = 202

// futexCall adds the system call futex(2) on the state of the waiter at rdi.
func (s *bufferStub) futexCall(command uint32) {
	s.raw(0xbe) // mov esi, command
	s.imm32(command)
	s.raw(0xb8) // mov eax, futex
	s.imm32(sysFutex)
	s.raw(0x0f, 0x05) // syscall
}

// wait adds the wait for a futex, whose address is in rdi. A thread that has got the turn
// again continues at made, as if the kernel had made its call.
func (s *bufferStub) wait(made uint64, places *BufferPlaces) {
	s.refuseLeaving()
	s.load(x86.RDX, contextCurrent)
	s.raw(0x48, 0x85, 0xd2) // test rdx, rdx
	s.refuseIf(equal)
	s.refused = append(s.refused, s.first(func() []int {
		s.raw(0x83, 0x39, byte(Woken)) // cmp dword [rcx], Woken
		return []int{s.near(notEqual)}
	}))
	s.memory(toMemory, x86.RDI, x86.RDX, waiterAddress)
	for _, from := range saved() {
		s.load(x86.RAX, from[0])
		s.memory(toMemory, x86.RAX, x86.RDX, byte(from[1]))
	}
	s.load(x86.RAX, contextSince)
	s.raw(0x48, 0xff, 0xc0) // inc rax
	s.store(x86.RAX, contextSince)
	s.memory(toMemory, x86.RAX, x86.RDX, waiterSince)
	s.callFlags()
	s.memory(toMemory, x86.R11, x86.RDX, waiterAllFlags)
	s.recordWait()

	s.loadStates(Woken, HasTurn)
	places.Waits = s.address()
	s.setState(Waiting)
	places.Passes = s.address()
	s.exchangeLoaded()
	passed := s.near(equal) // from here on the other thread has the context
	s.setState(HasTurn)     // the tracer finds that the thread has not waited
	s.refused = append(s.refused, s.jumpLater())

	s.land(passed)
	s.raw(0x49, 0x89, 0xd2)     // mov r10, rdx
	s.raw(0x48, 0x89, 0xf7)     // mov rdi, rsi
	s.raw(0xba, 1, 0, 0, 0)     // mov edx, 1
	s.futexCall(futexWake)      //
	s.raw(0x4c, 0x89, 0xd7)     // mov rdi, r10
	s.waitForTurn(made, places) //
}

// recordWait adds a call that waits to the buffer. Register r11 has the flags. It changes rax
// and rcx.
func (s *bufferStub) recordWait() {
	s.load(x86.RCX, contextRecord)
	s.inRecord(toMemory, x86.R11, recordFlags)
	changed := 0
	for _, r := range waiterRegisters {
		changed |= 1 << r
	}
	for n := range x86.Reg(16) {
		if changed>>n&1 == 0 {
			s.inRecord(toMemory, n, recordGPR+8*uint32(n))
			continue
		}
		s.load(x86.RAX, gprField(n))
		s.inRecord(toMemory, x86.RAX, recordGPR+8*uint32(n))
	}
	s.sumLeft(x86.RAX)
	s.inRecord(toMemory, x86.RAX, recordLeft)
	s.load(x86.RAX, contextNext)
	s.inRecord(toMemory, x86.RAX, recordNext)
	s.raw(0x31, 0xc0) // xor eax, eax
	for _, field := range []uint32{recordLength, recordWoken, recordReturned} {
		s.inRecord(toMemory, x86.RAX, field)
	}
	s.raw(0xb8) // mov eax, recordData
	s.imm32(recordData)
	s.inRecord(toMemory, x86.RAX, recordSize)
	s.raw(0x48, 0xc7, 0x81) // mov qword [rcx+Result], resultWaits
	s.imm32(recordResult)
	s.imm32(math.MaxUint32 - resultWaits + 1)
	s.raw(0x48, 0x8d, 0x81) // lea rax, [rcx+recordData]
	s.imm32(recordData)
	s.store(x86.RAX, contextRecord)
}

// resultWaits is, negated, the result in the record of a call that waits. The kernel returns
// no such error to programs (ERESTARTSYS).
const resultWaits = 512

// Errors of system calls.
const errTimedOut = 110

// waitTime is the time after which a thread that waits for the turn stops. If there is no
// tracer then, the thread makes its system call in its own code.
const waitTime = 10_000_000 // nanoseconds

// waitForTurn adds the wait for the turn of the thread whose waiter is at rdi.
func (s *bufferStub) waitForTurn(made uint64, places *BufferPlaces) {
	places.Sleeps = s.address()
	s.raw(0x8b, 0x17)                // mov edx, [rdi]
	s.raw(0x83, 0xfa, byte(HasTurn)) // cmp edx, HasTurn
	turn := s.near(equal)
	s.raw(0x4c, 0x8d) // lea r10, [waitTime]
	s.relocated(x86.R10, s.timeout, 0)
	s.futexCall(futexWait)
	s.raw(0x83, 0xf8, 0x100-errTimedOut) // cmp eax, -ETIMEDOUT
	again := s.near(notEqual)
	s.raw(0x89, 0xd0)             // mov eax, edx
	s.raw(0x8d, 0x4a, 1)          // lea ecx, [rdx+1]: WokenLeaves or Leaves
	s.raw(0xf0, 0x0f, 0xb1, 0x0f) // lock cmpxchg [rdi], ecx
	late := s.near(equal)
	s.land(again)
	s.jump(places.Sleeps)
	s.land(turn)
	s.returns(made)
	s.land(late)
	s.leaveAlone()
}

// returns adds the end of the system call of the thread whose waiter is at rdi.
func (s *bufferStub) returns(made uint64) {
	for _, to := range saved() {
		s.memory(fromMemory, x86.RAX, x86.RDI, byte(to[1]))
		s.store(x86.RAX, to[0])
	}
	s.store(x86.RDI, contextCurrent)
	s.raw(0x8b, 0x47, waiterThread) // mov eax, [rdi+thread]
	s.store(x86.RAX, contextReturned)
	s.memory(fromMemory, x86.R11, x86.RDI, waiterAllFlags)
	for _, r := range []x86.Reg{x86.RDX, x86.RSI, x86.RDI} {
		s.restore(r)
	}
	s.raw(0x45, 0x31, 0xd2) // xor r10d, r10d
	s.raw(0x31, 0xc0)       // xor eax, eax
	s.jump(made)
}

// leaveAlone adds the system call of an exit for a thread that has not the turn, whose waiter
// is at rdi, and had the state in edx. If it returns, there is no tracer, and the thread
// continues in its own code: behind its system call if it was woken, and else at the call.
// Jumping by rcx is fine: the call changes it.
func (s *bufferStub) leaveAlone() {
	s.raw(0x48, 0x89, 0xfe) // mov rsi, rdi
	s.exitCall()
	s.raw(0x45, 0x31, 0xd2) // xor r10d, r10d
	s.memory(fromMemory, x86.RCX, x86.RSI, waiterNext)
	s.raw(0x83, 0xfa, byte(Woken)) // cmp edx, Woken
	woken := s.near(equal)
	s.raw(0x48, 0x8d, 0x49, 0xfe) // lea rcx, [rcx-2]
	s.ownState()
	s.memory(fromMemory, x86.RAX, x86.RSI, waiterGPR)
	own := s.jumpLater()
	s.land(woken)
	s.ownState()
	s.raw(0xb8, 0, 0, 0, 0) // mov eax, 0
	s.land(own)
	s.memory(fromMemory, x86.RSI, x86.RSI, waiterGPR+8*3)
	s.raw(0xff, 0xe1) // jmp rcx
}

// ownState restores flags and registers from the waiter at rsi, but not rsi. It changes rax.
func (s *bufferStub) ownState() {
	s.memory(fromMemory, x86.RAX, x86.RSI, waiterFlags)
	s.setFlags()
	s.memory(fromMemory, x86.R11, x86.RSI, waiterAllFlags)
	s.memory(fromMemory, x86.RDX, x86.RSI, waiterGPR+8*2)
	s.memory(fromMemory, x86.RDI, x86.RSI, waiterGPR+8*4)
}
