package debugger

import (
	"github.com/triptych-mcp/triptych/debugger/internal/history"
	"github.com/triptych-mcp/triptych/debugger/internal/x86"
)

// A stretch is what a thread does until its walk has arrived, or has called a
// function or returned from one. A line may have a loop of millions of
// instructions: each place is decoded and looked up once.
type stretch struct {
	w      *lineWalk
	thread int
	at     place // of the next instruction

	by place // after its end: of the instruction that has led there
}

// A place is an instruction on the way of a walk.
type place struct {
	class   x86.Class
	next    uint64 // the address behind it
	arrived bool   // the walk is where it should be
}

// is says whether the instruction is of a class.
func (p place) is(class x86.Class) bool { return p.class.Is(class) }

// stretch begins one at the address of the current thread's next instruction.
func (w *lineWalk) stretch(pc uint64) (*stretch, error) {
	thread, err := w.s.scene.CurrentThread()
	return &stretch{w: w, thread: thread, at: w.place(pc)}, err
}

// place is what is to be known of an address.
func (w *lineWalk) place(pc uint64) place {
	p, known := w.places[pc]
	if !known {
		in := w.s.instruction(pc)
		p = place{class: in.Class, next: in.Next(), arrived: w.arrive(pc)}
		w.places[pc] = p
	}
	return p
}

// ends says whether a step has ended the stretch. Other threads make steps while
// this one waits in the kernel; those do not count.
func (st *stretch) ends(v *history.View) bool {
	if v.Thread() != st.thread {
		return false
	}
	pc := v.PC()
	st.by, st.at = st.at, st.w.place(pc)
	return st.at.arrived || st.by.is(x86.Return) || st.by.is(x86.Call) && pc != st.by.next
}
