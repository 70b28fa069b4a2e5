package translate

import (
	"encoding/binary"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
)

// A CallRule says how the process makes a system call without a stop: see
// [Request.Buffered].
type CallRule struct {
	Allowed bool
	// Ready, unless 0, are events of poll(2). The call may wait for the first argument, a
	// descriptor. If it must not, it is made without a stop only after one of the events.
	Ready byte
	// Short says that such a call must have a third argument of at most [ShortCall]. The
	// descriptor may be ready for fewer bytes otherwise.
	Short bool
	// Alone says that the call is made without a stop only if it may wait.
	Alone bool
	// Timeout says that the call does not wait if its fourth argument is 0.
	Timeout bool
	// NoSource says that the fifth argument must be 0.
	NoSource bool
	// Futex says that the call is futex(2), see futex.go.
	Futex bool
	// Commands, unless 0, is the set of permitted second arguments, up to 63.
	Commands uint64
	// Command, unless 0, is the only permitted second argument, instead.
	Command uint64
	// Guard says what the call may do to files, see guard.go.
	Guard Guard

	// What the call writes if it does not fail: Unit bytes, times Times, at the address in
	// a register. Nothing if Unit is 0 or the address is.
	Unit     uint16
	Times    Factor
	Register x86.Reg
}

// A Factor is a number of units that a system call writes.
type Factor byte

// The factors.
const (
	Once         Factor = iota
	Result              // and at most the third argument
	Argument            // the second argument
	SecondResult        // the result, which is at most the second argument
)

// ShortCall is the largest third argument of calls with [CallRule.Short]: PIPE_BUF, for
// which a pipe has space if it is ready.
const ShortCall = 4096

const (
	rules    = 512 // system calls from this number on are not made without a stop
	ruleSize = 16

	// Layout of a rule in memory.
	ruleBits     = 0 // of the constants below
	ruleReady    = 1
	ruleRegister = 2
	ruleTimes    = 3
	ruleUnit     = 4
	ruleGuard    = 6
	ruleCommands = 8

	ruleAllowed    = 1
	ruleNoSource   = 2
	ruleHasCommand = 4
	ruleShort      = 8
	ruleAlone      = 16
	ruleTimeout    = 32
	ruleFutex      = 64
	ruleOneCommand = 128 // in place of the set
)

// ruleTable returns the rules as the stub reads them.
func ruleTable(list map[uint64]CallRule) []byte {
	table := make([]byte, rules*ruleSize)
	for number, r := range list {
		row := table[number*ruleSize:]
		for bit, set := range map[byte]bool{
			ruleAllowed: r.Allowed, ruleNoSource: r.NoSource, ruleHasCommand: r.Commands != 0,
			ruleShort: r.Short, ruleAlone: r.Alone, ruleTimeout: r.Timeout, ruleFutex: r.Futex,
			ruleOneCommand: r.Command != 0,
		} {
			if set {
				row[ruleBits] |= bit
			}
		}
		row[ruleReady], row[ruleRegister], row[ruleTimes], row[ruleGuard] = r.Ready, byte(r.Register), byte(r.Times), byte(r.Guard)
		binary.LittleEndian.PutUint16(row[ruleUnit:], r.Unit)
		binary.LittleEndian.PutUint64(row[ruleCommands:], r.Commands|r.Command)
	}
	return table
}

// maxUnits limits the units of a call that is made without a stop.
const maxUnits = 1 << 16

// Layout of a record in the buffer.
const (
	recordSize     = 0 // of the record in bytes, a multiple of 8
	recordLeft     = 8 // sum of the counters of Left, without the call
	recordResult   = 16
	recordFlags    = 24
	recordNext     = 32 // address of the instruction behind the call
	recordGPR      = 40 // 16 registers before the call
	recordAddress  = recordGPR + 16*8
	recordLength   = recordAddress + 8
	recordWoken    = recordLength + 8   // thread that the call has woken, or 0
	recordReturned = recordWoken + 8    // thread that has got the turn by the end of the call, or 0
	recordData     = recordReturned + 8 // what was written there
)

// A BufferedCall is a system call that the process has made without a stop.
type BufferedCall struct {
	Left   int64  // instructions that are left, without the call
	Next   uint64 // address of the instruction behind it
	GPR    [16]uint64
	Flags  uint64
	Result uint64
	// What it has written. The data are valid until the process continues.
	Address uint64
	Data    []byte
	// Of futex(2), see waiter.go.
	Waits    bool // the thread waits, and another one has the turn
	Woken    int  // thread that is woken, or 0
	Returned int  // thread that has waited, whose call returns, and which has the turn; or 0
}

