package failure

import (
	"fmt"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
)

// A NotAttachedError says why a caller has nothing to debug.
type NotAttachedError struct{ Details string }

func (e *NotAttachedError) Error() string { return "not attached: " + e.Details }

// NotAttached returns a NotAttachedError.
func NotAttached(details string) error { return &NotAttachedError{details} }

// A BreakpointError says why there can be no breakpoint, beyond what
// proc.BreakpointError knows.
type BreakpointError struct{ Cause string }

func (e *BreakpointError) Error() string { return e.Cause }

// Breakpointf returns a BreakpointError.
func Breakpointf(format string, args ...any) error {
	return &BreakpointError{fmt.Sprintf(format, args...)}
}

// A NoHistoryError says why there is no past to go to.
type NoHistoryError struct{ Details string }

func (e *NoHistoryError) Error() string { return e.Details }

// Is reports whether target is history.ErrNoHistory.
func (e *NoHistoryError) Is(target error) bool { return target == history.ErrNoHistory }

// NoHistoryf returns a NoHistoryError.
func NoHistoryf(format string, args ...any) error {
	return &NoHistoryError{fmt.Sprintf(format, args...)}
}

// A MissingProcessError says that a process is not there.
type MissingProcessError struct{ PID int }

func (e *MissingProcessError) Error() string { return fmt.Sprintf("process %d does not exist", e.PID) }

// Unwrap returns proc.ErrNotFound.
func (e *MissingProcessError) Unwrap() error { return proc.ErrNotFound }

// NoProcess returns a MissingProcessError.
func NoProcess(pid int) error { return &MissingProcessError{pid} }

// A DeniedError is a permission that only an administrator can give.
type DeniedError struct{ Details string }

func (e *DeniedError) Error() string { return e.Details }

// Denied returns a DeniedError.
func Denied(details string) error { return &DeniedError{details} }

// An Error is a request that cannot be met now. Details say why, or what to do
// instead.
type Error struct{ What, Details string }

func (e *Error) Error() string { return e.What + ": " + e.Details }

// Errorf returns an Error.
func Errorf(what, format string, args ...any) error {
	return &Error{what, fmt.Sprintf(format, args...)}
}

// An ArgumentError says what is wrong with an argument.
type ArgumentError struct{ Details string }

func (e *ArgumentError) Error() string { return e.Details }

// Argumentf returns an ArgumentError.
func Argumentf(format string, args ...any) error {
	return &ArgumentError{fmt.Sprintf(format, args...)}
}

// ErrRunning is proc.ErrRunning with what to do.
var ErrRunning = &Error{"Process is running", "stop it with debugger/pause, or wait for it with debugger/continue"}

// ErrTraveling is returned while a move through recorded history is under way, during
// which no process runs.
var ErrTraveling = &Error{"History is being searched", "wait for the end of the move with debugger/wait; debugger/pause cancels it"}
