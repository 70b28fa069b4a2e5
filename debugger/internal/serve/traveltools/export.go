package traveltools

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
	"github.com/triptych-mcp/triptych/debugger/internal/serve/sessiontools"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/session/failure"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/plain"
)

// exportArgs holds the arguments of export_trace.
type exportArgs struct {
	Format string  `json:"format,omitempty" enum:"json|binary|text" default:"json" doc:"open_trace opens binary"`
	From   *uint64 `json:"start_snapshot,omitempty" doc:"First position"`
	To     *uint64 `json:"end_snapshot,omitempty" min:"1" doc:"Last position" bounds:"enforced"`
	sessiontools.SessionArg
}

// Validate checks rules that the schema cannot express.
func (a exportArgs) Validate() error {
	if a.From != nil && a.To != nil && *a.From > *a.To {
		return errors.New("start_snapshot must not be greater than end_snapshot")
	}
	return nil
}

// exported is the answer of export_trace.
type exported struct {
	State     *session.State `json:"state,omitempty" doc:"Where the process is, if an answer has not told so already"`
	Format    string         `json:"format"`
	From      uint64         `json:"start_snapshot"`
	To        uint64         `json:"end_snapshot"`
	Snapshots uint64         `json:"snapshots"`
	File      string         `json:"file" doc:"Where the trace is"`
	Bytes     int64          `json:"bytes"`

	data []byte // contents of a small binary trace
}

// Text returns the documented text form.
func (e exported) Text() string {
	return fmt.Sprintf("Trace exported: %s snapshots\nFile: %s\nSize: %s", plain.Thousands(int64(e.Snapshots)), plain.Line(filepath.Base(e.File)), size(e.Bytes))
}

// Content returns the bytes of a binary trace, or nothing if it is too large for
// an answer.
func (e exported) Content() []mcp.Content {
	if e.data == nil {
		return nil
	}
	return []mcp.Content{mcp.Embedded(mcp.Contents{
		URI: "file://" + e.File, MIMEType: "application/octet-stream", Blob: e.data,
	})}
}

// size formats a number of bytes with a unit.
func size(n int64) string {
	const unit = 1024
	switch {
	case n < unit:
		return fmt.Sprintf("%d bytes", n)
	case n < unit*unit:
		return fmt.Sprintf("%.1f KB", float64(n)/unit)
	case n < unit*unit*unit:
		return fmt.Sprintf("%.1f MB", float64(n)/(unit*unit))
	}
	return fmt.Sprintf("%.1f GB", float64(n)/(unit*unit*unit))
}

// maxInline limits the size of binary traces in answers; base64 adds a third.
const maxInline = mcp.MaxAnswer / 2

// formats lists the values of the argument format.
var formats = map[string]struct {
	format history.Format
	suffix string
}{"json": {history.JSON, ".json"}, "text": {history.Text, ".txt"}, "binary": {history.Binary, ".trace"}}

// exportTrace writes a part of the history to a file in the data folder.
func (t *Group) exportTrace(ctx context.Context, call *mcp.Call, s *session.Session, args exportArgs) (exported, error) {
	h, err := s.Timeline.Require()
	if err != nil {
		return exported{}, err
	}
	options, err := exportOptions(ctx, s, call, h, args)
	if err != nil {
		return exported{}, err
	}
	file, err := newTraceFile(t.Exports, t.Now(), formats[args.Format].suffix)
	if err != nil {
		return exported{}, err
	}
	done, err := h.Export(ctx, file, options)
	s.Timeline.UpdateView()
	if err = errors.Join(err, file.Close()); err != nil {
		return exported{}, errors.Join(err, os.Remove(file.Name()))
	}
	answer := exported{
		State: s.ChangedState(), Format: args.Format, From: done.From, To: done.To, Snapshots: done.Snapshots, File: file.Name(), Bytes: done.Bytes,
	}
	if options.Format == history.Binary && done.Bytes <= maxInline && !t.WithholdTraces {
		answer.data, err = os.ReadFile(file.Name())
	}
	return answer, err
}

// exportOptions returns the options for the arguments, checked against the
// history.
func exportOptions(ctx context.Context, s *session.Session, call *mcp.Call, h *history.History, args exportArgs) (history.ExportOptions, error) {
	from, to := h.Oldest(), h.End()
	if args.From != nil {
		from = *args.From
	}
	if args.To != nil {
		to = *args.To
	}
	switch {
	case to > h.End():
		return history.ExportOptions{}, mcp.InvalidParams("end_snapshot %d is beyond the present, %d", to, h.End())
	case from > to:
		return history.ExportOptions{}, mcp.InvalidParams("start_snapshot %d is beyond the end, %d", from, to)
	case from < h.Oldest():
		return history.ExportOptions{}, failure.NoHistoryf("history begins at position %d: %s", h.Oldest(), h.StartReason())
	}
	return history.ExportOptions{
		Format: formats[args.Format].format, From: from, To: to, Symbolize: s.Inspector.Symbolize, Program: s.Target.Executable(),
		Progress: func(done, total uint64) { call.Progress(ctx, float64(done), float64(total), "steps written") },
	}, nil
}

// sameSecond limits the number of traces that can be written within one second.
const sameSecond = 100

// newTraceFile creates a file that only the server's user can read, since memory
// may contain secrets.
func newTraceFile(folder string, now time.Time, suffix string) (*os.File, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("folder for traces: %w", err)
	}
	name := "trace_" + now.UTC().Format("20060102_150405")
	for n := 1; ; n++ {
		path := filepath.Join(folder, name+suffix)
		if n > 1 {
			path = filepath.Join(folder, fmt.Sprintf("%s_%d%s", name, n, suffix))
		}
		file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err == nil || !errors.Is(err, fs.ErrExist) || n == sameSecond {
			return file, err
		}
	}
}
