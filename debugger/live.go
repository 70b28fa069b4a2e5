package debugger

import (
	"slices"

	"github.com/triptych-mcp/triptych/mcp"
)

// The scopes of what looks at a process, and of what moves or changes one.
const (
	scopeRead  mcp.Scope = "debug:read"
	scopeWrite mcp.Scope = "debug:write"
)

const liveInstructions = "Attach to a process or launch a program, set breakpoints, continue, and look at the stack and variables " +
	"where it stops. A process stands still until continue, a step or detach; detach when done."

// live is what the tools on live processes have.
type live struct {
	sessions          *registry
	policy            policy
	noLaunch, noWrite bool
	exports           string // the folder for traces that are written
}

// endSession lets the processes of a client go.
func (l *live) endSession(key string) {
	if err := l.sessions.endAll(key, false); err != nil {
		l.sessions.log.Warn("a process could not be let go", "err", err)
	}
}

// liveTools are the rows of the tools on live processes.
func (t *tools) liveTools() []mcp.Tool {
	return slices.Concat(t.sessionTools(), t.breakpointTools(), t.runTools(), t.travelTools(), t.lookTools())
}

// sessionTools begin and end sessions.
func (t *tools) sessionTools() []mcp.Tool {
	return []mcp.Tool{
		{
			Name: "debugger/attach", Title: "Attach", Scope: scopeWrite, Hints: mcp.OpenWorld,
			Doc:  "Attach to a running process",
			Call: mcp.Typed(t.attach),
		},
		{
			Name: "debugger/launch", Title: "Launch", Scope: scopeWrite, Hints: mcp.OpenWorld,
			Doc:  "Start a program under the debugger, stopped at main",
			Call: mcp.Typed(t.launch),
		},
		{
			Name: "debugger/detach", Title: "Detach", Scope: scopeWrite, Interrupts: true,
			Doc:  "Take out all breakpoints and let the process run on without the debugger",
			Call: mcp.Typed(t.detach),
		},
		{
			Name: "debugger/sessions", Title: "Sessions", Scope: scopeRead, Hints: mcp.ReadOnly, Interrupts: true,
			Doc:  "List the processes that are being debugged",
			Call: mcp.Typed(t.list),
		},
	}
}

// breakpointTools say where to stop.
func (t *tools) breakpointTools() []mcp.Tool {
	return []mcp.Tool{
		{
			Name: "debugger/set_breakpoint", Title: "Set breakpoint", Scope: scopeWrite,
			Doc:  "Stop the process whenever it comes to an address, function or source line",
			Call: mcp.Typed(moves(t.sessions, t.setBreakpoint)),
		},
		{
			Name: "debugger/list_breakpoints", Title: "List breakpoints", Scope: scopeRead, Hints: mcp.ReadOnly,
			Doc:  "List breakpoints and watchpoints with how often they were hit",
			Call: mcp.Typed(still(t.sessions, t.listBreakpoints)),
		},
		{
			Name: "debugger/clear_breakpoint", Title: "Clear breakpoint", Scope: scopeWrite, Hints: mcp.Idempotent,
			Doc:  "Take away a breakpoint or watchpoint",
			Call: mcp.Typed(still(t.sessions, t.clearBreakpoint)),
		},
		{
			Name: "debugger/set_watchpoint", Title: "Set watchpoint", Scope: scopeWrite,
			Doc:  "Stop the process whenever memory is written, or read or written",
			Call: mcp.Typed(moves(t.sessions, t.setWatchpoint)),
		},
	}
}

