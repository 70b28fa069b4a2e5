package ptrace

import "errors"

var (
	// ErrPlatform says that this system or processor is not served.
	ErrPlatform = errors.New("tracing needs Linux on amd64")

	// ErrClosed says that the Tracer was closed.
	ErrClosed = errors.New("tracer is closed")

	// ErrWoken says that Next was woken before an event came.
	ErrWoken = errors.New("woken before an event came")

	// ErrNoThreads says that this Tracer traces nothing any more.
	ErrNoThreads = errors.New("no traced thread is left")

	// ErrGone says that the thread is not there, not traced or not stopped. A
	// thread that was stopped and is killed answers it too; its end comes as
	// an event.
	ErrGone = errors.New("thread is gone or not stopped")
)
