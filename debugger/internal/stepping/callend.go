package stepping

import (
	"github.com/triptych-mcp/triptych/debugger/internal/history"
	"github.com/triptych-mcp/triptych/debugger/internal/inspect"
	"github.com/triptych-mcp/triptych/debugger/internal/x86"
)

// A callEnd watches for the end of a call: it returns to where it was called, or
// an exception or longjmp takes the thread to that function, or to one further
// out, by another way.
type callEnd struct {
	s      *Stepper
	isGo   bool          // the program has Go's runtime
	thread int           // that is in the call
	addr   uint64        // where it returns to
	out    inspect.Level // that it is at then

	// Where the stack pointer is outside the call, on the same stack: from
	// bottom to below top, in no place if both are 0.
	bottom, top uint64
	last        uint64 // where the thread was before

	reached bool // it has returned
	escaped bool // it has gone another way
}

// newCallEnd is for a call that the current thread, or its goroutine, is in.
func (s *Stepper) newCallEnd(addr uint64, out inspect.Level) (*callEnd, error) {
	thread, err := s.View.CurrentThread()
	return &callEnd{s: s, isGo: s.IsGo(), thread: thread, addr: addr, out: out}, err
}

// within says where the stack has the frames of the callers. Other stacks may
// be anywhere: coroutines have theirs on the heap.
func (o *callEnd) within(bottom, top uint64) {
	if !o.isGo && bottom < top { // goroutines' stacks move
		o.bottom, o.top = bottom, top
	}
}

// done says whether a step has ended the call.
func (o *callEnd) done(v *history.View) bool {
	o.reached = o.returned(v)
	o.escaped = !o.reached && o.unwound(v)
	return o.reached || o.escaped
}

// returned says whether the call has returned.
func (o *callEnd) returned(v *history.View) bool {
	if v.PC() != o.addr || !o.isGo && v.Thread() != o.thread {
		return false
	}
	at, err := o.s.LevelOf(v.Thread(), 0)
	return err != nil || at.Outside(o.out)
}

// unwound says whether a step has led into one of the callers. What unwinds the
// stack sets the stack pointer first and jumps then, to an address that it has
// in a register or has put on the stack.
func (o *callEnd) unwound(v *history.View) bool {
	if v.Thread() != o.thread {
		return false
	}
	last := o.last
	o.last = v.PC()
	if sp := v.SP(); sp < o.bottom || sp >= o.top {
		return false
	}
	in := o.s.Instruction(last)
	_, direct := in.Target()
	return in.Class.Is(x86.Return) || in.Class.Is(x86.Jump) && !direct
}

// A call is recorded for so many rounds, each up to the limits, if it throws or
// the rounds are short: how fast that goes must not decide what is noticed.
const (
	maxRounds  = 10
	fewSteps   = 1 << 16 // more are enough; a program's first exception takes half of that
	waitsSteps = 1 << 9  // with fewer in a round it waits for something
)

// recordsMore says whether a call is recorded for another round.
func (s *Stepper) recordsMore(rounds int, steps uint64) bool {
	switch {
	case rounds == 0:
		return true
	case rounds == maxRounds:
		return false
	}
	return steps >= waitsSteps*uint64(rounds) && steps < fewSteps || s.Throwing()
}
