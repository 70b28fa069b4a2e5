package debugger

import (
	"context"
	"io"
	"os"

	"github.com/triptych-mcp/triptych/debugger/internal/record/recording"
	"github.com/triptych-mcp/triptych/debugger/internal/serve/traveltools"
)

// A recorded run of a program.
type (
	// A RecordedProgram is a program to record.
	RecordedProgram = recording.Program
	// A RecordedRun describes how the program ended, and what was recorded.
	RecordedRun = recording.Result
	// A RecordingRing is a file that keeps the newest part of a recording.
	RecordingRing = recording.Ring
)

// NewRecordingRing returns a ring in a regular file that is open for reading and writing,
// which may have a number of bytes, or as many as the format permits if that is 0. The path
// may not lead to a symbolic link.
func NewRecordingRing(file *os.File, path string, limit int64) *RecordingRing {
	return recording.NewRing(file, path, limit)
}

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

// PackRecording adds to a recording the files that its replay needs, and replaces the file. The
// errors of left say which files could not be added.
func PackRecording(path string) (left []error, err error) {
	return traveltools.PackRecording(path, nil) // it takes what the recording has
}
