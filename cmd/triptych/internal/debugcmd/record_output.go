package debugcmd

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/debugger"
)

// An outputFile is the file of a recording. Its former contents stay until the first
// write: a recording that does not begin changes no file.
type outputFile struct {
	*os.File
	created bool // it did not exist before
	regular bool // it is neither a device nor a pipe
	written int64
	max     int64                   // bytes that it may have, or 0
	ring    *debugger.RecordingRing // if it keeps the newest part, else nil
}

// createOutput opens a file for writing, and creates it if necessary. The limits come from the
// flags.
func createOutput(name string, l limits) (*outputFile, error) {
	mode := os.O_WRONLY
	if l.newest() {
		mode = os.O_RDWR // what is kept is copied from it
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|mode, 0o600)
	created := err == nil
	if errors.Is(err, fs.ErrExist) {
		f, err = os.OpenFile(name, os.O_CREATE|mode, 0o600)
	}
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if l.pack && !info.Mode().IsRegular() {
		return nil, errors.Join(cmderr.UsageErrorf("--pack is for files, and %s is none", name), f.Close())
	}
	out := &outputFile{File: f, created: created, regular: info.Mode().IsRegular(), max: int64(l.maxSize) << 20}
	if l.newest() {
		err = out.useRing(l)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return out, nil
}

// useRing makes the file keep the newest part.
func (f *outputFile) useRing(l limits) error {
	if !f.regular {
		if l.keep == "" {
			return nil
		}
		return cmderr.UsageErrorf("--keep newest is for files, and %s is none", f.Name())
	}
	path, err := filepath.EvalSymlinks(f.Name())
	if err == nil {
		f.ring = debugger.NewRecordingRing(f.File, path, f.max)
	}
	return err
}

// recording returns the writer of the recording.
func (f *outputFile) recording() io.WriteCloser {
	if f.ring != nil {
		return f.ring
	}
	return f
}

// Write implements io.Writer.
func (f *outputFile) Write(b []byte) (int, error) {
	if f.written == 0 && f.regular {
		if err := f.Truncate(0); err != nil {
			return 0, err
		}
	}
	n, err := f.File.Write(b)
	f.written += int64(n)
	return n, err
}

// Limit returns how many bytes the file may have, or 0.
func (f *outputFile) Limit() int64 { return f.max }

// Full reports whether the recording is to end because of its size.
func (f *outputFile) Full() bool { return f.max > 0 && f.written >= f.max }

// hint returns what can be done if a recording has ended because the file is full.
func (f *outputFile) hint() string {
	switch {
	case f.ring != nil && f.ring.Full():
		return fmt.Sprintf("; it may have more than %d MiB with a larger --max-size", f.max>>20)
	case f.ring == nil && f.Full():
		return fmt.Sprintf("; it may have more than %d MiB with a larger --max-size, and the end of the program with --keep newest", f.max>>20)
	}
	return ""
}

// extent says how much of a run the file has.
func (f *outputFile) extent(run *debugger.RecordedRun) string {
	if run.First == 0 {
		return fmt.Sprintf("%d instructions", run.Positions)
	}
	fits := "as many as a file may have"
	if f.max > 0 {
		fits = fmt.Sprintf("%d MiB hold no more (--max-size)", f.max>>20)
	}
	return fmt.Sprintf("the last %d of %d instructions, %s", run.Positions-run.First, run.Positions, fits)
}

// remove removes the file, which is closed, unless it is as it was before.
func (f *outputFile) remove() error {
	written := f.written
	if f.ring != nil {
		written = f.ring.Size()
	}
	if !f.regular || !f.created && written == 0 {
		return nil
	}
	return os.Remove(f.Name())
}
