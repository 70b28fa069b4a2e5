package debugger

import "github.com/triptych-mcp/triptych/mcp"

// A lookGroup is the tools that show, and the one that changes, what a process
// that stands still is like.
type lookGroup struct {
	sessions *registry
	noWrite  bool
}

// tools are the rows of the group.
func (t *lookGroup) tools() []mcp.Tool {
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
