package debugcmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// An outputFile is the file of a recording. Its former contents stay until the first
// write: a recording that does not begin changes no file.
type outputFile struct {
	*os.File
	created bool // it did not exist before
	regular bool // it is neither a device nor a pipe
	written int64
	max     int64 // bytes after which the recording ends, or 0
}

// createOutput opens a file for writing, and creates it if necessary. The file is full
// when it reaches a size in MiB; 0 means no limit.
func createOutput(name string, maxMiB int) (*outputFile, error) {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	created := err == nil
	if errors.Is(err, fs.ErrExist) {
		f, err = os.OpenFile(name, os.O_CREATE|os.O_WRONLY, 0o600)
	}
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &outputFile{File: f, created: created, regular: info.Mode().IsRegular(), max: int64(maxMiB) << 20}, nil
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

// Full reports whether the recording is to end because of its size.
func (f *outputFile) Full() bool { return f.max > 0 && f.written >= f.max }

// hint returns what can be done if a recording has ended because the file is full.
func (f *outputFile) hint() string {
	if !f.Full() {
		return ""
	}
	return fmt.Sprintf("; it may have more than %d MiB with a larger --max-size", f.max>>20)
}

// remove removes the file, which is closed, unless it is as it was before.
func (f *outputFile) remove() error {
	if !f.regular || !f.created && f.written == 0 {
		return nil
	}
	return os.Remove(f.Name())
}