// Decode decodes the first call in a buffer and returns the rest.
func (c *BufferedCall) Decode(b []byte) (rest []byte, ok bool) {
	if len(b) < recordData {
		return nil, false
	}
	word := func(at int) uint64 { return binary.LittleEndian.Uint64(b[at:]) }
	size, length := word(recordSize), word(recordLength)
	if size > uint64(len(b)) || size < recordData || length > size-recordData {
		return nil, false
	}
	c.Left, c.Next, c.Flags, c.Result = Reserve+withoutBias(int64(word(recordLeft))), word(recordNext), word(recordFlags), word(recordResult)
	for n := range c.GPR {
		c.GPR[n] = word(recordGPR + 8*n)
	}
	c.Address, c.Data = word(recordAddress), b[recordData:recordData+length]
	c.Waits, c.Woken, c.Returned = int64(c.Result) == -resultWaits, int(uint32(word(recordWoken))), int(uint32(word(recordReturned)))
	return b[size:], true
}

// A bufferStub is the code of an arena that makes system calls without a stop:
//
//	look      the rule of the call
//	guard     whether it may change a file that must not change without a stop, see guard.go
//	space     whether the buffer has room for what it may write
//	poll      whether it would wait, unless it may
//	futex     in place of these two for futex(2), see futex.go
//	make      the call, with all registers of the program
//	record    registers, result, and what was written
//	wait      in place of these two where a futex is waited for, see waiter.go
//
// Where the call is not to be made like that, all registers are restored, and the block is
// left by an exit. The block has stored rcx and passes in it the address of its record of
// the call, see translation.buffered.
type bufferStub struct {
	section
	refused []int  // jumps to where the call is refused
	timeout uint64 // address of a struct timespec
}

// BufferPlaces are the places of the code that makes system calls without a stop, as
// offsets in the result of [Stubs].
type BufferPlaces struct {
	Checks  uint64 // where it checks whether the thread is to leave the cache
	Makes   uint64 // the system call; nothing happens in between
	Made    uint64 // the instruction behind it
	Loads   uint64 // an instruction that reads the futex; if it fails, the call is refused
	Refuses uint64 // where a call is refused

	Waits  uint64 // where a thread that waits for a futex begins to pass the turn
	Passes uint64 // and where it passes the turn
	Sleeps uint64 // where a thread waits for the turn
}

// FindBufferPlaces returns the places.
func FindBufferPlaces() BufferPlaces {
	_, places := newBufferStub(stubBuffer, 0, stubRules)
	return places
}

// Offsets in the record that a block has of a system call.
const (
	siteNext    = 0 // address of the instruction behind it
	siteReturns = 8 // jump to the hot code
	siteRefused = 13
)

func newBufferStub(address, arena, table uint64) (code []byte, places BufferPlaces) {
	s := &bufferStub{section: section{base: address, arena: arena}}
	for _, r := range []x86.Reg{x86.RAX, x86.RDX, x86.RSI, x86.RDI, x86.R11} {
		s.save(r)
	}
	s.store(x86.RCX, contextSite)
	s.raw(0x48, 0x8b, 0x01) // mov rax, [rcx]
	s.store(x86.RAX, contextNext)
	s.raw(0x48, 0x8d, 0x41, siteReturns) // lea rax, [rcx+siteReturns]
	s.store(x86.RAX, contextReturns)
	s.saveFlags()
	isFutex := s.look(table)
	s.guard()
	s.space()
	s.poll()
	over := s.jumpLater()
	s.land(isFutex)
	futex := s.futex()
	places.Loads = futex.loads
	s.land(over)
	s.land(futex.makes)
	places.Checks, places.Makes = s.make()
	places.Made = s.address()
	s.land(futex.made)
	s.record()
	s.timeout = s.address()
	s.imm64(0)
	s.imm64(waitTime)
	s.land(futex.waits)
	s.wait(places.Made, &places)
	places.Refuses = s.address()
	s.refuse()
	return s.code, places
}

// near adds a conditional jump of which the target is not known yet, and returns its place.
func (s *bufferStub) near(condition byte) int {
	s.raw(0x0f, 0x80|condition)
	s.imm32(0)
	return len(s.code)
}

// refuseIf adds a conditional jump to where the call is refused.
func (s *bufferStub) refuseIf(condition byte) { s.refused = append(s.refused, s.near(condition)) }

// land makes a jump lead to the next instruction.
func (s *bufferStub) land(jump int) {
	binary.LittleEndian.PutUint32(s.code[jump-4:], uint32(len(s.code)-jump))
}

