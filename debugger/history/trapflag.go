package history

import (
	"encoding/binary"
	"errors"

	"github.com/triptych-mcp/triptych/debugger/proc"
	"github.com/triptych-mcp/triptych/debugger/ptrace"
)

// After a step over popf Linux takes the trap flag, with which it makes steps,
// for the program's own: it shows in the registers from then on, and stays when
// the process is let go, which would kill it. So the flag is left out of what
// is recorded and taken back after the steps, unless the program has set it.
// See enable_single_step in arch/x86/kernel/step.c.

// trapFlags says of threads whose trap flag shows whether it is the program's.
type trapFlags map[int]bool

// popping looks at the flags that an instruction is about to load.
func (r *Recorder) popping(id int, regs *ptrace.Regs) {
	var b [8]byte
	if n, _ := r.target.ReadMemory(regs.RSP, b[:]); n == len(b) {
		delete(r.traps, id)
		if binary.LittleEndian.Uint64(b[:])&ptrace.TrapFlag != 0 {
			r.traps[id] = true
		}
	}
}

// shown are the registers as the program would see them.
func (r *Recorder) shown(id int, regs *ptrace.Regs) ptrace.Regs {
	shown := *regs
	if shown.EFlags&ptrace.TrapFlag != 0 && !r.traps[id] {
		r.traps[id] = false
		shown.EFlags &^= ptrace.TrapFlag
	}
	return shown
}

// hideTraps takes flags back that are not the program's.
func (r *Recorder) hideTraps() error {
	var errs error
	for id, own := range r.traps {
		if own {
			continue
		}
		delete(r.traps, id)
		regs, err := r.target.Regs(id)
		if err == nil && regs.EFlags&ptrace.TrapFlag != 0 {
			regs.EFlags &^= ptrace.TrapFlag
			err = r.target.SetRegs(id, regs)
		}
		if err != nil && !errors.Is(err, proc.ErrNoThread) && !errors.Is(err, proc.ErrExited) {
			errs = errors.Join(errs, err)
		}
	}
	return errs
}
