package debugger

import (
	"context"
	"log/slog"

	"github.com/triptych-mcp/triptych/debugger/internal/limits/budget"
	"github.com/triptych-mcp/triptych/debugger/internal/serve/traveltools"
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

// TraceOptions say how a trace is opened.
type TraceOptions struct {
	Executable string     // of the program if it is no longer where it was, else ""
	Root       string     // a folder with a copy of the process's files, or ""
	Memory     FileMemory // that the trace and debug information may take
	Getenv     func(string) string
	Log        *slog.Logger
}

// OpenTrace opens a trace that debugger/export_trace has written in the format
// binary.
func OpenTrace(ctx context.Context, path string, o TraceOptions) (*TraceFile, error) {
	memory, err := o.Memory.limit(o.Getenv)
	if err != nil {
		return nil, err
	}
	return traveltools.OpenTrace(ctx, path, o.Executable, o.Root, budget.New(memory).Open("local"), o.Log)
}

// A RecordingSummary describes a recording.
type RecordingSummary = traveltools.RecordingSummary

// SummarizeRecording describes a recording without a replay. It returns nil for a file that is none.
func SummarizeRecording(ctx context.Context, path string, o TraceOptions) (*RecordingSummary, error) {
	memory, err := o.Memory.limit(o.Getenv)
	if err != nil {
		return nil, err
	}
	return traveltools.SummarizeRecording(ctx, path, budget.New(memory).Open("local"))
}
