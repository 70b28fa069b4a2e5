package controltools

import (
	"github.com/triptych-mcp/triptych/debugger/internal/sessiontools"
	"github.com/triptych-mcp/triptych/mcp"
)

// sessionTools returns the tools that begin and end sessions.
func (t *Group) sessionTools() []mcp.Tool {
	return []mcp.Tool{
		{
			Name: "debugger/attach", Title: "Attach", Scope: sessiontools.WriteScope, Hints: mcp.OpenWorld,
			Doc:    "Attach to a running process",
			Phrase: "Attached{ to PID $pid}", Details: sessiontools.FactsOf(sessiontools.PIDFact),
			Call: mcp.Typed(t.attach),
		},
		{
			Name: "debugger/launch", Title: "Launch", Scope: sessiontools.WriteScope, Hints: mcp.OpenWorld,
			Doc:    "Start a program under the debugger, stopped at main",
			Phrase: "Program launched{ as PID $pid}", Details: sessiontools.FactsOf(sessiontools.ProcessFact),
			Call: mcp.Typed(t.launch),
		},
		{
			Name: "debugger/detach", Title: "Detach", Scope: sessiontools.WriteScope, Interrupts: true,
			Doc:    "Take out all breakpoints and let the process run on without the debugger",
			Phrase: "Detached{ from PID $pid}", Details: sessiontools.FactsOf(sessiontools.ProcessFact),
			Call: mcp.Typed(t.detach),
		},
		{
			Name: "debugger/sessions", Title: "Sessions", Scope: sessiontools.ReadScope, Hints: mcp.ReadOnly, Interrupts: true,
			LookUp: sessiontools.LookUp,
			Doc:    "List the processes that are being debugged",
			Phrase: "Sessions listed",
			Call:   mcp.Typed(t.list),
		},
	}
}

// breakpointTools returns the tools that set and list breakpoints.
func (t *Group) breakpointTools() []mcp.Tool {
	return []mcp.Tool{
		{
			Name: "debugger/set_breakpoint", Title: "Set breakpoint", Scope: sessiontools.WriteScope,
			Doc:    "Stop the process whenever it comes to an address, function or source line",
			Phrase: "Breakpoint set{ at $address}", Details: sessiontools.FactsOf(sessiontools.AddressFact),
			Call: mcp.Typed(sessiontools.WithExecution(t.Sessions, t.setBreakpoint)),
		},
		{
			Name: "debugger/list_breakpoints", Title: "List breakpoints", Scope: sessiontools.ReadScope, Hints: mcp.ReadOnly,
			LookUp: sessiontools.LookUp,
			Doc:    "List breakpoints and watchpoints with how often they were hit",
			Phrase: "Breakpoints inspected",
			Call:   mcp.Typed(sessiontools.WithStopped(t.Sessions, t.listBreakpoints)),
		},
		{
			Name: "debugger/clear_breakpoint", Title: "Clear breakpoint", Scope: sessiontools.WriteScope, Hints: mcp.Idempotent,
			Doc:    "Take away a breakpoint or watchpoint",
			Phrase: "Breakpoint cleared{ ($id)}", Details: sessiontools.FactsOf(sessiontools.IDFact),
			Call: mcp.Typed(sessiontools.WithStopped(t.Sessions, t.clearBreakpoint)),
		},
		{
			Name: "debugger/set_watchpoint", Title: "Set watchpoint", Scope: sessiontools.WriteScope,
			Doc:    "Stop the process whenever memory is written, or read or written",
			Phrase: "Watchpoint set{ at $address}", Details: sessiontools.FactsOf(sessiontools.AddressFact),
			Call: mcp.Typed(sessiontools.WithExecution(t.Sessions, t.setWatchpoint)),
		},
	}
}

// runTools returns the tools that let the process run, step and stop.
func (t *Group) runTools() []mcp.Tool {
	return []mcp.Tool{
		{
			Name: "debugger/continue", Title: "Continue", Scope: sessiontools.WriteScope, Task: mcp.TaskWhenSlow, Hints: mcp.OpenWorld,
			Doc:    "Let the process run until a breakpoint, a signal or its end",
			Phrase: "Execution continued",
			Call:   mcp.Typed(sessiontools.WithSession(t.Sessions, t.resume)),
		},
		{
			Name: "debugger/pause", Title: "Pause", Scope: sessiontools.WriteScope, Hints: mcp.Idempotent, Interrupts: true,
			Doc:    "Stop a process that is running",
			Phrase: "Execution paused",
			Call:   mcp.Typed(t.pause),
		},
		{
			Name: "debugger/step_forward", Title: "Step instructions", Scope: sessiontools.WriteScope, Task: mcp.TaskWhenSlow,
			Doc:    "Do one or more instructions of the current thread while the others stand still",
			Phrase: "Step forward executed",
			Call:   mcp.Typed(sessiontools.WithExecution(t.Sessions, t.stepForward)),
		},
		{
			Name: "debugger/step_line", Title: "Step into", Scope: sessiontools.WriteScope, Task: mcp.TaskWhenSlow,
			Doc:    "Go on to the next source line, into functions that are called",
			Phrase: "Step by line executed",
			Call:   mcp.Typed(lineStep(t.Sessions, stepInto)),
		},
		{
			Name: "debugger/step_over", Title: "Step over", Scope: sessiontools.WriteScope, Task: mcp.TaskWhenSlow,
			Doc:    "Go on to the next source line of the function, over functions that are called",
			Phrase: "Step over executed",
			Call:   mcp.Typed(lineStep(t.Sessions, stepOver)),
		},
		{
			Name: "debugger/step_out", Title: "Step out", Scope: sessiontools.WriteScope, Task: mcp.TaskWhenSlow,
			Doc:    "Go on until the function returns to its caller",
			Phrase: "Step out executed",
			Call:   mcp.Typed(lineStep(t.Sessions, stepOut)),
		},
	}
}

// FileTools returns the tools that begin a session with a file.
func (t *Group) FileTools() []mcp.Tool {
	return []mcp.Tool{
		{
			Name: "debugger/open_core", Title: "Open a core file", Scope: sessiontools.ReadScope, Task: mcp.TaskWhenSlow,
			Doc:    "Begin a session with a core file: look at the threads, stacks, variables and memory of a process that has ended",
			Phrase: "Core file opened{ of PID $pid}", Details: sessiontools.FactsOf(sessiontools.ProcessFact),
			Call: mcp.Typed(t.openCore),
		},
		{
			Name: "debugger/open_trace", Title: "Open a trace", Scope: sessiontools.ReadScope, Task: mcp.TaskWhenSlow,
			Doc:    "Begin a session with a trace that was exported: go back and forth in a process's history without the process",
			Phrase: "Trace opened{ of PID $pid}", Details: sessiontools.FactsOf(sessiontools.ProcessFact),
			Call: mcp.Typed(t.openTrace),
		},
	}
}
