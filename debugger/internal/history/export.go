package history

import (
	"bufio"
	"context"
	"fmt"
	"io"

	"github.com/triptych-mcp/triptych/debugger/internal/x86"
)

// A Format is a way to write a piece of history down.
type Format string

// The formats.
const (
	JSON   Format = "json"   // one object, a step a line
	Text   Format = "text"   // a step a line
	Binary Format = "binary" // to be opened again; see docs/trace-format.md
)

// ExportOptions say what is exported. The zero value is all of history, as
// JSON.
type ExportOptions struct {
	Format Format
	From   uint64 // the first position; less than the oldest is an error unless it is 0
	To     uint64 // the last position; 0 is the present

	// Symbolize names addresses in JSON and text; it may be nil.
	Symbolize x86.Symbolizer

	// Memory is the number of bytes of writable memory that go into a binary
	// trace beside the memory its steps have touched; 0 means DefaultMemory, -1
	// none.
	Memory int

	// Program says what was traced, in the header.
	Program string

	// Progress, unless nil, is told now and then how many steps are written.
	Progress func(done, total uint64)
}

// DefaultMemory is the number of bytes of other memory in a binary trace.
const DefaultMemory = 16 << 20

// Exported tells what was written.
type Exported struct {
	From, To  uint64
	Snapshots uint64 // positions, both ends included
	Bytes     int64
}

// Export writes a piece of history. The view is moved about meanwhile and put
// back. When ctx ends, what was written so far is no complete trace.
func (h *History) Export(ctx context.Context, w io.Writer, o ExportOptions) (done Exported, err error) {
	if o.To == 0 || o.To > h.End() {
		o.To = h.End()
	}
	if o.From == 0 {
		o.From = h.Oldest()
	}
	if o.From < h.Oldest() || o.From > o.To {
		return Exported{}, fmt.Errorf("%w: positions %d to %d, there are %d to %d", ErrNoHistory, o.From, o.To, h.Oldest(), h.End())
	}
	back := h.view.position
	defer func() {
		if _, seekErr := h.Seek(back); err == nil {
			err = seekErr
		}
	}()
	counter := &countingWriter{w: w}
	e := &exporter{ctx: ctx, h: h, w: bufio.NewWriterSize(counter, 1<<16), o: o}
	if err = e.export(); err == nil {
		err = e.w.Flush()
	}
	return Exported{From: o.From, To: o.To, Snapshots: o.To - o.From + 1, Bytes: counter.n}, err
}

// countingWriter counts what was written.
type countingWriter struct {
	w io.Writer
	n int64
}

func (c *countingWriter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += int64(n)
	return n, err
}

// An exporter writes one trace.
type exporter struct {
	ctx context.Context //nolint:containedctx // it lives as long as one call
	h   *History
	w   *bufio.Writer
	o   ExportOptions
}

func (e *exporter) export() error {
	switch e.o.Format {
	case JSON, "":
		return e.json()
	case Text:
		return e.text()
	case Binary:
		return e.binary()
	}
	return fmt.Errorf("no such format: %q", e.o.Format)
}

// progressEvery is the number of steps written between reports.
const progressEvery = 1 << 14

// tick reports progress and looks whether the caller is still there.
func (e *exporter) tick(done uint64) error {
	if done%progressEvery != 0 {
		return nil
	}
	if e.o.Progress != nil {
		e.o.Progress(done, e.o.To-e.o.From)
	}
	return e.ctx.Err()
}

// each calls f with each step in turn, going forward.
func (e *exporter) each(f func(s *step) error) error {
	if _, err := e.h.Seek(e.o.From); err != nil {
		return err
	}
	var s step
	for at := e.o.From; at < e.o.To; at++ {
		if err := e.tick(at - e.o.From); err != nil {
			return err
		}
		if err := s.read(e.h, e.o.Symbolize); err != nil {
			return err
		}
		if err := f(&s); err != nil {
			return fmt.Errorf("write the trace: %w", err)
		}
	}
	return nil
}
