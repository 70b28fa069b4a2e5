package recording

import (
	"context"
	"fmt"

	"github.com/triptych-mcp/triptych/debugger/internal/record/inplace"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recfile"
	"github.com/triptych-mcp/triptych/debugger/internal/record/replay"
)

// native executes an instruction that is not translated, and records its result if that
// is an input.
func (r *recorder) native() (inplace.Stop, error) {
	in, err := replay.NextInstruction(r.run)
	if err == nil && !replay.IsInput(&in) && !replay.Deterministic(&in) {
		return inplace.Stop{}, cutError(fmt.Sprintf("the instruction %s at %#x cannot be recorded", in.Name(), r.run.Regs.RIP))
	}
	before, e := r.run.Regs, r.log.event(recfile.Native)
	stop, stepped := r.run.Step(context.Background())
	if stepped == nil && stop.Kind == inplace.Done && isAtomic(&in) {
		r.turns.cutAtAtomic()
	}
	if stepped != nil || stop.Kind != inplace.Done || err != nil || !replay.IsInput(&in) {
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
	if e.Vector, err = replay.VectorState(r.tracer, r.run.Thread()); err != nil {
		return stop, err
	}
	r.log.extra++
	r.log.current.handled = true
	return stop, r.log.add(&e, before)
}
