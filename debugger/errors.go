package debugger

import (
	"context"
	"errors"
	"fmt"

	"github.com/triptych-mcp/triptych/debugger/internal/history"
	"github.com/triptych-mcp/triptych/debugger/internal/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/symbols"
	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/schema"
)

// The documented codes of the family.
const (
	codeFailed           jsonrpc.Code = -1
	codeProcessNotFound  jsonrpc.Code = -32004
	codeNotAttached      jsonrpc.Code = -32005
	codeBreakpointFailed jsonrpc.Code = -32006
	codeNoHistory        jsonrpc.Code = -32007
)

// A notAttachedError says why a caller has nothing to debug.
type notAttachedError struct{ details string }

func (e *notAttachedError) Error() string { return "not attached: " + e.details }

// A breakpointError says why there can be no breakpoint, beyond what
// proc.BreakpointError knows.
type breakpointError struct{ cause string }

func (e *breakpointError) Error() string { return e.cause }

// A noHistoryError says why there is no past to go to.
type noHistoryError struct{ details string }

func (e *noHistoryError) Error() string        { return e.details }
func (e *noHistoryError) Is(target error) bool { return target == history.ErrNoHistory }

// A missingProcessError says that a process is not there.
type missingProcessError struct{ pid int }

func (e *missingProcessError) Error() string { return fmt.Sprintf("process %d does not exist", e.pid) }
func (e *missingProcessError) Unwrap() error { return proc.ErrNotFound }

// A refusedError is a permission that nobody but an administrator can give.
type refusedError struct{ details string }

func (e *refusedError) Error() string { return e.details }

// A failure is something that was asked for and cannot be done now, and why or
// what to do instead.
type failure struct{ what, details string }

func (e *failure) Error() string { return e.what + ": " + e.details }

func failed(what, format string, args ...any) error {
	return &failure{what, fmt.Sprintf(format, args...)}
}

// An argumentError says what is wrong with an argument.
type argumentError struct{ details string }

func (e *argumentError) Error() string { return e.details }

func wrongArgument(format string, args ...any) error {
	return &argumentError{fmt.Sprintf(format, args...)}
}

// errRunning is proc.ErrRunning with what to do.
var errRunning = &failure{"Process is running", "stop it with debugger/pause, or wait for it with debugger/continue"}

// wireErrors are asked in this order; the first that knows an error answers.
var wireErrors = []func(error) *jsonrpc.Error{
	wireArguments, wireNotAttached, wireRefused, wireOutside, wireProcess, wireBreakpoint, wireHistory, wireFailure, wireMissing,
	wireSimilar,
}

// wireError is where the family meets the wire. Errors nobody foresaw are
// -32603 with what failed.
func wireError(err error) error {
	if _, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return err
	}
	for _, wire := range wireErrors {
		if answer := wire(err); answer != nil {
			return answer
		}
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if answer := documentError(err); answer != nil {
		return answer
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: err.Error()}
}

// wireArguments: all that is wrong with the arguments is in the details.
func wireArguments(err error) *jsonrpc.Error {
	if e, ok := errors.AsType[*argumentError](err); ok {
		return mcp.InvalidParams("%s", e.details)
	}
	if args, ok := errors.AsType[*schema.Error](err); ok {
		return mcp.InvalidParams("%s", args.Error())
	}
	return nil
}

func wireNotAttached(err error) *jsonrpc.Error {
	if e, ok := errors.AsType[*notAttachedError](err); ok {
		return jsonrpc.Errorf(codeNotAttached, "Not attached").WithDetails("%s", e.details)
	}
	return nil
}

func wireRefused(err error) *jsonrpc.Error {
	denied := jsonrpc.Errorf(mcp.CodePermissionDenied, "Permission denied")
	if e, ok := errors.AsType[*refusedError](err); ok {
		return denied.WithDetails("%s", e.details)
	}
	if e, ok := errors.AsType[*proc.PermissionError](err); ok {
		return denied.WithDetails("%s", e.Error())
	}
	return nil
}

func wireProcess(err error) *jsonrpc.Error {
	if errors.Is(err, proc.ErrNotFound) {
		return jsonrpc.Errorf(codeProcessNotFound, "Process not found").WithDetails("%s", err)
	}
	return nil
}

func wireBreakpoint(err error) *jsonrpc.Error {
	_, ours := errors.AsType[*breakpointError](err)
	_, theirs := errors.AsType[*proc.BreakpointError](err)
	if !ours && !theirs {
		return nil
	}
	return jsonrpc.Errorf(codeBreakpointFailed, "Breakpoint failed").WithDetails("%s", err)
}

func wireHistory(err error) *jsonrpc.Error {
	if !errors.Is(err, history.ErrNoHistory) {
		return nil
	}
	return jsonrpc.Errorf(codeNoHistory, "History unavailable").WithDetails("%s", err)
}

func wireFailure(err error) *jsonrpc.Error {
	if errors.Is(err, proc.ErrRunning) {
		err = errRunning
	}
	if e, ok := errors.AsType[*history.RewindError](err); ok {
		err = &failure{"Cannot go on from the past", e.Reason}
	}
	if e, ok := errors.AsType[*failure](err); ok {
		return jsonrpc.Errorf(codeFailed, "%s", e.what).WithDetails("%s", e.details)
	}
	return nil
}

// wireMissing is for what the program or the system does not have.
func wireMissing(err error) *jsonrpc.Error {
	var what string
	switch {
	case errors.Is(err, symbols.ErrNotFound):
		what = "Not found"
	case errors.Is(err, proc.ErrNoThread):
		what = "No such thread"
	case errors.Is(err, ptrace.ErrPlatform):
		what = "Debugging is not possible here"
	case isAccess(err):
		what = "Memory cannot be accessed"
	default:
		return nil
	}
	return jsonrpc.Errorf(codeFailed, "%s", what).WithDetails("%s", err)
}

// isProcess says whether an error is about the process, not about what was
// asked of it.
func isProcess(err error) bool {
	for _, each := range []error{proc.ErrExited, proc.ErrDetached, proc.ErrRunning, proc.ErrNoThread, context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, each) {
			return true
		}
	}
	return false
}
