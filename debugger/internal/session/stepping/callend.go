package stepping

import (
	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
	"github.com/triptych-mcp/triptych/debugger/internal/session/inspect"
)

// A callEnd detects the end of a call: it returns, or an exception or longjmp
// unwinds the thread to the calling function or one further out.
type callEnd struct {
	s      *Stepper
	isGo   bool          // the program has Go's runtime
	thread int           // that is in the call
	addr   uint64        // where it returns to
	out    inspect.Level // that it is at then

	// The callers' frames on this stack: from bottom up to, but not including,
	// top. Both are 0 if they are not known.
	bottom, top uint64
	last        uint64 // where the thread was before

	reached bool // it has returned
	escaped bool // it was unwound
}

// newCallEnd detects the end of a call that the current thread, or its
// goroutine, is in.
func (s *Stepper) newCallEnd(addr uint64, out inspect.Level) (*callEnd, error) {
	thread, err := s.Target.View.CurrentThread()
	return &callEnd{s: s, isGo: s.Inspector.IsGo(), thread: thread, addr: addr, out: out}, err
}

// within sets where the callers' frames are. Other stacks may be anywhere:
// coroutines have theirs on the heap.
func (o *callEnd) within(bottom, top uint64) {
	if !o.isGo && bottom < top { // goroutines' stacks move
		o.bottom, o.top = bottom, top
	}
}

// done reports whether a step has ended the call.
func (o *callEnd) done(v *history.View) bool {
	o.reached = o.returned(v)
	o.escaped = !o.reached && o.unwound(v)
	return o.reached || o.escaped
}

// returned reports whether the call has returned.
func (o *callEnd) returned(v *history.View) bool {
	if v.PC() != o.addr || !o.isGo && v.Thread() != o.thread {
		return false
	}
	at, err := o.s.Inspector.LevelOf(v.Thread(), 0)
	return err != nil || at.Outside(o.out)
}

// unwound reports whether a step has jumped into one of the callers. Unwinding
// sets the stack pointer first and then jumps to an address from a register or
// the stack.
func (o *callEnd) unwound(v *history.View) bool {
	if v.Thread() != o.thread {
		return false
	}
	last := o.last
	o.last = v.PC()
	if sp := v.SP(); sp < o.bottom || sp >= o.top {
		return false
	}
	in := o.s.Inspector.Instruction(last)
	_, direct := in.Target()
	return in.Class.Is(x86.Return) || in.Class.Is(x86.Jump) && !direct
}

// Limits of how long a call is recorded. It goes on for further rounds if the
// thread is throwing an exception or the rounds are short, so that the speed
// of recording does not decide what is detected.
const (
	maxRounds  = 10
	fewSteps   = 1 << 16 // a program's first exception takes half as many
	waitsSteps = 1 << 9  // fewer in a round mean that the thread waits
)

// recordsMore reports whether a call is recorded for another round.
func (s *Stepper) recordsMore(rounds int, steps uint64) bool {
	switch {
	case rounds == 0:
		return true
	case rounds == maxRounds:
		return false
	}
	return steps >= waitsSteps*uint64(rounds) && steps < fewSteps || s.Inspector.Throwing()
}
