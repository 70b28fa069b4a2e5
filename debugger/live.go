package debugger

import "github.com/triptych-mcp/triptych/mcp"

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
}

// endSession lets the processes of a client go.
func (l *live) endSession(key string) {
	if err := l.sessions.endAll(key, false); err != nil {
		l.sessions.log.Warn("a process could not be let go", "err", err)
	}
}

// liveTools are the rows of the tools on live processes.
func (t *tools) liveTools() []mcp.Tool {
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
			Name: "debugger/sessions", Title: "Sessions", Scope: scopeRead, Hints: mcp.ReadOnly,
			Doc:  "List the processes that are being debugged",
			Call: mcp.Typed(t.list),
		},
		{
			Name: "debugger/continue", Title: "Continue", Scope: scopeWrite, Hints: mcp.OpenWorld,
			Doc:  "Let the process run until a breakpoint, a signal or its end",
			Call: mcp.Typed(with(t, t.resume)),
		},
		{
			Name: "debugger/pause", Title: "Pause", Scope: scopeWrite, Hints: mcp.Idempotent, Interrupts: true,
			Doc:  "Stop a process that is running",
			Call: mcp.Typed(t.pause),
		},
		{
			Name: "debugger/get_stack_trace", Title: "Stack trace", Scope: scopeRead, Hints: mcp.ReadOnly,
			Doc:  "Show the calls that led to where a thread stands",
			Call: mcp.Typed(still(t, t.stackTrace)),
		},
		{
			Name: "debugger/get_variables", Title: "Variables", Scope: scopeRead, Hints: mcp.ReadOnly,
			Doc:  "Show local or global variables with their types and values",
			Call: mcp.Typed(still(t, t.variables)),
		},
	}
}
