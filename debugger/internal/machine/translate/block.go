package translate

import (
	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
)

// A Fetcher copies code of the program into b and returns the number of bytes that
// can be executed from addr on.
type Fetcher func(addr uint64, b []byte) int

// decode returns the instruction at an address and its bytes.
func (f Fetcher) decode(pc uint64) (x86.Inst, []byte, error) {
	return f.decodeInto(make([]byte, x86.MaxLen), pc)
}

// decodeInto is decode with memory for the bytes.
func (f Fetcher) decodeInto(b []byte, pc uint64) (x86.Inst, []byte, error) {
	n := f(pc, b)
	in, err := x86.Decode(b[:n], pc)
	return in, b[:in.Len], err
}

// decodeText is Fetcher.decode for a planned instruction, with fewer allocations.
func (t *translation) decodeText(p *planned, f Fetcher, pc uint64) (err error) {
	if cap(t.text)-len(t.text) < x86.MaxLen {
		t.text = make([]byte, 0, 32*x86.MaxLen)
	}
	b := t.text[len(t.text) : len(t.text)+x86.MaxLen]
	n := f(pc, b)
	p.in, err = x86.Decode(b[:n], pc)
	t.text = t.text[:len(t.text)+int(p.in.Len)]
	p.code = b[:p.in.Len:p.in.Len]
	return err
}

// maxInstructions is the number of instructions of the longest block. It is an
// 8-bit immediate.
const maxInstructions = 100

// A Request describes a block to be translated.
type Request struct {
	PC    uint64
	Fetch Fetcher
	// Variable, unless nil, fetches code that Fetch does not, because the program may
	// change it. The block compares it with what is there before it executes it.
	Variable Fetcher
	// Copy says that the first instruction is copied if it is [Copyable].
	Copy bool
	// Hot and Cold are the addresses at which the code will be, and Stubs is that of
	// the result of [Stubs], with context and tables before it. They must be less than
	// 2 GiB apart.
	Hot, Cold, Stubs uint64
	// HotRoom and ColdRoom, unless nil, are memory of MaxCode bytes where the code is put.
	// Otherwise the block gets memory of its own.
	HotRoom, ColdRoom []byte
	// FirstExit is the number of the block's first exit. Further ones follow.
	FirstExit uint32
	// Dead has DeadFlags of addresses, as far as they were needed; nil is for a single
	// block. It is valid as long as the code does not change.
	Dead map[uint64]uint64
	// InPlace, unless nil, reports whether an instruction that could be translated is executed in its
	// original place.
	InPlace func(in *x86.Inst) bool

	// Limit is the number of instructions of the longest block. 0 means the largest
	// possible limit.
	Limit int
	// Compact says that the block ends at its first branch, unless that is a loop to its
	// start. Code behind a branch is then not translated again for each way to it.
	Compact bool
	// Buffered says that the process may make system calls without a stop, by the rules of
	// [Stubs], and records them in a buffer. A thread that makes no calls at all, as that of
	// a replay, has no use for it.
	Buffered bool
	// Once says that the block is executed only if there are Limit instructions left. It does
	// not check that, and ends at an indirect branch with an exit.
	Once bool
	// Stops reports whether the program stops before the instruction at an address, as
	// it does before one that the processor must execute in its original place. It is
	// not asked for PC itself if Passes is true. A nil Stops reports false.
	Stops  func(pc uint64) bool
	Passes bool
	// Log, unless nil, reports whether an instruction is logged when it leads to another one
	// than the next, or whenever it is executed, see [Entry].
	Log func(in *x86.Inst) (jumps, always bool)
	// LogMemory, unless nil, reports whether the address of an instruction's memory is logged
	// whenever it is executed. It must be no branch, and its operand in no segment, not of 32-bit
	// addresses and none of a vector of indexes.
	LogMemory func(in *x86.Inst) bool
}

// MaxCode is the size of the largest block's hot or cold code in bytes.
const MaxCode = 16 << 10

