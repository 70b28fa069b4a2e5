package history

import (
	"bufio"
	"context"
	"fmt"
	"io"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
)

// A Format is a format of exported history.
type Format string

// The formats.
const (
	JSON   Format = "json"   // one object with one step per line
	Text   Format = "text"   // one step per line
	Binary Format = "binary" // readable by [Open]; see docs/trace-format.md
)

// ExportOptions configure an export. The zero value exports all of history as
// JSON.
type ExportOptions struct {
	Format Format
	From   uint64 // the first position; less than the oldest is an error unless it is 0
	To     uint64 // the last position; 0 is the present

	// Symbolize names addresses in JSON and text; it may be nil.
	Symbolize x86.Symbolizer

	// Memory limits the bytes of writable memory in a binary trace besides the
	// pages that its steps use; 0 means 16 MiB, -1 none.
	Memory int

	// Program is the path of the traced program, for the header.
	Program string

	// Progress, unless nil, is called with the number of steps written so far.
	Progress func(done, total uint64)
}

// defaultMemory is the default of [ExportOptions.Memory].
const defaultMemory = 16 << 20

// Exported describes an export.
type Exported struct {
	From, To  uint64
	Snapshots uint64 // positions, both ends included
	Bytes     int64
}

// Export writes a part of history. It moves the view and restores its position.
// When ctx is done it returns early, with an incomplete trace.
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

// countingWriter counts the bytes written.
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

// checkProgress reports progress and checks the context.
func (e *exporter) checkProgress(done uint64) error {
	if done%progressEvery != 0 {
		return nil
	}
	if e.o.Progress != nil {
		e.o.Progress(done, e.o.To-e.o.From)
	}
	return e.ctx.Err()
}

// each calls f with each step, going forward.
func (e *exporter) each(f func(s *step) error) error {
	if _, err := e.h.Seek(e.o.From); err != nil {
		return err
	}
	var s step
	for at := e.o.From; at < e.o.To; at++ {
		if err := e.checkProgress(at - e.o.From); err != nil {
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