// Conditions of jumps.
const (
	below    = 0x2
	notBelow = 0x3
	equal    = 0x4
	notEqual = 0x5
	above    = 0x7
	negative = 0x8

	notGreater = 0xe
)

// look leaves the address of the rule in rdx. It returns the place of a jump to where
// futex(2) is made.
func (s *bufferStub) look(table uint64) (isFutex int) {
	s.raw(0x48, 0x83) // cmp qword [Buffered], 0
	s.field(7, contextBuffered, 1)
	s.raw(0)
	s.refuseIf(equal)
	s.restore(x86.RAX)
	s.raw(0x48, 0x3d) // cmp rax, rules
	s.imm32(rules)
	s.refuseIf(notBelow)
	s.raw(0xc1, 0xe0, 4) // shl eax, 4
	s.raw(0x48, 0x8d)    // lea rdx, [table]
	s.relocated(x86.RDX, table, 0)
	s.raw(0x48, 0x01, 0xc2) // add rdx, rax
	s.store(x86.RDX, contextRule)
	s.testRule(ruleAllowed)
	s.refuseIf(equal)
	s.testRule(ruleNoSource)
	any := s.near(equal)
	s.raw(0x4d, 0x85, 0xc0) // test r8, r8
	s.refuseIf(notEqual)
	s.land(any)
	s.testRule(ruleHasCommand)
	any = s.near(equal)
	s.raw(0x48, 0x83, 0xfe, 64) // cmp rsi, 64
	s.refuseIf(notBelow)
	s.raw(0x48, 0x0f, 0xa3, 0x72, ruleCommands) // bt [rdx+Commands], rsi
	s.refuseIf(notBelow)                        // the bit is in the carry flag
	s.land(any)
	s.testRule(ruleOneCommand)
	any = s.near(equal)
	s.raw(0x48, 0x3b, 0x72, ruleCommands) // cmp rsi, [rdx+Commands]
	s.refuseIf(notEqual)
	s.land(any)
	s.testRule(ruleFutex)
	return s.near(notEqual)
}

// testRule adds the test of a bit of the rule at rdx.
func (s *bufferStub) testRule(bit byte) { s.raw(0xf6, 0x42, ruleBits, bit) } // test byte [rdx+Bits], bit

// space refuses the call if what it may write has no space in the buffer.
func (s *bufferStub) space() {
	s.raw(0x0f, 0xb7, 0x42, ruleUnit)     // movzx eax, word [rdx+Unit]
	s.raw(0x80, 0x7a, ruleTimes, 0)       // cmp byte [rdx+Times], Once
	once := s.near(equal)                 //
	s.raw(0x48, 0x89, 0xf7)               // mov rdi, rsi
	s.raw(0x80, 0x7a, ruleTimes, 2)       // cmp byte [rdx+Times], Argument
	argument := s.near(notBelow)          //
	s.load(x86.RDI, gprField(x86.RDX))    // mov rdi, rdx of the program
	s.land(argument)                      //
	s.raw(0x48, 0x81, 0xff)               // cmp rdi, maxUnits
	s.imm32(maxUnits)                     //
	s.refuseIf(above)                     //
	s.raw(0x48, 0x0f, 0xaf, 0xc7)         // imul rax, rdi
	s.land(once)                          //
	s.raw(0x48, 0x05)                     // add rax, recordData + 7
	s.imm32(recordData + 7)               //
	s.raw(0x48, 0x03)                     // add rax, [Record]
	s.field(x86.RAX, contextRecord, 0)    //
	s.raw(0x48, 0x3b)                     // cmp rax, [RecordsEnd]
	s.field(x86.RAX, contextRecordEnd, 0) //
	s.refuseIf(above)
}

func gprField(r x86.Reg) uint64 { return contextGPR + 8*uint64(r) }

// sysPoll is the number of poll(2).
const sysPoll = 7