// A Block is a translated run of instructions.
type Block struct {
	PC        uint64
	Count     int    // instructions
	Hot, Cold []byte // code; the cold part is executed rarely
	Exits     []Exit
	Returns   []uint64 // addresses behind its calls
	Positions []Position
}

// An ExitKind says why a block is left.
type ExitKind uint8

// The kinds of exits.
const (
	ExitBranch   ExitKind = iota // the branch at Link leads to an address without translation
	ExitLeft                     // fewer instructions are left than the rest of the block and Reserve
	ExitNative                   // the processor must execute the instruction in its original place
	ExitIndirect                 // the target of the indirect branch at Target is in no table; the branch is counted
	ExitJump                     // the same, and the branch is executed: to the address in the context
	ExitChanged                  // the code is not what was translated; the block has not begun
	ExitCall                     // the system call at Target is not one to be made without a stop; it is counted
	ExitLog                      // the log is full; see Request.Log
)

// An Exit is a way out of a block.
type Exit struct {
	Kind   ExitKind
	Target uint64 // address at which the program continues
	// Link is the address of the 32-bit distance of the jump that leads to this exit.
	// It may be changed to lead to the translation of Target. Of an exit of kind
	// ExitChanged, it is an address to which the first instruction of the block may be
	// made to jump.
	Link uint64
	// Undone is the number of counted instructions that were not executed.
	Undone  int
	Popped  uint32 // bytes that a return has taken from the stack
	Counter uint8  // of the context, by an exit of kind ExitLeft
	Rare    bool   // it is not worth while to translate the code at Target before the exit is reached
}

// A Position says to which instruction a part of the hot code belongs.
type Position struct {
	Offset   uint32 // in Hot, of the first byte
	Undone   int8   // counted instructions that were not executed; negative if others were that are not counted
	Counting bool   // the code counts, or goes where a jump leads
	Saved    uint16 // set of general registers whose values are saved in the context
	PC       uint64
}

// A translation is a block under construction:
//
//	Translate
//	├─ plan      which instructions, see plan.go
//	├─ verify    code that may have changed, see verify.go
//	├─ count     numbers of instructions, see count.go
//	├─ add       copies; branches in the middle of the block
//	└─ branch    at its end: direct, conditional, indirect; or an exit
type translation struct {
	Request
	hot, cold section
	block     Block
	planned   []planned
	returns   []uint64 // addresses behind calls of the block to functions in which it continues
	text      []byte   // the planned instructions
	current   int      // index in planned
	counter   uint8    // of Left, the next or the last one
	counted   int      // instructions that are counted before the current one is executed
	end       uint64   // where the program continues behind the planned instructions
	native    bool     // before an instruction that is executed in its original place, or a stop
	full      []logFull
}

// Translate translates the block that begins at r.PC. It ends with a branch, before an
// instruction that the processor must execute in its original place, or when it is
// long enough.
func Translate(r Request) Block {
	t := &translation{
		Request: r, hot: section{base: r.Hot, arena: r.Stubs}, cold: section{base: r.Cold, arena: r.Stubs},
		block: Block{PC: r.PC},
	}
	if t.Limit <= 0 || t.Limit > maxInstructions {
		t.Limit = maxInstructions
	}
	if t.Log != nil {
		t.Limit = min(t.Limit, maxLogged)
	}
	if t.LogMemory != nil {
		t.Limit = min(t.Limit, maxLoggedTwice)
	}
	memory, _ := scratches.Get().(*scratch) // there is nothing else in it
	t.begin(memory)
	t.plan()
	t.placeCounts()
	t.block.Count = len(t.planned)
	t.verify()
	ended := false
	for n := range t.planned {
		t.current = n
		if n > 0 && t.planned[n].counting.number > 0 {
			t.mark(0)
		}
		t.count(&t.planned[n])
		ended = t.add(&t.planned[n])
	}
	switch {
	case ended:
	case t.native:
		t.hot.jump(t.cold.address())
		t.exit(Exit{Kind: ExitNative, Target: t.end})
	default:
		t.direct(t.end)
	}
	t.exitFull()
	return t.finish(memory)
}