// runTools let the process run and stop it.
func (t *tools) runTools() []mcp.Tool {
	return []mcp.Tool{
		{
			Name: "debugger/continue", Title: "Continue", Scope: scopeWrite, Task: mcp.TaskWhenSlow, Hints: mcp.OpenWorld,
			Doc:  "Let the process run until a breakpoint, a signal or its end",
			Call: mcp.Typed(with(t.sessions, t.resume)),
		},
		{
			Name: "debugger/pause", Title: "Pause", Scope: scopeWrite, Hints: mcp.Idempotent, Interrupts: true,
			Doc:  "Stop a process that is running",
			Call: mcp.Typed(t.pause),
		},
		{
			Name: "debugger/step_forward", Title: "Step instructions", Scope: scopeWrite, Task: mcp.TaskWhenSlow,
			Doc:  "Do one or more instructions of the current thread while the others stand still",
			Call: mcp.Typed(moves(t.sessions, t.stepForward)),
		},
		{
			Name: "debugger/step_line", Title: "Step into", Scope: scopeWrite, Task: mcp.TaskWhenSlow,
			Doc:  "Go on to the next source line, into functions that are called",
			Call: mcp.Typed(lineStep(t.sessions, stepInto)),
		},
		{
			Name: "debugger/step_over", Title: "Step over", Scope: scopeWrite, Task: mcp.TaskWhenSlow,
			Doc:  "Go on to the next source line of the function, over functions that are called",
			Call: mcp.Typed(lineStep(t.sessions, stepOver)),
		},
		{
			Name: "debugger/step_out", Title: "Step out", Scope: scopeWrite, Task: mcp.TaskWhenSlow,
			Doc:  "Go on until the function returns to its caller",
			Call: mcp.Typed(lineStep(t.sessions, stepOut)),
		},
	}
}

// lookTools show what a process that stands still is like.
func (t *tools) lookTools() []mcp.Tool {
	return []mcp.Tool{
		{
			Name: "debugger/get_stack_trace", Title: "Stack trace", Scope: scopeRead, Hints: mcp.ReadOnly,
			Doc:  "Show the calls that led to where a thread stands",
			Call: mcp.Typed(still(t.sessions, t.stackTrace)),
		},
		{
			Name: "debugger/get_variables", Title: "Variables", Scope: scopeRead, Hints: mcp.ReadOnly,
			Doc:  "Show local or global variables with their types and values",
			Call: mcp.Typed(still(t.sessions, t.variables)),
		},
		{
			Name: "debugger/evaluate", Title: "Evaluate", Scope: scopeRead, Hints: mcp.ReadOnly,
			Doc:  "Evaluate an expression over variables, registers and memory",
			Call: mcp.Typed(still(t.sessions, t.evaluate)),
		},
		{
			Name: "debugger/threads", Title: "Threads", Scope: scopeRead,
			Doc:  "List the threads and where they are, and choose the current one",
			Call: mcp.Typed(still(t.sessions, t.threads)),
		},
		{
			Name: "debugger/goroutines", Title: "Goroutines", Scope: scopeRead, Hints: mcp.ReadOnly,
			Doc:  "List the goroutines of a Go program and what they wait for",
			Call: mcp.Typed(still(t.sessions, t.goroutines)),
		},
		{
			Name: "debugger/registers", Title: "Registers", Scope: scopeRead, Hints: mcp.ReadOnly,
			Doc:  "Show the registers of a thread",
			Call: mcp.Typed(still(t.sessions, t.registers)),
		},
		{
			Name: "debugger/read_memory", Title: "Read memory", Scope: scopeRead, Hints: mcp.ReadOnly,
			Doc:  "Show memory of the process in hexadecimal",
			Call: mcp.Typed(still(t.sessions, t.readMemory)),
		},
		{
			Name: "debugger/write_memory", Title: "Write memory", Scope: scopeWrite, Hints: mcp.Destructive,
			Doc:  "Change memory of the process",
			Call: mcp.Typed(changes(t.sessions, t.writeMemory)),
		},
		{
			Name: "debugger/disassemble", Title: "Disassemble", Scope: scopeRead, Hints: mcp.ReadOnly,
			Doc:  "Show instructions in Intel syntax",
			Call: mcp.Typed(still(t.sessions, t.disassemble)),
		},
		{
			Name: "debugger/source", Title: "Source", Scope: scopeRead, Hints: mcp.ReadOnly,
			Doc:  "Show source lines around the current one, or around another one of the program",
			Call: mcp.Typed(still(t.sessions, t.source)),
		},
	}
}
