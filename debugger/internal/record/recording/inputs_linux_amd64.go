package recording

import (
	"context"
	"fmt"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
	"github.com/triptych-mcp/triptych/debugger/internal/record/inplace"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recfile"
)

// inputs lists the instructions whose results are inputs.
var inputs = map[string]bool{
	"cpuid": true, "rdtsc": true, "rdtscp": true, "rdpmc": true, "rdpru": true, "rdpid": true, "rdrand": true,
	"rdseed": true, "xgetbv": true, "str": true, "smsw": true, "lsl": true, "lar": true, "sldt": true,
	"umwait": true, "tpause": true, "xbegin": true,
}

// deterministic reports whether registers and memory determine what a native
// instruction does.
func deterministic(in *x86.Inst) bool {
	switch {
	case inputs[in.Name()], entersKernel(in), loadsSegment(in):
		return false
	case in.Class.Is(x86.Barrier) || in.Class.Is(x86.Privileged):
		return in.Class.Is(x86.Privileged) // it raises an exception
	}
	return true
}

// loadsSegment reports whether an instruction may load ss. After that the processor
// executes another instruction before a step ends.
func loadsSegment(in *x86.Inst) bool {
	return in.Name() == "mov" && in.Operand(0).Kind == x86.Elsewhere && !in.Class.Is(x86.Privileged)
}

// entersKernel reports whether an instruction makes a system call, in another way than
// syscall does.
func entersKernel(in *x86.Inst) bool {
	return in.Name() == "int" || in.Name() == "sysenter" || in.Class.Is(x86.Syscall)
}

// instruction decodes the instruction at the program counter.
func instruction(r *inplace.Runner) (x86.Inst, error) {
	var b [x86.MaxLen]byte
	n, _ := r.Memory().Read(r.Regs.RIP, b[:])
	return x86.Decode(b[:n], r.Regs.RIP)
}

// native executes an instruction that is not translated, and records its result if that
// is an input.
func (r *recorder) native() (inplace.Stop, error) {
	in, err := instruction(r.run)
	if err == nil && !inputs[in.Name()] && !deterministic(&in) {
		return inplace.Stop{}, cutError(fmt.Sprintf("the instruction %s at %#x cannot be recorded", in.Name(), r.run.Regs.RIP))
	}
	before, e := r.run.Regs, r.log.event(recfile.Native)
	stop, stepped := r.run.Step(context.Background())
	if stepped == nil && stop.Kind == inplace.Done && isAtomic(&in) {
		r.turns.cutAtAtomic()
	}
	if stepped != nil || stop.Kind != inplace.Done || err != nil || !inputs[in.Name()] {
		return stop, stepped
	}
	return stop, r.log.add(&e, before)
}

// signal delivers a signal and records the frame that the kernel has written for its
// handler.
func (r *recorder) signal() (inplace.Stop, error) {
	info := r.run.SigInfo()
	if dropped, err := r.stretch.signal(r, info); dropped || err != nil {
		return inplace.Stop{Kind: inplace.Done}, err
	}
	if r.late.postpone(&info) {
		return inplace.Stop{Kind: inplace.Done}, nil
	}
	before, e := r.run.Regs, r.log.event(recfile.Signal)
	e.Number = uint64(info.Signal())
	stop, err := r.run.Deliver()
	if err != nil || stop.Kind != inplace.Done {
		return stop, err
	}
	if r.run.Regs == before { // it was dropped
		return stop, nil
	}
	frame, err := r.effects.frame()
	if err != nil {
		return stop, err
	}
	e.Writes = []recfile.Write{frame}
	if e.Vector, err = vectorState(r.tracer, r.run.Thread()); err != nil {
		return stop, err
	}
	r.log.extra++
	r.log.current.handled = true
	return stop, r.log.add(&e, before)
}
