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
			Doc:    "Show the calls that led to where a thread stands",
			Phrase: "Stack trace inspected",
			Call:   mcp.Typed(still(t.sessions, t.stackTrace)),
		},
		{
			Name: "debugger/get_variables", Title: "Variables", Scope: scopeRead, Hints: mcp.ReadOnly,
			Doc:    "Show local or global variables with their types and values",
			Phrase: "Variables inspected{ (scope: $scope)}", Details: factsOf(scopeFact),
			Call: mcp.Typed(still(t.sessions, t.variables)),
		},
		{
			Name: "debugger/evaluate", Title: "Evaluate", Scope: scopeRead, Hints: mcp.ReadOnly,
			Doc:    "Evaluate an expression over variables, registers and memory",
			Phrase: "Expression evaluated",
			Call:   mcp.Typed(still(t.sessions, t.evaluate)),
		},
		{
			Name: "debugger/threads", Title: "Threads", Scope: scopeRead,
			Doc:    "List the threads and where they are, and choose the current one",
			Phrase: "Threads inspected",
			Call:   mcp.Typed(still(t.sessions, t.threads)),
		},
		{
			Name: "debugger/goroutines", Title: "Goroutines", Scope: scopeRead, Hints: mcp.ReadOnly,
			Doc:    "List the goroutines of a Go program and what they wait for",
			Phrase: "Goroutines inspected",
			Call:   mcp.Typed(still(t.sessions, t.goroutines)),
		},
		{
			Name: "debugger/registers", Title: "Registers", Scope: scopeRead, Hints: mcp.ReadOnly,
			Doc:    "Show the registers of a thread",
			Phrase: "Registers inspected",
			Call:   mcp.Typed(still(t.sessions, t.registers)),
		},
		{
			Name: "debugger/read_memory", Title: "Read memory", Scope: scopeRead, Hints: mcp.ReadOnly,
			Doc:    "Show memory of the process in hexadecimal",
			Phrase: "Memory inspected{ at $address}", Details: factsOf(addressFact),
			Call: mcp.Typed(still(t.sessions, t.readMemory)),
		},
		{
			Name: "debugger/write_memory", Title: "Write memory", Scope: scopeWrite, Hints: mcp.Destructive,
			Doc:    "Change memory of the process",
			Phrase: "Memory written{ at $address}", Details: factsOf(addressFact),
			Call: mcp.Typed(changes(t.sessions, t.writeMemory)),
		},
		{
			Name: "debugger/disassemble", Title: "Disassemble", Scope: scopeRead, Hints: mcp.ReadOnly,
			Doc:    "Show instructions in Intel syntax",
			Phrase: "Code inspected",
			Call:   mcp.Typed(still(t.sessions, t.disassemble)),
		},
		{
			Name: "debugger/source", Title: "Source", Scope: scopeRead, Hints: mcp.ReadOnly,
			Doc:    "Show source lines around the current one, or around another one of the program",
			Phrase: "Source inspected",
			Call:   mcp.Typed(still(t.sessions, t.source)),
		},
	}
}
