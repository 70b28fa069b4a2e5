package debugger

import (
	"context"
	"log/slog"

	"github.com/triptych-mcp/triptych/debugger/internal/traveltools"
)

// A trace with the symbols of its program, and what is shown of it.
type (
	// A TraceFile is an open trace. It belongs to one goroutine.
	TraceFile = traveltools.TraceFile
	// A TraceSummary describes a trace.
	TraceSummary = traveltools.TraceSummary
	// A TraceMoment is the current thread at a position.
	TraceMoment = traveltools.TraceMoment
	// A TraceWrite is a step that has written memory.
	TraceWrite = traveltools.TraceWrite
)

// OpenTrace opens a trace that debugger/export_trace has written in the format
// binary. The executable is that of the program if it is no longer where it was,
// and the root a folder with a copy of the process's files; either may be "".
func OpenTrace(ctx context.Context, path, executable, root string, log *slog.Logger) (*TraceFile, error) {
	return traveltools.OpenTrace(ctx, path, executable, root, log)
}
