package calltrace

import (
	"context"

	"github.com/triptych-mcp/triptych/debugger/internal/session/sourcefile"
)

// A tracer describes a recording. It changes the position in history as it works.
type tracer struct {
	ctx     context.Context //nolint:containedctx // it lives as long as one call
	code    *code
	options Options
	*recording

	trace  CallTrace
	bytes  int // length of the text so far
	far    int // ways to values far away
	place  uint64
	source sourcefile.Cache
}
