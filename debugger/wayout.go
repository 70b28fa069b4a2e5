package debugger

import (
	"math"

	"github.com/triptych-mcp/triptych/debugger/internal/history"
	"github.com/triptych-mcp/triptych/debugger/internal/x86"
)

// A wayOut watches for the end of a call: it returns to where it was called, or
// an exception or longjmp takes the thread to that function, or to one further
// out, by another way.
type wayOut struct {
	s      *stepper
	goes   bool   // the program has Go's runtime
	thread int    // that is in the call
	addr   uint64 // where it returns to
	out    level  // that it is at then

	// Where the stack pointer is outside the call, on the same stack: from
	// bottom to below top, in no place if both are 0.
	bottom, top uint64
	last        uint64 // where the thread was before

	reached bool // it has returned
	escaped bool // it has gone another way
}

// newWayOut is for a call that the current thread, or its goroutine, is in.
func (s *stepper) newWayOut(addr uint64, out level) (*wayOut, error) {
	thread, err := s.scene.CurrentThread()
	return &wayOut{s: s, goes: s.isGo(), thread: thread, addr: addr, out: out}, err
}

// within says where the stack has the frames of the callers. Other stacks may
// be anywhere: coroutines have theirs on the heap.
func (o *wayOut) within(bottom, top uint64) {
	if !o.goes && bottom < top { // goroutines' stacks move
		o.bottom, o.top = bottom, top
	}
}

// ends says whether a step has ended the call.
func (o *wayOut) ends(v *history.View) bool {
	o.reached = o.there(v)
	o.escaped = !o.reached && o.unwound(v)
	return o.reached || o.escaped
}

// there says whether the call has returned.
func (o *wayOut) there(v *history.View) bool {
	if v.PC() != o.addr || !o.goes && v.Thread() != o.thread {
		return false
	}
	at, err := o.s.levelOf(v.Thread(), 0)
	return err != nil || at.outside(o.out)
}

// unwound says whether a step has led into one of the callers. What unwinds the
// stack sets the stack pointer first and jumps then, to an address that it has
// in a register or has put on the stack.
func (o *wayOut) unwound(v *history.View) bool {
	if v.Thread() != o.thread {
		return false
	}
	last := o.last
	o.last = v.PC()
	if sp := v.SP(); sp < o.bottom || sp >= o.top {
		return false
	}
	in := o.s.instruction(last)
	_, direct := in.Target()
	return in.Class.Is(x86.Return) || in.Class.Is(x86.Jump) && !direct
}

// maxCallers is how many callers may catch what is thrown; further out it is
// not noticed.
const maxCallers = 256

// callers is the end of the frames of the functions that the current thread is
// in, 0 if it is not known or not needed.
func (s *inspector) callers() uint64 {
	if s.isGo() {
		return 0
	}
	frames, _ := s.frames(0, maxCallers) // without any it is not known
	top := uint64(0)
	for i := range frames {
		f := &frames[i]
		if f.Guessed || f.CFA == 0 || f.CFA == math.MaxUint64 {
			break
		}
		top = max(top, f.CFA)
	}
	return top
}

// A call is recorded for so many rounds, each up to the limits, if it throws or
// the rounds are short: how fast that goes must not decide what is noticed.
const (
	maxRounds  = 10
	fewSteps   = 1 << 16 // more are enough; a program's first exception takes half of that
	waitsSteps = 1 << 9  // with fewer in a round it waits for something
)

// records says whether a call is recorded for another round.
func (s *stepper) records(rounds int, steps uint64) bool {
	switch {
	case rounds == 0:
		return true
	case rounds == maxRounds:
		return false
	}
	return steps >= waitsSteps*uint64(rounds) && steps < fewSteps || s.throws()
}

// recordedEnd is the position of the present, 0 before anything was recorded.
func (s *stepper) recordedEnd() uint64 {
	if s.past == nil {
		return 0
	}
	return s.past.End()
}

// unwinders are the functions that look for who catches an exception, and take
// the thread there (Itanium C++ ABI: Exception Handling, 1.3 and 1.6).
var unwinders = map[string]bool{
	"_Unwind_RaiseException": true, "_Unwind_ForcedUnwind": true, "_Unwind_Resume": true, "_Unwind_Resume_or_Rethrow": true,
}

// maxUnwinder is how deep an unwinder's calls may be.
const maxUnwinder = 32

// throws says whether the current thread is looking for who catches an
// exception.
func (s *inspector) throws() bool {
	frames, err := s.frames(0, maxUnwinder)
	for i := range frames {
		if unwinders[frames[i].Function] {
			return err == nil
		}
	}
	return false
}