// Continuation returns the address at which the program continues after the hot code,
// and the length of the hot code without the jump to it. If the translation of that
// address follows there, the jump is not needed.
func (b *Block) Continuation(hot uint64) (pc uint64, length int, ok bool) {
	end := hot + uint64(len(b.Hot))
	for _, e := range b.Exits {
		if e.Kind == ExitBranch && e.Link == end-4 && b.Hot[len(b.Hot)-5] == 0xe9 {
			return e.Target, len(b.Hot) - 5, true
		}
	}
	return 0, 0, false
}

// mark begins a part of the hot code that belongs to the current instruction, with
// the given registers saved.
func (t *translation) mark(saved uint16) {
	t.markAt(t.planned[t.current].in.PC, t.undone(), saved)
}

// markAt begins a part of the hot code that belongs to the instruction at an address, before which so
// many of the counted ones are not executed.
func (t *translation) markAt(pc uint64, undone int, saved uint16) {
	t.block.Positions = append(t.block.Positions, Position{Offset: uint32(len(t.hot.code)), Undone: int8(undone), Saved: saved, PC: pc})
}

// markCounting begins a part of the hot code that is not a copy of the current instruction, nor
// faults like it.
func (t *translation) markCounting() {
	t.mark(0)
	t.block.Positions[len(t.block.Positions)-1].Counting = true
}

// exit adds the cold code of an exit.
func (t *translation) exit(e Exit) {
	t.cold.storeTarget(e.Target)
	t.cold.storeWord(t.FirstExit+uint32(len(t.block.Exits)), contextExit)
	t.cold.jump(t.Stubs + stubExit)
	t.block.Exits = append(t.block.Exits, e)
}

// direct ends the block with a jump to an address.
func (t *translation) direct(pc uint64) {
	t.hot.jump(t.cold.address())
	t.exit(Exit{Kind: ExitBranch, Target: pc, Link: t.hot.address() - 4})
}

// add adds an instruction, and reports whether it ends the block.
func (t *translation) add(p *planned) bool {
	in := &p.in
	t.log(p)
	switch {
	case isSyscall(in) && t.Buffered:
		t.buffered(in)
	case isSyscall(in):
		t.call(p.code)
		t.hot.loadImmediate(x86.RCX, in.Next())
		t.leaveFor(in.Next())
	case in.Class&branches != 0 && t.current < len(t.planned)-1:
		t.passBranch(p)
		return false
	case in.Class&branches != 0:
		t.branch(p)
	case isRelative(in):
		t.copyRelative(in, p.code)
		t.logSP(p)
		return false
	default:
		t.mark(0)
		t.hot.raw(p.code...)
		if t.Buffered && writesBase(in, p.code) {
			t.hot.storeWord(0, contextBuffered) // the records have no bases
		}
		t.logSP(p)
		return false
	}
	return true
}

// noSyscall is the result of a system call that does not exist, or that the kernel has
// not made because of a tracer: -ENOSYS.
const noSyscall = -38

// leaveFor ends the block with a jump to the program's own code. It uses no context, which
// a process and the child that a system call has made would share.
func (t *translation) leaveFor(pc uint64) {
	t.hot.raw(0xff, 0x25) // jmp [rip+d]
	t.hot.relative(t.cold.address())
	t.cold.imm64(pc)
}

// call adds a system call. A tracer stops the thread there, makes the call and lets it
// continue elsewhere. If it dies in between, the kernel does not make the call, so that
// it is made again.
func (t *translation) call(code []byte) {
	t.hot.save(x86.RAX)
	t.hot.save(x86.RCX) // the processor changes it, and r11
	t.hot.save(x86.R11)
	t.mark(1<<x86.RCX | 1<<x86.R11)
	t.hot.raw(code...)
	t.hot.raw(0x48, 0x8d, 0x88) // lea rcx, [rax-result]
	t.hot.imm32(uint32(-noSyscall))
	t.hot.raw(0xe3, 2)                             // jrcxz over the jump
	t.hot.raw(0xeb, byte(restoreLength+len(code))) // jmp over the second call
	t.hot.restore(x86.RAX)
	t.hot.raw(code...)
}
