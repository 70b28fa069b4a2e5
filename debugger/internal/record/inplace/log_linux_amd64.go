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
}

// A Log says which instructions are logged.
type Log struct {
	// Wanted reports whether an instruction is logged when it leads to another one than the
	// next, or whenever it is executed.
	Wanted func(in *x86.Inst) (jumps, always bool)
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

// Log makes the Runner log instructions from now on. It is for a Runner of a replay.
func (r *Runner) Log(l Log) error {
	if r.buffers() {
		return errors.New("the buffer is in use")
	}
	r.log = &logging{Log: l}
	r.cache.Log = l.Wanted
	r.Forget()
	r.clearLog()
	return nil
}

// clearLog makes the log empty. The thread must be outside of the cache.
func (r *Runner) clearLog() {
	here, there := r.shared.buffer()
	r.context().SetLog(there, len(here)/translate.EntrySize)
	r.log.read = 0
}

var errLog = errors.New("the program has changed the log of its branches")

// readLog reads what was logged since the last call.
func (r *Runner) readLog() error {
	here, there := r.shared.buffer()
	length := r.context().Logged() - there
	if length > uint64(len(here)) || length < r.log.read || length%translate.EntrySize != 0 {
		return errLog
	}
	for ; r.log.read < length; r.log.read += translate.EntrySize {
		var e translate.Entry
		e.Decode(here[r.log.read:][:translate.EntrySize])
		r.addLogged(Logged{r.executed + r.quantum - e.Left, e.PC, e.SP, e.Next, e.NextSP})
	}
	return nil
}

// addLogged adds an entry. It replaces one of the same instruction, which the thread began but has
// not executed.
func (r *Runner) addLogged(l Logged) {
	if r.log.is && r.log.pending.Executed < l.Executed {
		r.log.Each(&r.log.pending)
	}
	r.log.pending, r.log.is = l, true
}

// endLog passes the last entry on, when a Run has ended, if the instruction was executed.
func (r *Runner) endLog() {
	if r.log == nil || !r.log.is {
		return
	}
	if r.log.is = false; r.log.pending.Executed < r.executed {
		r.log.Each(&r.log.pending)
	}
}

// logStep logs the instruction at Regs.RIP, which is executed in its original place. The function
// that it returns is called afterwards.
func (r *Runner) logStep() (executed func()) {
	if r.log == nil {
		return func() {}
	}
	in, err := r.instruction()
	if err != nil {
		return func() {}
	}
	jumps, always := r.log.Wanted(&in)
	l := Logged{Executed: r.executed, PC: r.Regs.RIP, SP: r.Regs.RSP}
	return func() {
		if l.Next, l.NextSP = r.Regs.RIP, r.Regs.RSP; r.executed > l.Executed && (always || jumps && l.Next != in.Next()) {
			r.log.Each(&l)
		}
	}
}

// instruction returns the instruction at Regs.RIP.
func (r *Runner) instruction() (x86.Inst, error) {
	var b [x86.MaxLen]byte
	n, _ := r.memory.Read(r.Regs.RIP, b[:])
	return x86.Decode(b[:n], r.Regs.RIP)
}
