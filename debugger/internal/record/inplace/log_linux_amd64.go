package inplace

import (
	"errors"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/translate"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
)

// A Logged is an instruction that the current thread has executed, see [Runner.Log].
type Logged struct {
	Executed     int64 // instructions before it, see [Runner.Executed]
	PC, SP       uint64
	Next, NextSP uint64

	// Of an instruction of Log.Memory: the address of its memory operand; of a string operation rdi,
	// rsi and rcx.
	Address, Source, Count uint64
}

// A Log says which instructions are logged.
type Log struct {
	// Wanted reports whether an instruction is logged when it leads to another one than the
	// next, or whenever it is executed.
	Wanted func(in *x86.Inst) (jumps, always bool)
	// Memory, in place of Wanted, reports whether the addresses of an instruction's memory are logged,
	// see translate.Request.LogMemory.
	Memory func(in *x86.Inst) bool
	// Each is called with the instructions in their order, before Run and Step return or
	// earlier.
	Each func(l *Logged)
}

// logging is the state of a Log.
type logging struct {
	Log
	read    uint64 // bytes of the buffer that were read
	pending Logged // the last entry, which may be that of an instruction that was not executed
	is      bool   // there is one
}

// An instructionLog logs instructions.
type instructionLog struct {
	runner *Runner
	state  *logging // or nil
}

// Log makes the Runner log instructions from now on. It is for a Runner of a replay.
func (r *Runner) Log(l Log) error {
	if r.Buffer.used() {
		return errors.New("the buffer is in use")
	}
	r.log.state = &logging{Log: l}
	r.space.cache.Log, r.space.cache.LogMemory = l.Wanted, l.Memory
	r.Forget()
	r.log.clear()
	return nil
}

// clear makes the log empty. The thread must be outside of the cache.
func (il *instructionLog) clear() {
	here, there := il.runner.space.shared.buffer()
	il.runner.space.context().SetLog(there, len(here)/translate.EntrySize)
	il.state.read = 0
}

var errLog = errors.New("the program has changed the log of its branches")

// read reads what was logged since the last call.
func (il *instructionLog) read() error {
	here, there := il.runner.space.shared.buffer()
	length := il.runner.space.context().Logged() - there
	if length > uint64(len(here)) || length < il.state.read || length%translate.EntrySize != 0 {
		return errLog
	}
	for ; il.state.read < length; il.state.read += translate.EntrySize {
		var e translate.Entry
		e.Decode(here[il.state.read:][:translate.EntrySize])
		if e.HasSource {
			il.state.pending.Source, il.state.pending.Count = e.Source, e.Count
			continue
		}
		executed := il.runner.translated.executed + il.runner.translated.quantum - e.Left
		il.add(Logged{Executed: executed, PC: e.PC, SP: e.SP, Next: e.Next, NextSP: e.NextSP, Address: e.Address})
	}
	return nil
}

// add adds an entry. It replaces one of the same instruction, which the thread began but has
// not executed.
func (il *instructionLog) add(l Logged) {
	if il.state.is && il.state.pending.Executed < l.Executed {
		il.state.Each(&il.state.pending)
	}
	il.state.pending, il.state.is = l, true
}

// end passes the last entry on, when a Run has ended, if the instruction was executed.
func (il *instructionLog) end() {
	if il.state == nil || !il.state.is {
		return
	}
	if il.state.is = false; il.state.pending.Executed < il.runner.translated.executed {
		il.state.Each(&il.state.pending)
	}
}

// step logs the instruction at Regs.RIP, which is executed in its original place. The function
// that it returns is called afterwards.
func (il *instructionLog) step() (executed func()) {
	if il.state == nil {
		return func() {}
	}
	in, err := il.runner.space.instruction()
	if err != nil {
		return func() {}
	}
	if il.state.Memory != nil {
		return il.memory(&in)
	}
	jumps, always := il.state.Wanted(&in)
	l := Logged{Executed: il.runner.translated.executed, PC: il.runner.Regs.RIP, SP: il.runner.Regs.RSP}
	return func() {
		if l.Next, l.NextSP = il.runner.Regs.RIP, il.runner.Regs.RSP; il.runner.translated.executed > l.Executed && (always || jumps && l.Next != in.Next()) {
			il.state.Each(&l)
		}
	}
}

// memory is step for the addresses of memory.
func (il *instructionLog) memory(in *x86.Inst) (executed func()) {
	if !il.state.Memory(in) {
		return func() {}
	}
	r := il.runner
	regs := r.addressing()
	l := Logged{
		Executed: r.translated.executed, PC: r.Regs.RIP, SP: r.Regs.RSP,
		Address: in.Addr(&regs), Source: r.Regs.RSI, Count: r.Regs.RCX,
	}
	if translate.IsString(in) {
		l.Address = r.Regs.RDI
	}
	return func() {
		if r.translated.executed > l.Executed {
			il.state.Each(&l)
		}
	}
}

// addressing returns the registers that addresses depend on.
func (r *Runner) addressing() x86.Regs {
	regs := x86.Regs{FSBase: r.Regs.FSBase, GSBase: r.Regs.GSBase}
	for n, value := range generalRegisters(&r.Regs) {
		regs.GPR[n] = *value
	}
	return regs
}

// instruction returns the instruction at Regs.RIP.
func (cs *codeSpace) instruction() (x86.Inst, error) {
	var b [x86.MaxLen]byte
	n, _ := cs.runner.memory.Read(cs.runner.Regs.RIP, b[:])
	return x86.Decode(b[:n], cs.runner.Regs.RIP)
}
