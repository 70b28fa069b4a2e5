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
	ctx    context.Context //nolint:containedctx // it lives as long as one call
	code   *code
	walk   *walk
	bodies map[uint64]uint64 // ends of prologues by the starts of functions
	line   line
	away   bool // the thread is on another stack
}

// record follows a call to its end.
func record(ctx context.Context, c *code, from start) (*recording, error) {
	r := &recorder{recording: &recording{start: from}, ctx: ctx, code: c, bodies: map[uint64]uint64{}}
	r.walk = newWalk(c, from.pc, from.position)
	r.walk.stack = append(r.walk.stack, activation{from.position, from.pc, from.slot})
	r.walk.entered, r.walk.left, r.walk.moved, r.walk.tail = r.entered, r.left, r.moved, r.replaceTail
	r.walk.changed = func(_, now []activation) { r.away = now[0].entry != from.position }
	own := r.bodyOf(from.pc)
	r.body = from.position
	err := c.s.History.Transitions(ctx, from.position, c.s.History.End(), func(t *history.Transition) bool {
		if t.Thread == r.thread {
			r.step(t, own)
		}
		return !r.ended
	})
	if n := len(r.visits); n > 0 {
		r.visits[n-1].to = r.end
	}
	return r.recording, err
}

// bodyOf returns the end of a function's prologue.
func (r *recorder) bodyOf(pc uint64) uint64 {
	body, known := r.bodies[pc]
	if !known {
		body = r.code.s.BodyOf(r.ctx, pc)
		r.bodies[pc] = body
	}
	return body
}

// ownLevel is the length of the walk's stack while the traced function itself
// runs.
const ownLevel = 2

// step processes a transition of the thread. own is the end of the function's
// prologue.
func (r *recorder) step(t *history.Transition, own uint64) {
	r.steps++
	r.last, r.end = t.Position, t.Position+1
	if r.away {
		r.walk.step(t)
		return
	}
	if len(r.walk.stack) == ownLevel {
		r.visit(t)
		if t.NextPC == own && r.body == r.position {
			r.body = t.Position + 1
		}
	}
	r.walk.step(t)
	switch n := len(r.calls); {
	case r.away:
	case len(r.walk.stack) < ownLevel:
		r.ended = true
	case len(r.walk.stack) == ownLevel+1 && n > 0 && r.calls[n-1].body == 0 && t.NextPC == r.bodyOf(r.calls[n-1].pc):
		r.calls[n-1].body = t.Position + 1
	}
}

// visit starts a visit when another line begins, or when the first address of the
// line is reached again by a loop within the line.
func (r *recorder) visit(t *history.Transition) {
	at := r.code.line(t.PC)
	n := len(r.visits)
	switch {
	case at.number == 0:
		return
	case n > 0 && at == r.line && (t.PC != r.visits[n-1].pc || t.PC == t.NextPC):
		return
	case n == maxVisits:
		r.cut = true
		return
	}
	if n > 0 {
		r.visits[n-1].to = t.Position
	}
	r.line = at
	r.visits = append(r.visits, visit{pc: t.PC, from: t.Position})
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
