package ptrace

import (
	"errors"
	"fmt"
)

var (
	// ErrPlatform is returned on other systems and processors.
	ErrPlatform = errors.New("tracing needs Linux on amd64")

	// ErrClosed is returned after Close.
	ErrClosed = errors.New("tracer is closed")

	// ErrWoken is returned by Next if it was woken before an event arrived.
	ErrWoken = errors.New("woken before an event came")

	// ErrNoThreads is returned if the Tracer has no tracees.
	ErrNoThreads = errors.New("no traced thread is left")

	// ErrGone is returned for threads that do not exist, or are not traced or
	// not stopped (ESRCH). A stopped thread that is killed returns it until the
	// event of its end.
	ErrGone = errors.New("thread is gone or not stopped")
)

// An AccessError reports an address that could not be read or written.
type AccessError struct {
	Address uint64
	Write   bool
	Err     error
}

// Error implements error.
func (e *AccessError) Error() string {
	verb := "read"
	if e.Write {
		verb = "write"
	}
	return fmt.Sprintf("%s memory at %#x: %v", verb, e.Address, e.Err)
}

// Unwrap returns the cause.
func (e *AccessError) Unwrap() error { return e.Err }
