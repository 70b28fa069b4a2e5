package calltrace

import (
	"math"
	"slices"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
)

// An activation is a call that has not ended.
type activation struct {
	entry uint64 // position after the call
	pc    uint64 // of its first instruction
	slot  uint64 // address of its return address; math.MaxUint64 if it is not known
	above bool   // of a signal handler on another stack, above that of its caller
}

// A walk follows the calls of one thread. Its methods are called with the
// transitions of that thread, in order.
type walk struct {
	code  *code
	stack []activation // outermost first; never empty
	other []stack      // that the thread has left

	entered func()                                     // after a call; the last activation is the new one
	left    func(t *history.Transition, returned bool) // before the last activation is removed
	resumed func(t *history.Transition)                // after a return from the outermost activation to an unknown caller
	moved   func()                                     // the last activation was a stub, and jumped to its function
	tail    func() (replace bool)                      // before a tail call by the last activation
	changed func(old []activation, now []activation)   // the thread has changed stacks
	shifted func(calls []activation, by uint64)        // the runtime of Go has put a stack elsewhere
}

// A stack is one that a thread has left for another.
type stack struct {
	sp    uint64
	calls []activation
}

// Limits of a stack pointer that is loaded. Beyond them it is another stack.
const (
	farStack  = 1 << 20
	nearStack = 1 << 12
)

// newWalk starts at an instruction of a function whose callers are not known.
func newWalk(c *code, pc, position uint64) *walk {
	return &walk{
		code: c, stack: []activation{{entry: position, pc: pc, slot: math.MaxUint64}},
		entered: func() {}, left: func(*history.Transition, bool) {}, resumed: func(*history.Transition) {},
		moved: func() {}, tail: func() bool { return true }, changed: func(_, _ []activation) {}, shifted: func([]activation, uint64) {},
	}
}

// top is the current activation.
func (w *walk) top() *activation { return &w.stack[len(w.stack)-1] }

// step follows a transition.
func (w *walk) step(t *history.Transition) {
	if t.NextPC-t.PC < x86.MaxLen && t.NextSP == t.SP {
		return // an ordinary instruction, a short jump, or another thread
	}
	switch t.Kind {
	case history.Stepped:
	case history.Signalled:
		if above := t.NextSP > t.SP; t.NextPC != t.PC && (above || t.NextSP < t.SP-redZone) {
			w.push(t.Position+1, t.NextPC, t.NextSP, above)
			return
		}
		fallthrough
	default:
		w.unwind(t, false)
		return
	}
	in := w.code.at(t.PC)
	switch {
	case !in.event:
	case in.class.Is(x86.Call) && t.NextPC != in.next:
		w.push(t.Position+1, t.NextPC, t.NextSP, false)
	case in.setSP && w.elsewhere(t):
		w.change(t)
	case in.class.Is(x86.Jump) && t.NextSP == w.top().slot:
		w.jump(t)
	case in.class.Is(x86.Return) && len(w.stack) == 1:
		w.stack[0] = activation{entry: w.stack[0].entry, pc: t.NextPC, slot: math.MaxUint64}
		w.resumed(t)
	default:
		w.unwind(t, in.class.Is(x86.Return))
	}
}

// redZone is the area below the stack pointer that signal frames skip (System V
// ABI, AMD64 supplement, 3.2.2).
const redZone = 128

func (w *walk) push(position, pc, slot uint64, above bool) {
	w.stack = append(w.stack, activation{position, pc, slot, above})
	w.entered()
}

// unwind removes the activations whose return addresses are off the stack, up to that of a signal
// handler above another stack.
func (w *walk) unwind(t *history.Transition, returned bool) {
	for above := false; len(w.stack) > 1 && t.NextSP > w.top().slot && !above; {
		w.left(t, returned && t.NextSP-8 == w.top().slot)
		above = w.top().above
		w.stack = w.stack[:len(w.stack)-1]
	}
}

// maxStub is the number of steps that a stub may take to its function.
const maxStub = 8

