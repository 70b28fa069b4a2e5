package calltrace

import (
	"context"
	"encoding/binary"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
)

// A copying is a call of the function by which the runtime of Go puts the stack of a goroutine that
// waits elsewhere: the garbage collector makes stacks smaller. A stack grows while its goroutine runs,
// see walk.resumesGrown.
type copying struct {
	thread    int
	slot      uint64 // address of the return address
	position  uint64 // at which the bounds of the stack have to be read
	goroutine uint64 // address of the runtime's g, 0 before it is read
	high      uint64 // end of the stack before
}

// copies notes that a transition begins or ends a copying. It reports whether memory has to be read.
func (r *recorder) copies(t *history.Transition) bool {
	switch c := r.copying; {
	case !r.away || r.copyStack == 0:
		r.copying = nil
	case c != nil && t.Thread == c.thread && t.NextSP > c.slot:
		c.position = t.Position + 1
		return true
	case c == nil && t.NextPC == r.copyStack && r.code.at(t.PC).class.Is(x86.Call) && !r.code.function(t.PC).growsStack():
		r.copying = &copying{thread: t.Thread, slot: t.NextSP, position: t.Position + 1}
		return true
	}
	return false
}

// readCopying reads the bounds of the stack that is copied: before, to learn whether it is that of
// the traced call, and after, to learn where that is.
func (r *recorder) readCopying(ctx context.Context) error {
	c := r.copying
	own := r.walk.waiting(r.position)
	if own == nil {
		r.copying = nil
		return nil
	}
	return r.code.s.Timeline.AtPosition(ctx, c.position, func() {
		g := c.goroutine
		if g == 0 {
			if regs, err := r.code.s.Target.View.Regs(c.thread); err == nil {
				g = regs.RAX // the first argument, since Go 1.17
			}
		}
		low, high := r.bounds(g)
		switch {
		case c.goroutine != 0:
			r.walk.move(own, high-c.high)
			r.copying = nil
		case low <= own.sp && own.sp < high:
			c.goroutine, c.high = g, high
		default:
			r.copying = nil
		}
	})
}

// bounds returns those of the stack of a goroutine, which its g begins with.
func (r *recorder) bounds(g uint64) (low, high uint64) {
	var b [16]byte
	if _, err := r.code.s.Target.View.ReadMemory(g, b[:]); err != nil {
		return 0, 0
	}
	return binary.LittleEndian.Uint64(b[:]), binary.LittleEndian.Uint64(b[8:])
}
