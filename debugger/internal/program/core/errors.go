package core

import (
	"errors"
	"fmt"
)

// ErrFormat says that a file is no core file of Linux on amd64, or damaged.
var ErrFormat = errors.New("this is no core file of Linux on amd64")

// malformed is an [ErrFormat] with what is wrong.
func malformed(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrFormat, fmt.Sprintf(format, args...))
}

// errCutNotes is the [ErrFormat] of a file that ends too early to be of use.
var errCutNotes = malformed("it was cut off within its notes, which have the registers of the threads")

// A MemoryError says why memory cannot be read. The cause is a [*FileError] when
// a mapped file has it.
type MemoryError struct {
	Address uint64
	Cause   error
}

// Error says where and why.
func (e *MemoryError) Error() string {
	return fmt.Sprintf("read memory at %#x: %v", e.Address, e.Cause)
}

// Unwrap is the cause.
func (e *MemoryError) Unwrap() error { return e.Cause }

// Causes of a [MemoryError].
var (
	errUnmapped = errors.New("nothing was mapped there")
	errLeftOut  = errors.New("the core file leaves it out")
	errCut      = errors.New("the core file was cut off before that")
	errShort    = errors.New("the file ends before that")
)

// A FileError says why a mapped file is not used.
type FileError struct {
	Path  string
	Cause error
}

// Error says which and why.
func (e *FileError) Error() string { return fmt.Sprintf("file %s: %v", e.Path, e.Cause) }

// Unwrap is the cause.
func (e *FileError) Unwrap() error { return e.Cause }

// Causes of a [FileError].
var (
	errNoFile    = errors.New("it is no file of the file system")
	errNoELF     = errors.New("it is no ELF file, so nothing shows that it is as it was")
	errNoHead    = errors.New("the core file has neither its build id nor its first page, so nothing shows that it is as it was")
	errReplaced  = errors.New("it is another one now: its first page has changed")
	errTooMany   = errors.New("too many files are open already")
	errIrregular = errors.New("it is no regular file")
)

// A buildIDError says that a file was replaced.
type buildIDError struct{ was, is string }

func (e *buildIDError) Error() string {
	return fmt.Sprintf("it is another one now: its build id is %s, that of the process was %s", e.is, e.was)
}
