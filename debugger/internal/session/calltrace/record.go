package calltrace

import (
	"context"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
)

// Limits of the recording of one call.
const (
	maxVisits = 2_000_000
	maxCalls  = 1_000_000
)

// A recorder collects a recording.
type recorder struct {
	*recording
	code      *code
	walk      *walk
	copyStack uint64 // address of the runtime's function, 0 if the program has none
	own       uint64 // end of the function's prologue
	inBody    bool   // it was reached
	line      line
	away      bool // the thread is on another stack
	copying   *copying
	running   int // the thread that has made the last step
}

// record follows a call to its end, or until enough, unless nil, returns true. The history
// remembers the call that was followed last, and the next call goes on there.
func record(ctx context.Context, c *code, from start, enough func() bool) (*recording, error) {
	const key = "call"
	h := c.s.Target.History
	r, ok := h.Findings.Remembered(key).(*recorder)
	if !ok || r.start != from {
		r = newRecorder(c, from, c.body(ctx, from.pc))
		r.copyStack = c.copyStack(ctx)
	}
	r.code, r.walk.code = c, c
	var err error
	followed := 0
	if enough != nil {
		given := enough
		enough = func() bool { return followed > leastFollowed && given() }
	}
	for again := true; again && err == nil && !r.ended && r.reached < h.End(); {
		in, cut := history.Stretch{From: r.reached, To: h.End(), Enough: enough}, r.cut
		read := false
		_, err = h.Steps.Branches(ctx, r.wanted, in, func(t *history.Transition) bool {
			r.pass(t)
			followed++
			read = r.copies(t)
			return !r.ended && r.cut == cut && !read
		})
		if read && err == nil {
			err = r.readCopying(ctx)
		}
		again = read || r.cut != cut // what is wanted has changed
	}
	if n := len(r.visits); n > 0 {
		r.visits[n-1].to = r.end
	}
	r.goesOn = !r.ended && r.reached < h.End()
	if err == nil {
		h.Findings.Remember(key, r)
	}
	return r.recording, err
}

// leastFollowed is the number of transitions that are followed at least, so that the answer about a
// small call does not depend on the time.
const leastFollowed = 1 << 14

func newRecorder(c *code, from start, own uint64) *recorder {
	legs := []leg{{from: from.position, thread: from.thread}}
	r := &recorder{
		recording: &recording{start: from, legs: legs, body: from.position, reached: from.position},
		own:       own, inBody: own == from.pc,
	}
	r.walk = newWalk(c, from.pc, from.position)
	r.walk.stack = append(r.walk.stack, activation{entry: from.position, pc: from.pc, slot: from.slot})
	r.walk.entered, r.walk.left, r.walk.moved, r.walk.tail = r.entered, r.left, r.moved, r.replaceTail
	r.walk.changed = func(_, now []activation) { r.away = now[0].entry != from.position }
	r.walk.shifted = r.shifted
	return r
}

// shifted notes that the runtime has moved a stack.
func (r *recorder) shifted(calls []activation, by uint64) {
	if calls[0].entry == r.position {
		on := r.on()
		r.legs = append(r.legs, leg{from: r.end, thread: on.thread, moved: on.moved + by})
	}
}

// on returns the last leg.
func (r *recorder) on() leg { return r.legs[len(r.legs)-1] }

// wanted reports whether an instruction is needed: besides those of the walk, all of the function
// itself, unless there are too many visits already.
func (r *recorder) wanted(in *x86.Inst) (jumps, always bool) {
	jumps, _ = r.code.isEvent(in)
	return jumps, !r.cut && r.code.isPart(in.PC, r.pc)
}

// pass processes the steps up to a transition. Those before it are steps of the thread that made
// the last one.
func (r *recorder) pass(t *history.Transition) {
	on := r.on()
	if r.running == on.thread && t.Position > r.reached {
		r.steps += t.Position - r.reached
		r.last, r.end = t.Position-1, t.Position
	}
	if r.running = t.Thread; r.away && !t.Ordinary && t.Thread != on.thread && r.walk.adopt(t, r.position) {
		r.legs = append(r.legs, leg{from: t.Position + 1, thread: t.Thread, moved: on.moved})
	} else if t.Thread == on.thread {
		r.steps += t.Position + 1 - max(r.reached, t.Position)
		if r.last, r.end = t.Position, t.Position+1; !t.Ordinary {
			r.step(t)
		}
	}
	r.reached = t.Position + 1
}

// ownLevel is the length of the walk's stack while the traced function itself
// runs.
const ownLevel = 2

// step processes a transition of the thread.
func (r *recorder) step(t *history.Transition) {
	if r.away {
		r.walk.step(t)
		return
	}
	if len(r.walk.stack) == ownLevel {
		r.visit(t.PC, t.Position, t.PC == t.NextPC)
		if t.PC == r.own && !r.inBody {
			r.body, r.inBody = t.Position, true
		}
	}
	r.walk.step(t)
	r.ended = !r.away && len(r.walk.stack) < ownLevel
	if !r.away && len(r.walk.stack) == ownLevel && !r.code.isPart(t.NextPC, r.pc) {
		r.visit(t.NextPC, t.Position+1, false) // of longjmp, for one, whose steps are not wanted
	}
}

// visit starts a visit when another line begins, or when the first address of the
// line is reached again by a loop within the line.
func (r *recorder) visit(pc, position uint64, repeats bool) {
	at := r.code.line(pc)
	n := len(r.visits)
	switch {
	case at.number == 0 || n > 0 && r.visits[n-1].from == position:
		return
	case n > 0 && at == r.line && (pc != r.visits[n-1].pc || repeats):
		return
	case n == maxVisits:
		r.cut = true
		return
	}
	if n > 0 {
		r.visits[n-1].to = position
	}
	r.line = at
	r.visits = append(r.visits, visit{pc: pc, from: position})
}

func (r *recorder) entered() {
	if r.away || len(r.walk.stack) != ownLevel+1 {
		return
	}
	if len(r.calls) == maxCalls {
		r.cut = true
		return
	}
	top := r.walk.top()
	r.calls = append(r.calls, call{pc: top.pc, from: top.entry, slot: top.slot})
	if n := len(r.visits); n > 0 {
		r.visits[n-1].calls = append(r.visits[n-1].calls, len(r.calls)-1)
	}
}

func (r *recorder) left(t *history.Transition, returned bool) {
	switch n := len(r.calls); {
	case r.away:
	case len(r.walk.stack) == ownLevel:
		r.returned = returned || r.code.at(t.PC).class.Is(x86.Return)
	case len(r.walk.stack) == ownLevel+1 && n > 0 && r.calls[n-1].to == 0:
		r.calls[n-1].to, r.calls[n-1].returned = t.Position+1, returned
	}
}

// replaceTail keeps the activations that make tail calls: that of the traced
// function, so that what it tail-calls is one of its calls, and those of its
// callees, whose calls end when the tail call ends.
func (r *recorder) replaceTail() (replace bool) { return len(r.walk.stack) > ownLevel+1 }

// moved replaces a linker stub by the function that it jumped to.
func (r *recorder) moved() {
	if n := len(r.calls); !r.away && len(r.walk.stack) == ownLevel+1 && n > 0 && r.calls[n-1].to == 0 {
		r.calls[n-1].pc = r.walk.top().pc
	}
}
