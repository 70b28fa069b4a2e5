package debugger

import (
	"slices"

	"github.com/triptych-mcp/triptych/mcp"
)

// A controlGroup is the tools that begin and end sessions, set breakpoints, and
// let the process run.
type controlGroup struct {
	sessions *registry
	policy   policy
	noLaunch bool
	noWrite  bool
	traces   shelf // core files and traces that can be opened
}

// tools are the rows of the group, but for those that open files.
func (t *controlGroup) tools() []mcp.Tool {
	return slices.Concat(t.sessionTools(), t.breakpointTools(), t.runTools())
}

// sessionTools begin and end sessions.
func (t *controlGroup) sessionTools() []mcp.Tool {
	return []mcp.Tool{
		{
			Name: "debugger/attach", Title: "Attach", Scope: scopeWrite, Hints: mcp.OpenWorld,
			Doc:    "Attach to a running process",
			Phrase: "Attached{ to PID $pid}", Details: factsOf(pidFact),
			Call: mcp.Typed(t.attach),
		},
		{
			Name: "debugger/launch", Title: "Launch", Scope: scopeWrite, Hints: mcp.OpenWorld,
			Doc:    "Start a program under the debugger, stopped at main",
			Phrase: "Program launched{ as PID $pid}", Details: factsOf(processFact),
			Call: mcp.Typed(t.launch),
		},
		{
			Name: "debugger/detach", Title: "Detach", Scope: scopeWrite, Interrupts: true,
			Doc:    "Take out all breakpoints and let the process run on without the debugger",
			Phrase: "Detached{ from PID $pid}", Details: factsOf(processFact),
			Call: mcp.Typed(t.detach),
		},
		{
			Name: "debugger/sessions", Title: "Sessions", Scope: scopeRead, Hints: mcp.ReadOnly, Interrupts: true,
			Doc:    "List the processes that are being debugged",
			Phrase: "Sessions listed",
			Call:   mcp.Typed(t.list),
		},
	}
}

// breakpointTools say where to stop.
func (t *controlGroup) breakpointTools() []mcp.Tool {
	return []mcp.Tool{
		{
			Name: "debugger/set_breakpoint", Title: "Set breakpoint", Scope: scopeWrite,
			Doc:    "Stop the process whenever it comes to an address, function or source line",
			Phrase: "Breakpoint set{ at $address}", Details: factsOf(addressFact),
			Call: mcp.Typed(moves(t.sessions, t.setBreakpoint)),
		},
		{
			Name: "debugger/list_breakpoints", Title: "List breakpoints", Scope: scopeRead, Hints: mcp.ReadOnly,
			Doc:    "List breakpoints and watchpoints with how often they were hit",
			Phrase: "Breakpoints inspected",
			Call:   mcp.Typed(still(t.sessions, t.listBreakpoints)),
		},
		{
			Name: "debugger/clear_breakpoint", Title: "Clear breakpoint", Scope: scopeWrite, Hints: mcp.Idempotent,
			Doc:    "Take away a breakpoint or watchpoint",
			Phrase: "Breakpoint cleared{ ($id)}", Details: factsOf(idFact),
			Call: mcp.Typed(still(t.sessions, t.clearBreakpoint)),
		},
		{
			Name: "debugger/set_watchpoint", Title: "Set watchpoint", Scope: scopeWrite,
			Doc:    "Stop the process whenever memory is written, or read or written",
			Phrase: "Watchpoint set{ at $address}", Details: factsOf(addressFact),
			Call: mcp.Typed(moves(t.sessions, t.setWatchpoint)),
		},
	}
}

// runTools let the process run and stop it.
func (t *controlGroup) runTools() []mcp.Tool {
	return []mcp.Tool{
		{
			Name: "debugger/continue", Title: "Continue", Scope: scopeWrite, Task: mcp.TaskWhenSlow, Hints: mcp.OpenWorld,
			Doc:    "Let the process run until a breakpoint, a signal or its end",
			Phrase: "Execution continued",
			Call:   mcp.Typed(with(t.sessions, t.resume)),
		},
		{
			Name: "debugger/pause", Title: "Pause", Scope: scopeWrite, Hints: mcp.Idempotent, Interrupts: true,
			Doc:    "Stop a process that is running",
			Phrase: "Execution paused",
			Call:   mcp.Typed(t.pause),
		},
		{
			Name: "debugger/step_forward", Title: "Step instructions", Scope: scopeWrite, Task: mcp.TaskWhenSlow,
			Doc:    "Do one or more instructions of the current thread while the others stand still",
			Phrase: "Step forward executed",
			Call:   mcp.Typed(moves(t.sessions, t.stepForward)),
		},
		{
			Name: "debugger/step_line", Title: "Step into", Scope: scopeWrite, Task: mcp.TaskWhenSlow,
			Doc:    "Go on to the next source line, into functions that are called",
			Phrase: "Step by line executed",
			Call:   mcp.Typed(lineStep(t.sessions, stepInto)),
		},
		{
			Name: "debugger/step_over", Title: "Step over", Scope: scopeWrite, Task: mcp.TaskWhenSlow,
			Doc:    "Go on to the next source line of the function, over functions that are called",
			Phrase: "Step over executed",
			Call:   mcp.Typed(lineStep(t.sessions, stepOver)),
		},
		{
			Name: "debugger/step_out", Title: "Step out", Scope: scopeWrite, Task: mcp.TaskWhenSlow,
			Doc:    "Go on until the function returns to its caller",
			Phrase: "Step out executed",
			Call:   mcp.Typed(lineStep(t.sessions, stepOut)),
		},
	}
}
