package calltrace

import (
	"context"

	"github.com/triptych-mcp/triptych/debugger/internal/program/callstack"
	"github.com/triptych-mcp/triptych/debugger/internal/session/sourcefile"
)

// A tracer describes a recording. It changes the position in history as it works.
type tracer struct {
	ctx     context.Context //nolint:containedctx // it lives as long as one call
	code    *code
	options Options
	*recording

	here   leg // at the current position
	trace  CallTrace
	bytes  int // length of the text so far
	far    int // ways to values far away
	place  uint64
	source sourcefile.Cache
}

// seek makes a position the current one.
func (t *tracer) seek(position uint64) error {
	t.here = t.at(position)
	return t.code.s.Timeline.SeekQuietly(position)
}

// frame returns the frame of the traced call at the current position, and nil if it is not on the
// stack.
func (t *tracer) frame() []callstack.Frame {
	return frameOf(t.code.s, t.here.thread, t.slot+t.here.moved)
}
