package debugger

import (
	"errors"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp"
)

// fileTools are the rows of the tools that begin sessions without a
// process.
func (t *controlGroup) fileTools() []mcp.Tool {
	return []mcp.Tool{
		{
			Name: "debugger/open_core", Title: "Open a core file", Scope: scopeRead, Task: mcp.TaskWhenSlow,
			Doc:    "Begin a session with a core file: look at the threads, stacks, variables and memory of a process that has ended",
			Phrase: "Core file opened{ of PID $pid}", Details: factsOf(processFact),
			Call: mcp.Typed(t.openCore),
		},
		{
			Name: "debugger/open_trace", Title: "Open a trace", Scope: scopeRead, Task: mcp.TaskWhenSlow,
			Doc:    "Begin a session with a trace that was exported: go back and forth in a process's history without the process",
			Phrase: "Trace opened{ of PID $pid}", Details: factsOf(processFact),
			Call: mcp.Typed(t.openTrace),
		},
	}
}

// wireOutside is for files that may not be opened.
func wireOutside(err error) *jsonrpc.Error {
	if e, ok := errors.AsType[*outsideError](err); ok {
		return jsonrpc.Errorf(mcp.CodePermissionDenied, "Permission denied").WithDetails("%s", e.Error())
	}
	return nil
}
