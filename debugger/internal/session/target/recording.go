package target

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"os"

	"github.com/triptych-mcp/triptych/debugger/internal/limits/budget"
	"github.com/triptych-mcp/triptych/debugger/internal/record/findings"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recfile"
	"github.com/triptych-mcp/triptych/debugger/internal/record/replay"
	"github.com/triptych-mcp/triptych/debugger/internal/session/failure"
)

// A Recording is the View of a recording. Processes that replay it have its memory.
type Recording struct {
	*Trace
	timeline *replay.Timeline
	reason   string // why the recording ends
}

// OpenRecording reads a recording and replays it. The account has its memory.
func OpenRecording(ctx context.Context, file *os.File, account *budget.Account, where Overrides) (*Recording, error) {
	var in io.Reader = file
	digest := sha256.New()
	if where.Findings != "" {
		in = io.TeeReader(in, digest)
	}
	r, err := recfile.Read(reader{ctx, in}, account)
	if isFull(err) {
		return nil, tooLarge("recording", err)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err != nil {
		return nil, failure.Errorf("Not a recording", "%v", err)
	}
	timeline, err := replay.NewTimeline(ctx, r)
	if isFull(err) {
		return nil, tooLarge("recording", err)
	}
	if errors.Is(err, context.Canceled) {
		return nil, err
	}
	if err != nil {
		return nil, failure.Errorf("Replay failed", "%v", err)
	}
	where.Kept = timeline.Open
	if where.Findings != "" {
		timeline.History().Findings.Keeper = findings.Open(where.Findings, digest.Sum(nil))
	}
	trace, err := NewTrace(&history.Trace{History: timeline.History()}, where)
	if err != nil {
		return nil, errors.Join(err, timeline.Close())
	}
	last := r.Last()
	return &Recording{Trace: trace, timeline: timeline, reason: last.Describe()}, nil
}

// A reader reads a file until its context ends.
type reader struct {
	ctx context.Context //nolint:containedctx // of the function that reads
	io.Reader
}

// Read implements [io.Reader].
func (r reader) Read(b []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.Reader.Read(b)
}

// Target returns the target of a session with the recording.
func (s *Recording) Target(path string) Target {
	d := s.Trace.Target(path)
	d.Kind, d.View = "recording", s.Trace
	d.CloseFile = func() error { return errors.Join(s.Files.Close(), s.timeline.Close()) }
	return d
}

// Ending describes how the recording ends.
func (s *Recording) Ending() string { return s.reason }
