package controltools

import (
	"github.com/triptych-mcp/triptych/debugger/internal/serve/sessiontools"
	"github.com/triptych-mcp/triptych/mcp"
)

// sessionTools returns the tools that start and end sessions.
func (t *Group) sessionTools() []mcp.Tool {
	return []mcp.Tool{
		{
			Name: "debugger/attach", Title: "Attach", Scope: sessiontools.WriteScope, Hints: mcp.OpenWorld,
			Doc:     "Attach to a running process",
			Details: sessiontools.FactsOf(sessiontools.PIDFact),
			Call:    mcp.Typed(t.attach),
		},
		{
			Name: "debugger/launch", Title: "Launch", Scope: sessiontools.WriteScope, Hints: mcp.OpenWorld,
			Doc:     "Start a program under the debugger, stopped at main",
			Details: sessiontools.FactsOf(sessiontools.ProcessFact),
			Call:    mcp.Typed(t.launch),
		},
		{
			Name: "debugger/restart", Title: "Restart", Scope: sessiontools.WriteScope, Hints: mcp.OpenWorld, Interrupts: true,
			Doc:     "Launch the program again with its breakpoints",
			Details: sessiontools.FactsOf(sessiontools.ProcessFact),
			Call:    mcp.Typed(t.restart),
		},
		{
			Name: "debugger/get_output", Title: "Output", Scope: sessiontools.ReadScope, Hints: mcp.ReadOnly, Interrupts: true,
			LookUp: sessiontools.LookUp,
			Doc:    "Show what a launched program has written",
			Call:   mcp.Typed(t.getOutput),
		},
		{
			Name: "debugger/send_input", Title: "Send input", Scope: sessiontools.WriteScope, Interrupts: true,
			Doc:  "Write to a launched program's standard input",
			Call: mcp.Typed(t.sendInput),
		},
		{
			Name: "debugger/detach", Title: "Detach", Scope: sessiontools.WriteScope, Interrupts: true,
			Doc:     "Remove all breakpoints and let the process run on",
			Details: sessiontools.FactsOf(sessiontools.ProcessFact),
			Call:    mcp.Typed(t.detach),
		},
		{
			Name: "debugger/sessions", Title: "Sessions", Scope: sessiontools.ReadScope, Hints: mcp.ReadOnly, Interrupts: true,
			LookUp: sessiontools.LookUp,
			Doc:    "List debugging sessions",
			Call:   mcp.Typed(t.list),
		},
	}
}

// breakpointTools returns the tools that set and list breakpoints.
func (t *Group) breakpointTools() []mcp.Tool {
	return []mcp.Tool{
		{
			Name: "debugger/set_breakpoint", Title: "Set breakpoint", Scope: sessiontools.WriteScope,
			Doc:     "Stop, or log, at a function, source line or address",
			Details: sessiontools.FactsOf(sessiontools.AddressFact),
			Call:    mcp.Typed(sessiontools.WithExecution(t.Sessions, t.setBreakpoint)),
		},
		{
			Name: "debugger/list_breakpoints", Title: "List breakpoints", Scope: sessiontools.ReadScope, Hints: mcp.ReadOnly,
			LookUp: sessiontools.LookUp,
			Doc:    "List breakpoints and watchpoints with their hits",
			Call:   mcp.Typed(sessiontools.WithStopped(t.Sessions, t.listBreakpoints)),
		},
		{
			Name: "debugger/clear_breakpoint", Title: "Clear breakpoint", Scope: sessiontools.WriteScope, Hints: mcp.Idempotent,
			Doc:     "Remove breakpoints and watchpoints",
			Details: sessiontools.FactsOf(sessiontools.IDFact),
			Call:    mcp.Typed(sessiontools.WithStopped(t.Sessions, t.clearBreakpoint)),
		},
		{
			Name: "debugger/set_watchpoint", Title: "Set watchpoint", Scope: sessiontools.WriteScope,
			Doc:     "Stop when memory is written, or read",
			Details: sessiontools.FactsOf(sessiontools.AddressFact),
			Call:    mcp.Typed(sessiontools.WithExecution(t.Sessions, t.setWatchpoint)),
		},
	}
}

// runTools returns the tools that make the process run, step and stop.
func (t *Group) runTools() []mcp.Tool {
	return []mcp.Tool{
		{
			Name: "debugger/continue", Title: "Continue", Scope: sessiontools.WriteScope, Task: mcp.TaskWhenSlow, Hints: mcp.OpenWorld,
			Doc:  "Let the process run until a breakpoint, a signal or its end",
			Call: mcp.Typed(sessiontools.WithSession(t.Sessions, t.resume)),
		},
		{
			Name: "debugger/wait", Title: "Wait", Scope: sessiontools.WriteScope, Task: mcp.TaskWhenSlow, Hints: mcp.Idempotent,
			Doc:  "Wait for a running process to stop",
			Call: mcp.Typed(sessiontools.WithSession(t.Sessions, t.wait)),
		},
		{
			Name: "debugger/pause", Title: "Pause", Scope: sessiontools.WriteScope, Hints: mcp.Idempotent, Interrupts: true,
			Doc:  "Stop a process that is running",
			Call: mcp.Typed(t.pause),
		},
		{
			Name: "debugger/step_forward", Title: "Step instructions", Scope: sessiontools.WriteScope, Task: mcp.TaskWhenSlow,
			Doc:  "Execute instructions of the current thread only",
			Call: mcp.Typed(sessiontools.WithExecution(t.Sessions, t.stepForward)),
		},
		{
			Name: "debugger/step_line", Title: "Step into", Scope: sessiontools.WriteScope, Task: mcp.TaskWhenSlow,
			Doc:  "Run to the next source line, entering called functions",
			Call: mcp.Typed(lineStep(t.Sessions, stepInto)),
		},
		{
			Name: "debugger/step_over", Title: "Step over", Scope: sessiontools.WriteScope, Task: mcp.TaskWhenSlow,
			Doc:  "Run to the next source line of this function",
			Call: mcp.Typed(lineStep(t.Sessions, stepOver)),
		},
		{
			Name: "debugger/step_out", Title: "Step out", Scope: sessiontools.WriteScope, Task: mcp.TaskWhenSlow,
			Doc:  "Run until this function returns",
			Call: mcp.Typed(lineStep(t.Sessions, stepOut)),
		},
	}
}

// FileTools returns the tools that start a session with a file.
func (t *Group) FileTools() []mcp.Tool {
	return []mcp.Tool{
		{
			Name: "debugger/open_core", Title: "Open a core file", Scope: sessiontools.ReadScope, Task: mcp.TaskWhenSlow,
			Doc:     "Open a core file of a process that has ended",
			Details: sessiontools.FactsOf(sessiontools.ProcessFact),
			Call:    mcp.Typed(t.openCore),
		},
		{
			Name: "debugger/open_trace", Title: "Open a trace", Scope: sessiontools.ReadScope, Task: mcp.TaskWhenSlow,
			Doc:     "Open an exported trace, to go both ways in it",
			Details: sessiontools.FactsOf(sessiontools.ProcessFact),
			Call:    mcp.Typed(t.openTrace),
		},
	}
}
