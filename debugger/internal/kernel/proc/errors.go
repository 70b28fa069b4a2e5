package proc

import (
	"errors"
	"fmt"
)

var (
	// ErrNotFound says that there is no such process, or it has ended.
	ErrNotFound = errors.New("no such process")

	// ErrRunning says that the process runs now; Pause stops it.
	ErrRunning = errors.New("the process is running")

	// ErrExited says that the process has ended.
	ErrExited = errors.New("the process has ended")

	// ErrDetached says that the process was let go.
	ErrDetached = errors.New("the process was detached from")

	// ErrNoThread says that the process has no such thread.
	ErrNoThread = errors.New("no such thread")

	// ErrUnwatched says that the system cannot tell what the process writes.
	ErrUnwatched = errors.New("what the process writes cannot be watched")

	// ErrNoBreakpoint says that there is no breakpoint with that number.
	ErrNoBreakpoint = errors.New("no such breakpoint")
)

// UnlessEnded drops an error that only says that the process has ended or was
// detached from.
func UnlessEnded(err error) error {
	if errors.Is(err, ErrExited) || errors.Is(err, ErrDetached) {
		return nil
	}
	return err
}

// A PermissionError says why a process may not be traced, and what to do.
type PermissionError struct {
	PID   int    // 0 for one that could not be begun
	Cause string // why not
	Cure  string // what would help, "" when nothing does
}

// Error says both.
func (e *PermissionError) Error() string {
	who := fmt.Sprintf("process %d", e.PID)
	if e.PID == 0 {
		who = "a new process"
	}
	text := who + " may not be traced: " + e.Cause
	if e.Cure != "" {
		text += " (" + e.Cure + ")"
	}
	return text
}

// A BreakpointError says why there can be no breakpoint.
type BreakpointError struct {
	Address uint64
	Cause   string
}

// Error says where and why.
func (e *BreakpointError) Error() string {
	return fmt.Sprintf("breakpoint at %#x: %s", e.Address, e.Cause)
}