// poll refuses the call if it may wait but must not.
func (s *bufferStub) poll() {
	s.raw(0x48, 0x83) // cmp qword [MayWait], 0
	s.field(7, contextMayWait, 1)
	s.raw(0)
	mayWait := s.near(notEqual)
	s.testRule(ruleAlone)
	s.refuseIf(notEqual)
	s.raw(0x80, 0x7a, ruleReady, 0) // cmp byte [rdx+Ready], 0
	ready := s.near(equal)
	s.testRule(ruleTimeout)
	timeout := s.near(equal)
	s.raw(0x45, 0x85, 0xd2) // test r10d, r10d
	zero := s.near(equal)
	s.land(timeout)
	s.testRule(ruleShort)
	short := s.near(equal)
	s.raw(0x48, 0x81) // cmp qword [rdx of the program], ShortCall
	s.field(7, gprField(x86.RDX), 4)
	s.imm32(ShortCall)
	s.refuseIf(above)
	s.land(short)
	s.restore(x86.RDI)
	s.raw(0x89) // mov [Poll], edi
	s.field(x86.RDI, contextPoll, 0)
	s.raw(0x0f, 0xb6, 0x42, ruleReady) // movzx eax, byte [rdx+Ready]
	s.raw(0x89)                        // mov [Poll+4], eax
	s.field(x86.RAX, contextPoll+4, 0)
	s.raw(0x48, 0x8d) // lea rdi, [Poll]
	s.field(x86.RDI, contextPoll, 0)
	s.raw(0xbe, 1, 0, 0, 0)       // mov esi, 1
	s.raw(0x31, 0xd2)             // xor edx, edx
	s.raw(0xb8, sysPoll, 0, 0, 0) // mov eax, poll
	s.raw(0x0f, 0x05)             // syscall
	s.raw(0x83, 0xf8, 1)          // cmp eax, 1
	s.refuseIf(notEqual)
	for _, jump := range []int{mayWait, ready, zero} {
		s.land(jump)
	}
}

// make makes the call, unless the tracer wants the thread to leave the cache. Between the
// check and the call there is no instruction that could not be repeated.
func (s *bufferStub) make() (checks, makes uint64) {
	s.restoreFlags()
	for _, r := range []x86.Reg{x86.RAX, x86.RDX, x86.RSI, x86.RDI} {
		s.restore(r)
	}
	checks = s.address()
	s.load(x86.RCX, contextLeave)
	s.raw(0xe3, 5) // jrcxz over the jump
	s.refused = append(s.refused, s.jumpLater())
	makes = s.address()
	s.raw(0x0f, 0x05) // syscall
	return checks, makes
}

// inRecord adds a move between a register and the record at rcx.
func (s *bufferStub) inRecord(opcode byte, reg x86.Reg, offset uint32) {
	s.raw(0x48|byte(reg>>3)<<2, opcode, 0x81|byte(reg&7)<<3) // mov [rcx+offset], reg
	s.imm32(offset)
}

// errFault is the result -EFAULT.
const errFault = -14

// record adds the call to the buffer. A call that fails with EFAULT may have written
// something: it is refused as if it had not been made.
func (s *bufferStub) record() {
	s.load(x86.RCX, contextRecord)
	s.inRecord(toMemory, x86.RAX, recordResult)
	s.inRecord(toMemory, x86.R11, recordFlags)
	for n := range x86.Reg(16) {
		if n != x86.RAX && n != x86.RCX && n != x86.R11 {
			s.inRecord(toMemory, n, recordGPR+8*uint32(n))
		}
	}
	for _, r := range []x86.Reg{x86.RAX, x86.RCX, x86.R11} {
		s.load(x86.RDX, gprField(r))
		s.inRecord(toMemory, x86.RDX, recordGPR+8*uint32(r))
	}
	s.sumLeft(x86.RDX)
	s.inRecord(toMemory, x86.RDX, recordLeft)
	s.load(x86.RDX, contextNext)
	s.inRecord(toMemory, x86.RDX, recordNext)
	s.recordThread(recordWoken, contextWoken)
	s.recordThread(recordReturned, contextReturned)
	s.raw(0x48, 0x83, 0xf8, 0x100+errFault) // cmp rax, -EFAULT
	s.refuseIf(equal)
	s.store(x86.RAX, gprField(x86.RAX))
	s.endAtLists()
	s.copyWritten()

	s.raw(0x48, 0x89, 0xfa) // mov rdx, rdi
	s.raw(0x48, 0x29, 0xca) // sub rdx, rcx
	s.inRecord(toMemory, x86.RDX, recordSize)
	s.store(x86.RDI, contextRecord)
	s.inRecord(fromMemory, x86.R11, recordFlags)
	s.raw(0x41, 0x0f, 0xba, 0xe3, 10) // bt r11d, 10: the direction flag
	up := s.near(notBelow)
	s.raw(0xfd) // std
	s.land(up)
	s.restoreFlags()
	s.load(x86.RCX, contextNext)
	for _, r := range []x86.Reg{x86.RAX, x86.RDX, x86.RSI, x86.RDI} {
		s.restore(r)
	}
	s.jumpField(contextReturns)
}

