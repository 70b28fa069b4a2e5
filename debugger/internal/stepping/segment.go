package stepping

import (
	"github.com/triptych-mcp/triptych/debugger/internal/history"
	"github.com/triptych-mcp/triptych/debugger/internal/x86"
)

// A segment is what a thread does until its walk has arrived, or has called a
// function or returned from one. A line may have a loop of millions of
// instructions: each place is decoded and looked up once.
type segment struct {
	w      *lineWalk
	thread int
	at     instr // of the next instruction

	by instr // after its end: of the instruction that has led there
}

// A instr is an instruction on the way of a walk.
type instr struct {
	class   x86.Class
	next    uint64 // the address behind it
	arrived bool   // the walk is where it should be
}

// is says whether the instruction is of a class.
func (p instr) is(class x86.Class) bool { return p.class.Is(class) }

// segment begins one at the address of the current thread's next instruction.
func (w *lineWalk) segment(pc uint64) (*segment, error) {
	thread, err := w.s.View.CurrentThread()
	return &segment{w: w, thread: thread, at: w.instrAt(pc)}, err
}

// instrAt is what is to be known of an address.
func (w *lineWalk) instrAt(pc uint64) instr {
	p, known := w.instrs[pc]
	if !known {
		in := w.s.Instruction(pc)
		p = instr{class: in.Class, next: in.Next(), arrived: w.arrive(pc)}
		w.instrs[pc] = p
	}
	return p
}

// done says whether a step has ended the stretch. Other threads make steps while
// this one waits in the kernel; those do not count.
func (st *segment) done(v *history.View) bool {
	if v.Thread() != st.thread {
		return false
	}
	pc := v.PC()
	st.by, st.at = st.at, st.w.instrAt(pc)
	return st.at.arrived || st.by.is(x86.Return) || st.by.is(x86.Call) && pc != st.by.next
}