// jump follows a jump with the return address on top of the stack: a tail call
// if it leads to the start of another function.
func (w *walk) jump(t *history.Transition) {
	f, top := w.code.function(t.NextPC), w.top()
	if f.start != t.NextPC || w.code.function(t.PC).start == f.start {
		return
	}
	if t.Position-top.entry < maxStub && w.code.line(top.pc).number == 0 {
		top.pc = t.NextPC
		w.moved()
		return
	}
	slot, above := top.slot, top.above
	if w.tail() {
		w.left(t, false)
		w.stack = w.stack[:len(w.stack)-1]
	}
	w.push(t.Position+1, t.NextPC, slot, above)
}

// elsewhere reports whether the stack pointer is set to another stack.
func (w *walk) elsewhere(t *history.Transition) bool {
	if distance(t.SP, t.NextSP) > farStack {
		return true
	}
	return w.code.function(t.PC).switchesStacks() && distance(t.SP, t.NextSP) > nearStack/8
}

func distance(a, b uint64) uint64 { return max(a, b) - min(a, b) }

// change continues with the stack that the stack pointer was set to.
func (w *walk) change(t *history.Transition) {
	if n := len(w.stack); n > 1 && t.NextSP > t.SP && t.NextSP <= w.stack[1].slot {
		w.unwind(t, false) // a longjmp over a large frame
		return
	}
	if w.resumesGrown() {
		s := &w.other[len(w.other)-1]
		w.move(s, t.NextSP-(s.sp+returnAddress)) // runtime.morestack stores no frame pointer
	}
	old := w.stack
	w.other = append(w.other, stack{t.SP, w.stack})
	best, near := -1, uint64(nearStack)
	if w.code.function(t.PC).resumesGoroutine() {
		near = pastReturn + 1 // there is a stack of another goroutine nearby
	}
	for i, s := range w.other[:len(w.other)-1] {
		if d := distance(s.sp, t.NextSP); d < near && (best < 0 || d < distance(w.other[best].sp, t.NextSP)) {
			best = i
		}
	}
	if best < 0 {
		w.stack = []activation{{entry: t.Position + 1, pc: t.NextPC, slot: math.MaxUint64}}
	} else {
		w.stack = w.other[best].calls
		w.other = slices.Delete(w.other, best, best+1)
	}
	w.changed(old, w.stack)
}

// What a stack pointer moves between the instruction that leaves a stack and the one that returns to
// it: over the address to which the function that leaves it returns, and a frame pointer that it may
// have stored.
const (
	returnAddress = 8
	pastReturn    = returnAddress + 8
)

// resumesGrown reports whether the runtime of Go resumes the goroutine that it has left last. It has
// done that to have a larger stack for it.
func (w *walk) resumesGrown() bool {
	at := len(w.stack) - 1
	for at > 0 && w.code.function(w.stack[at].pc).resumesGoroutine() {
		at--
	}
	return at < len(w.stack)-1 && len(w.other) > 0 && w.code.function(w.stack[at].pc).growsStack()
}

// move follows a stack that the runtime has put elsewhere.
func (w *walk) move(s *stack, by uint64) {
	if by == 0 {
		return
	}
	for i := range s.calls {
		if s.calls[i].slot != math.MaxUint64 {
			s.calls[i].slot += by
		}
	}
	s.sp += by
	w.shifted(s.calls, by)
}

// waiting returns the stack that began with an activation and that the thread has left, or nil.
func (w *walk) waiting(entry uint64) *stack {
	for i := range w.other {
		if w.other[i].calls[0].entry == entry {
			return &w.other[i]
		}
	}
	return nil
}

// adopt follows another thread if its transition continues the stack that began with an activation.
func (w *walk) adopt(t *history.Transition, entry uint64) bool {
	s := w.waiting(entry)
	if s == nil || t.NextSP-s.sp > pastReturn || !w.code.at(t.PC).setSP {
		return false
	}
	old := w.stack
	w.stack, w.other = s.calls, nil
	w.changed(old, w.stack)
	return true
}
