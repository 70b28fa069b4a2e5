package debugger

import (
	"context"
	"io"

	"github.com/triptych-mcp/triptych/debugger/internal/recording"
)

// A recorded run of a program.
type (
	// A RecordedProgram is a program to record.
	RecordedProgram = recording.Program
	// A RecordedRun describes how the program ended, and what was recorded.
	RecordedRun = recording.Result
)

// RecordProgram runs a program and writes a recording of it to w, which
// debugger/open_trace opens. If the program does what cannot be recorded, the recording
// ends before that, and the program runs on.
func RecordProgram(ctx context.Context, p RecordedProgram, w io.Writer) (RecordedRun, error) {
	return recording.Record(ctx, p, w)
}

// RecordProcess records a process that runs, and writes a recording of it to w, until the
// process ends, does what cannot be recorded, or ctx is done. The process then runs on.
func RecordProcess(ctx context.Context, pid int, w io.Writer) (RecordedRun, error) {
	return recording.Attach(ctx, pid, w)
}
