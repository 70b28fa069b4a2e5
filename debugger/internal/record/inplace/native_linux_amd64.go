package inplace

import (
	"context"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/translate"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
)

// Step executes the instruction at Regs.RIP in its original place, or a copy of it if it
// does the same everywhere. The kind of the Stop is Done if it was executed. A repeated
// string operation takes a step per iteration. If ctx is done before the last one, the error
// is that of ctx, and the instruction is not counted.
func (r *Runner) Step(ctx context.Context) (Stop, error) {
	if r.copyable() {
		return r.stepCopy(ctx)
	}
	logged := r.logStep()
	defer logged()
	return r.orEnd(r.stepWhole(ctx))
}

// copyable reports whether a copy of the instruction at Regs.RIP can be executed. The
// program then survives the end of this one.
func (r *Runner) copyable() bool {
	var b [x86.MaxLen]byte
	n, _ := r.memory.Read(r.Regs.RIP, b[:])
	in, err := x86.Decode(b[:n], r.Regs.RIP)
	if err != nil || !translate.Copyable(&in) || r.Regs.CS != longMode {
		return false
	}
	code := b[:in.Len]
	return r.code.fetch(r.Regs.RIP, code) == len(code) || r.code.fetchVariable(r.Regs.RIP, code) == len(code)
}

// stepCopy executes a copy of the instruction at Regs.RIP in the cache.
func (r *Runner) stepCopy(ctx context.Context) (Stop, error) {
	r.copying = true
	defer func() { r.copying = false }()
	for before := r.executed; ; {
		stop, err := r.Run(ctx, 1)
		if err != nil || stop.Kind != Done || r.executed != before {
			return stop, err
		}
		if err := ctx.Err(); err != nil {
			return Stop{}, err
		}
	}
}

func (r *Runner) stepWhole(ctx context.Context) (Stop, error) {
	for {
		before := r.Regs.RIP
		stop, err := r.stepOnce()
		if stop.Kind != Done || err != nil {
			return stop, err
		}
		if err := r.noteStep(); err != nil {
			return stop, err
		}
		if r.Regs.RIP != before || !r.repeats() {
			r.executed++
			r.ClearDeadFlags()
			return stop, nil
		}
		if err := ctx.Err(); err != nil {
			return Stop{}, err
		}
	}
}

// repeats reports whether the instruction at Regs.RIP is a repeated string operation,
// of which a step executes one iteration.
func (r *Runner) repeats() bool {
	var b [x86.MaxLen]byte
	n, _ := r.memory.Read(r.Regs.RIP, b[:])
	in, err := x86.Decode(b[:n], r.Regs.RIP)
	return err == nil && in.Class.Is(x86.Repeat)
}

// codeCallEnd is the si_code (TRAP_BRKPT) of the SIGTRAP with which a step from the
// stop at a system call ends at once: at the end of that call.
const codeCallEnd = 1

func (r *Runner) stepOnce() (Stop, error) {
	before, flags := r.Regs.RIP, r.Regs.EFlags
	if err := r.step(); err != nil {
		return Stop{}, err
	}
	event, err := r.next(context.Background())
	if err != nil {
		return Stop{}, err
	}
	if event.Kind != ptrace.SignalStop || event.Signal != unix.SIGTRAP {
		stop, _, err := r.handle(event)
		if stop.Kind == 0 && err == nil { // an event stop, as SIGCONT makes one
			return r.stepOnce() // if the instruction has been executed, it ends at once
		}
		return stop, err
	}
	if r.signal, err = r.tracer.SigInfo(r.tid); err != nil {
		return Stop{}, err
	}
	if err := r.tracer.Regs(r.tid, &r.Regs); err != nil {
		return Stop{}, err
	}
	if r.signal.Code() != ptrace.CodeTrace { // the instruction was not executed
		r.keepTrapFlag(flags)
	}
	if r.signal.Code() == codeCallEnd && r.Regs.RIP == before && (r.at == atEmulated || r.at == atEntry) {
		r.at = atStop
		return r.stepOnce()
	}
	if r.signal.Code() != ptrace.CodeTrace { // int3, or a process has sent it
		r.at = atSignal
		return Stop{Kind: Signal}, nil
	}
	r.at = atStop
	return Stop{Kind: Done}, nil
}

// step starts a step in the program's own code. SIGTRAP is unblocked meanwhile: the
// kernel would take its handler away. The method next restores the mask.
func (r *Runner) step() error {
	const trap = 1 << (unix.SIGTRAP - 1)
	mask, err := r.tracer.SigMask(r.tid)
	if err != nil {
		return err
	}
	if mask&trap != 0 {
		if err := r.tracer.SetSigMask(r.tid, mask&^trap); err != nil {
			return err
		}
		r.unmasked, r.mask = true, mask
	}
	if err := r.setRegs(); err != nil {
		return err
	}
	if r.Replays {
		return r.resume(r.tracer.StepEmulated, 0)
	}
	return r.resume(r.tracer.Step, 0)
}