// sumLeft sets a register to the sum of the counters of Left. It changes the flags.
func (s *bufferStub) sumLeft(r x86.Reg) {
	s.load(r, counterField(0))
	for n := range uint8(counters - 1) {
		s.raw(0x48, 0x03) // add r, [the next counter]
		s.field(r, counterField(n+1), 0)
	}
}

// recordThread moves the id of a thread to the record at rcx. It changes rdx.
func (s *bufferStub) recordThread(offset uint32, field uint64) {
	s.load(x86.RDX, field)
	s.inRecord(toMemory, x86.RDX, offset)
	s.storeWord(0, field)
}

// copyWritten copies what the call has written to the record at rcx. Rdi is then the end of
// the record.
func (s *bufferStub) copyWritten() {
	s.load(x86.RDX, contextRule)
	s.raw(0x31, 0xff)       // xor edi, edi
	s.raw(0x48, 0x85, 0xc0) // test rax, rax
	failed := s.near(negative)
	s.raw(0x0f, 0xb7, 0x7a, ruleUnit) // movzx edi, word [rdx+Unit]
	s.raw(0x80, 0x7a, ruleTimes, 1)   // cmp byte [rdx+Times], Result
	once := s.near(below)
	argument := s.near(above)
	s.raw(0x48, 0x8b, 0x71, recordGPR+8*byte(x86.RDX)) // mov rsi, rdx of the program
	s.raw(0x48, 0x39, 0xc6)                            // cmp rsi, rax
	s.raw(0x48, 0x0f, 0x47, 0xf0)                      // cmova rsi, rax
	s.land(argument)
	s.raw(0x80, 0x7a, ruleTimes, 2) // cmp byte [rdx+Times], Argument
	s.raw(0x48, 0x0f, 0x47, 0xf0)   // cmova rsi, rax
	s.raw(0x48, 0x0f, 0xaf, 0xfe)   // imul rdi, rsi
	s.land(once)
	s.raw(0x0f, 0xb6, 0x52, ruleRegister)    // movzx edx, byte [rdx+Register]
	s.raw(0x48, 0x8b, 0x54, 0xd1, recordGPR) // mov rdx, [rcx+rdx*8+GPR]
	s.inRecord(0x89, x86.RDX, recordAddress)
	s.raw(0x48, 0x85, 0xd2) // test rdx, rdx
	written := s.near(notEqual)
	s.raw(0x31, 0xff) // xor edi, edi
	s.land(written)
	s.land(failed)
	s.inRecord(0x89, x86.RDI, recordLength)
	s.raw(0x48, 0x89, 0xd6)       // mov rsi, rdx
	s.raw(0x49, 0x89, 0xcb)       // mov r11, rcx
	s.raw(0x48, 0x89, 0xf9)       // mov rcx, rdi
	s.raw(0x49, 0x8d, 0xbb)       // lea rdi, [r11+Data]
	s.imm32(recordData)           //
	s.raw(0xfc, 0xf3, 0xa4)       // cld; rep movsb
	s.raw(0x4c, 0x89, 0xd9)       // mov rcx, r11
	s.raw(0x48, 0x83, 0xc7, 7)    // add rdi, 7
	s.raw(0x48, 0x83, 0xe7, 0xf8) // and rdi, -8
}

// jumpLater adds a jump of which the target is not known yet, and returns its place.
func (s *bufferStub) jumpLater() int {
	s.raw(0xe9)
	s.imm32(0)
	return len(s.code)
}

// refuse restores all registers and leaves the block.
func (s *bufferStub) refuse() {
	for _, jump := range s.refused {
		s.land(jump)
	}
	s.restoreFlags()
	for _, r := range []x86.Reg{x86.RAX, x86.RDX, x86.RSI, x86.RDI, x86.R11} {
		s.restore(r)
	}
	s.load(x86.RCX, contextSite)
	s.raw(0x48, 0x8d, 0x49, siteRefused) // lea rcx, [rcx+siteRefused]
	s.store(x86.RCX, contextFound)
	s.jumpField(contextFound)
}

// buffered adds a system call that the stub makes. The block's record of it is in the cold
// code.
func (t *translation) buffered(in *x86.Inst) {
	t.mark(0)
	t.hot.save(x86.RCX)
	t.mark(1 << x86.RCX)
	t.hot.raw(0x48, 0x8d) // lea rcx, [record]
	t.hot.relocated(x86.RCX, t.cold.address(), 0)
	t.hot.jump(t.Stubs + stubBuffer)
	t.cold.imm64(in.Next())
	t.cold.jump(t.hot.address())
	t.cold.restore(x86.RCX)
	t.exit(Exit{Kind: ExitCall, Target: in.PC, Undone: 1})
	t.direct(in.Next())
}
