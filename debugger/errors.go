package debugger

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/limits/budget"
	"github.com/triptych-mcp/triptych/debugger/internal/program/symbols"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
	"github.com/triptych-mcp/triptych/debugger/internal/serve/bugtools"
	"github.com/triptych-mcp/triptych/debugger/internal/serve/xmltools"
	"github.com/triptych-mcp/triptych/debugger/internal/session/failure"
	"github.com/triptych-mcp/triptych/debugger/internal/session/folders"
	"github.com/triptych-mcp/triptych/debugger/internal/session/target"
	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/host"
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

// modelErrors are the codes of errors that a model can correct.
var modelErrors = append(xmltools.ModelErrors(),
	codeFailed, codeProcessNotFound, codeNotAttached, codeBreakpointFailed, codeNoHistory)

// wireErrors are tried in this order until one returns an error.
var wireErrors = []func(error) *jsonrpc.Error{
	wireArguments, wireNotAttached, wireRefused, wireOutside, wireProcess, wireBreakpoint, wireHistory, wireFailure, wireMissing,
	bugtools.WireError,
}

// wireError converts an error of the family to a JSON-RPC error. Unexpected
// ones are -32603 with their text.
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
	if answer := xmltools.WireError(err); answer != nil {
		return answer
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: withoutPaths(err)}
}

// wireArguments is for wrong arguments; the details list all that is wrong.
func wireArguments(err error) *jsonrpc.Error {
	if e, ok := errors.AsType[*failure.ArgumentError](err); ok {
		return mcp.InvalidParams("%s", e.Details)
	}
	if args, ok := errors.AsType[*schema.Error](err); ok {
		return mcp.InvalidParams("%s", args.Error())
	}
	return nil
}

func wireNotAttached(err error) *jsonrpc.Error {
	if e, ok := errors.AsType[*failure.NotAttachedError](err); ok {
		return jsonrpc.Errorf(codeNotAttached, "Not attached").WithDetails("%s", e.Details)
	}
	return nil
}

func wireRefused(err error) *jsonrpc.Error {
	denied := jsonrpc.Errorf(host.CodePermissionDenied, "Permission denied")
	if e, ok := errors.AsType[*failure.DeniedError](err); ok {
		return denied.WithDetails("%s", e.Details)
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
	_, ours := errors.AsType[*failure.BreakpointError](err)
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
		err = failure.ErrRunning
	}
	if e, ok := errors.AsType[*history.RewindError](err); ok {
		err = failure.Errorf("Cannot go on from the past", "%s", e.Reason)
	}
	if e, ok := errors.AsType[*failure.Error](err); ok {
		return failed(e.What, e.Details)
	}
	if e, ok := errors.AsType[*budget.Error](err); ok {
		return failed("Too much memory", e.Error())
	}
	return nil
}

// wireMissing is for things that the program or the system does not have.
func wireMissing(err error) *jsonrpc.Error {
	var what string
	switch {
	case errors.Is(err, symbols.ErrNotFound):
		what = "Not found"
	case errors.Is(err, proc.ErrNoThread):
		what = "No such thread"
	case errors.Is(err, ptrace.ErrPlatform):
		what = "Debugging is not possible here"
	case target.IsAccess(err):
		what = "Memory cannot be accessed"
	default:
		return nil
	}
	return failed(what, err.Error())
}

// failed returns -1 with the reason in the message, too, as many clients show
// nothing else.
func failed(what, details string) *jsonrpc.Error {
	return jsonrpc.Errorf(codeFailed, "%s: %s", what, details).WithDetails("%s", details)
}

// wireOutside is for files outside of the folders that may be read.
func wireOutside(err error) *jsonrpc.Error {
	if e, ok := errors.AsType[*folders.OutsideError](err); ok {
		return jsonrpc.Errorf(host.CodePermissionDenied, "Permission denied").WithDetails("%s", e.Error())
	}
	return nil
}

// withoutPaths returns the text of an error with file names in place of paths:
// the paths are on the server's disk, and the caller may be elsewhere.
func withoutPaths(err error) string {
	text := err.Error()
	for _, path := range pathsOf(err) {
		if filepath.IsAbs(path) {
			text = strings.ReplaceAll(text, path, filepath.Base(path))
		}
	}
	return text
}

// pathsOf returns the paths in the system's errors of a tree of errors.
func pathsOf(err error) (paths []string) {
	switch e := err.(type) { //nolint:errorlint // the tree is walked here
	case *fs.PathError:
		paths = []string{e.Path}
	case *os.LinkError:
		paths = []string{e.Old, e.New}
	}
	switch e := err.(type) { //nolint:errorlint // likewise
	case interface{ Unwrap() error }:
		paths = append(paths, pathsOf(e.Unwrap())...)
	case interface{ Unwrap() []error }:
		for _, each := range e.Unwrap() {
			paths = append(paths, pathsOf(each)...)
		}
	}
	return paths
}
