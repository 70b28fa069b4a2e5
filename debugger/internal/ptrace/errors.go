package ptrace

import "errors"

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
