package debugcmd

import (
	"errors"
	"io/fs"
	"os"
)

// An outputFile is the file of a recording. What was in it stays until the first write, so
// that a recording that does not begin changes no file.
type outputFile struct {
	*os.File
	created bool // it did not exist before
	regular bool // it is neither a device nor a pipe
	written bool
}

// createOutput opens a file to write, which need not exist.
func createOutput(name string) (*outputFile, error) {
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
	return &outputFile{File: f, created: created, regular: info.Mode().IsRegular()}, nil
}

// Write implements io.Writer.
func (f *outputFile) Write(b []byte) (int, error) {
	if !f.written && f.regular {
		if err := f.Truncate(0); err != nil {
			return 0, err
		}
	}
	f.written = true
	return f.File.Write(b)
}

// remove removes the file, which is closed, unless it is as it was before.
func (f *outputFile) remove() error {
	if !f.regular || !f.created && !f.written {
		return nil
	}
	return os.Remove(f.Name())
}
