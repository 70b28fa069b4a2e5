package stepping

import (
	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
)

// A segment is the code that a thread runs until the walk has arrived, or the
// thread has called a function or returned from one. As a line may loop
// millions of times, each instruction is decoded and looked up once.
type segment struct {
	w      *lineWalk
	thread int
	at     instr // of the next instruction

	by instr // after its end: of the instruction that has led there
}

// An instr is an instruction on the way of a walk.
type instr struct {
	class   x86.Class
	next    uint64 // address of the following instruction
	arrived bool   // reports whether the walk has arrived
}

// is reports whether the instruction is of a class.
func (p instr) is(class x86.Class) bool { return p.class.Is(class) }

// segment begins a segment at the next instruction of the current thread.
func (w *lineWalk) segment(pc uint64) (*segment, error) {
	thread, err := w.s.Target.View.CurrentThread()
	return &segment{w: w, thread: thread, at: w.instrAt(pc)}, err
}

// instrAt returns the instruction at an address, decoding it the first time.
func (w *lineWalk) instrAt(pc uint64) instr {
	p, known := w.instrs[pc]
	if !known {
		in := w.s.Inspector.Instruction(pc)
		p = instr{class: in.Class, next: in.Next(), arrived: w.arrive(pc)}
		w.instrs[pc] = p
	}
	return p
}

// done reports whether a step has ended the segment. Steps of other threads,
// made while this one waits in the kernel, do not count.
func (st *segment) done(v *history.View) bool {
	if v.Thread() != st.thread {
		return false
	}
	pc := v.PC()
	st.by, st.at = st.at, st.w.instrAt(pc)
	return st.at.arrived || st.by.is(x86.Return) || st.by.is(x86.Call) && pc != st.by.next
}
