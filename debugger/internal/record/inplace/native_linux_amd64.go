package inplace

import (
	"context"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/translate"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
)

// native steps in the program's own code.
type native struct {
	runner  *Runner
	copying bool // Step executes a copy of the instruction
}

// Step executes the instruction at Regs.RIP in its original place, or a copy of it if it
// does the same everywhere. The kind of the Stop is Done if it was executed. A repeated
// string operation takes a step per iteration. If ctx is done before the last one, the error
// is that of ctx, and the instruction is not counted.
func (r *Runner) Step(ctx context.Context) (Stop, error) {
	if r.native.copyable() {
		return r.native.stepCopy(ctx)
	}
	logged := r.log.step()
	defer logged()
	return r.orEnd(r.native.stepWhole(ctx))
}

// copyable reports whether a copy of the instruction at Regs.RIP can be executed. The
// program then survives the end of this one.
func (nt *native) copyable() bool {
	var b [x86.MaxLen]byte
	n, _ := nt.runner.memory.Read(nt.runner.Regs.RIP, b[:])
	in, err := x86.Decode(b[:n], nt.runner.Regs.RIP)
	if err != nil || !translate.Copyable(&in) || nt.runner.Regs.CS != longMode {
		return false
	}
	code := b[:in.Len]
	return nt.runner.space.code.fetch(nt.runner.Regs.RIP, code) == len(code) || nt.runner.space.code.fetchVariable(nt.runner.Regs.RIP, code) == len(code)
}

// stepCopy executes a copy of the instruction at Regs.RIP in the cache.
func (nt *native) stepCopy(ctx context.Context) (Stop, error) {
	nt.copying = true
	defer func() { nt.copying = false }()
	for before := nt.runner.translated.executed; ; {
		stop, err := nt.runner.Run(ctx, 1)
		if err != nil || stop.Kind != Done || nt.runner.translated.executed != before {
			return stop, err
		}
		if err := ctx.Err(); err != nil {
			return Stop{}, err
		}
	}
}

func (nt *native) stepWhole(ctx context.Context) (Stop, error) {
	for {
		before := nt.runner.Regs.RIP
		stop, err := nt.stepOnce()
		if stop.Kind != Done || err != nil {
			return stop, err
		}
		if err := nt.runner.Watch.noteStep(); err != nil {
			return stop, err
		}
		if nt.runner.Regs.RIP != before || !nt.repeats() {
			nt.runner.translated.executed++
			nt.runner.ClearDeadFlags()
			return stop, nil
		}
		if err := ctx.Err(); err != nil {
			return Stop{}, err
		}
	}
}

// repeats reports whether the instruction at Regs.RIP is a repeated string operation,
// of which a step executes one iteration.
func (nt *native) repeats() bool {
	var b [x86.MaxLen]byte
	n, _ := nt.runner.memory.Read(nt.runner.Regs.RIP, b[:])
	in, err := x86.Decode(b[:n], nt.runner.Regs.RIP)
	return err == nil && in.Class.Is(x86.Repeat)
}

// codeCallEnd is the si_code (TRAP_BRKPT) of the SIGTRAP with which a step from the
// stop at a system call ends at once: at the end of that call. Only int1 has it, too, and
// leaves RIP behind itself.
const codeCallEnd = 1

func (nt *native) stepOnce() (Stop, error) {
	before, flags := nt.runner.Regs.RIP, nt.runner.Regs.EFlags
	if err := nt.step(); err != nil {
		return Stop{}, err
	}
	event, err := nt.runner.translated.next(context.Background())
	if err != nil {
		return Stop{}, err
	}
	if event.Kind != ptrace.SignalStop || event.Signal != unix.SIGTRAP {
		stop, _, err := nt.runner.translated.handle(event)
		if stop.Kind == 0 && err == nil { // an event stop, as SIGCONT makes one
			return nt.stepOnce() // if the instruction has been executed, it ends at once
		}
		return stop, err
	}
	if nt.runner.signal, err = nt.runner.tracer.SigInfo(nt.runner.tid); err != nil {
		return Stop{}, err
	}
	if err := nt.runner.tracer.Regs(nt.runner.tid, &nt.runner.Regs); err != nil {
		return Stop{}, err
	}
	if nt.runner.signal.Code() != ptrace.CodeTrace { // the instruction was not executed
		nt.keepTrapFlag(flags)
	}
	if nt.runner.signal.Code() == codeCallEnd && nt.runner.Regs.RIP == before {
		nt.runner.at = atStop
		return nt.stepOnce()
	}
	if nt.runner.signal.Code() != ptrace.CodeTrace { // int3, or a process has sent it
		nt.runner.at = atSignal
		return Stop{Kind: Signal}, nil
	}
	nt.runner.at = atStop
	return Stop{Kind: Done}, nil
}

// step starts a step in the program's own code. SIGTRAP is unblocked meanwhile: the
// kernel would take its handler away. The method next restores the mask.
func (nt *native) step() error {
	const trap = 1 << (unix.SIGTRAP - 1)
	mask, err := nt.runner.tracer.SigMask(nt.runner.tid)
	if err != nil {
		return err
	}
	if mask&trap != 0 {
		if err := nt.runner.tracer.SetSigMask(nt.runner.tid, mask&^trap); err != nil {
			return err
		}
		nt.runner.unmasked, nt.runner.mask = true, mask
	}
	if err := nt.runner.setRegs(); err != nil {
		return err
	}
	if nt.runner.Replays {
		return nt.runner.translated.resume(nt.runner.tracer.StepEmulated, 0)
	}
	return nt.runner.translated.resume(nt.runner.tracer.Step, 0)
}
