package target

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/triptych-mcp/triptych/debugger/internal/limits/budget"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
	"github.com/triptych-mcp/triptych/debugger/internal/session/failure"
)

// maxTrace is the maximum size of a trace, as all of it is held in memory.
const maxTrace = 1 << 30

// ReadTrace reads a trace and reports how far it is.
// The account has its memory.
func ReadTrace(ctx context.Context, file *os.File, account *budget.Account, told func(done, total float64)) (*history.Trace, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() > maxTrace {
		return nil, failure.Errorf("Trace too large", "the file has %d MiB and may have %d; export fewer snapshots", info.Size()>>20, maxTrace>>20)
	}
	trace, err := history.Open(ctx, &progressReader{r: io.LimitReader(file, maxTrace), report: func(n int64) {
		told(float64(n), float64(info.Size()))
	}}, account)
	switch {
	case isFull(err):
		return nil, tooLarge("trace", err)
	case errors.Is(err, history.ErrFormat), errors.Is(err, history.ErrVersion), errors.Is(err, history.ErrCorrupt):
		return nil, failure.Errorf("Not a trace", "%v", err)
	case err == nil && len(trace.View().Threads()) == 0:
		return nil, failure.Errorf("Not a trace", "it has no thread")
	}
	return trace, err
}

// A progressReader reports now and then how much was read.
type progressReader struct {
	r      io.Reader
	n      int64
	report func(n int64)
}

// reportEvery is the number of bytes between two reports.
const reportEvery = 32 << 20

func (t *progressReader) Read(b []byte) (int, error) {
	n, err := t.r.Read(b)
	if t.n/reportEvery != (t.n+int64(n))/reportEvery {
		t.report(t.n + int64(n))
	}
	t.n += int64(n)
	return n, err
}
