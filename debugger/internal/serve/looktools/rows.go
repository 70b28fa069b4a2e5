package looktools

import (
	"github.com/triptych-mcp/triptych/debugger/internal/serve/sessiontools"
	"github.com/triptych-mcp/triptych/mcp"
)

// Tools returns the rows of the group.
func (t *Group) Tools() []mcp.Tool {
	rows := t.rows()
	if t.AllowCalls {
		for i := range rows {
			if row := &rows[i]; row.Name == evaluateName { // it may change anything
				row.Hints, row.LookUp = 0, ""
			}
		}
	}
	return rows
}

const evaluateName = "debugger/evaluate"

func (t *Group) rows() []mcp.Tool {
	return []mcp.Tool{
		{
			Name: "debugger/get_stack_trace", Title: "Stack trace", Scope: sessiontools.ReadScope, Hints: mcp.ReadOnly,
			LookUp: sessiontools.LookUp,
			Doc:    "Show the call stack of a thread",
			Call:   mcp.Typed(sessiontools.WithStopped(t.Sessions, t.stackTrace)),
		},
		{
			Name: "debugger/get_variables", Title: "Variables", Scope: sessiontools.ReadScope, Hints: mcp.ReadOnly,
			LookUp:  sessiontools.LookUp,
			Doc:     "Show local or global variables with their types and values",
			Details: sessiontools.FactsOf(sessiontools.ScopeFact),
			Call:    mcp.Typed(sessiontools.WithStopped(t.Sessions, t.variables)),
		},
		{
			Name: evaluateName, Title: "Evaluate", Scope: sessiontools.ReadScope, Hints: mcp.ReadOnly,
			LookUp: sessiontools.LookUp,
			Doc:    "Evaluate an expression over variables, registers and memory",
			Call:   mcp.Typed(sessiontools.WithStopped(t.Sessions, t.evaluate)),
		},
		{
			Name: "debugger/threads", Title: "Threads", Scope: sessiontools.ReadScope,
			Doc:  "List threads, where they are and what they wait for, or choose the current one",
			Call: mcp.Typed(sessiontools.WithStopped(t.Sessions, t.threads)),
		},
		{
			Name: "debugger/goroutines", Title: "Goroutines", Scope: sessiontools.ReadScope, Hints: mcp.ReadOnly,
			LookUp: sessiontools.LookUp,
			Doc:    "List a Go program's goroutines and what they wait for",
			Call:   mcp.Typed(sessiontools.WithStopped(t.Sessions, t.goroutines)),
		},
		{
			Name: "debugger/registers", Title: "Registers", Scope: sessiontools.ReadScope, Hints: mcp.ReadOnly,
			LookUp: sessiontools.LookUp,
			Doc:    "Show the registers of a thread",
			Call:   mcp.Typed(sessiontools.WithStopped(t.Sessions, t.registers)),
		},
		{
			Name: "debugger/find", Title: "Find", Scope: sessiontools.ReadScope, Hints: mcp.ReadOnly,
			LookUp: sessiontools.LookUp,
			Doc:    "Find names of the program, modules, or text, bytes and pointers in memory",
			Call:   mcp.Typed(sessiontools.WithStopped(t.Sessions, t.find)),
		},
		{
			Name: "debugger/read_memory", Title: "Read memory", Scope: sessiontools.ReadScope, Hints: mcp.ReadOnly,
			LookUp:  sessiontools.LookUp,
			Doc:     "Show memory of the process in hexadecimal",
			Details: sessiontools.FactsOf(sessiontools.AddressFact),
			Call:    mcp.Typed(sessiontools.WithStopped(t.Sessions, t.readMemory)),
		},
		{
			Name: "debugger/write_memory", Title: "Write memory", Scope: sessiontools.WriteScope, Hints: mcp.Destructive,
			Doc:     "Change memory of the process",
			Details: sessiontools.FactsOf(sessiontools.AddressFact),
			Call:    mcp.Typed(sessiontools.WithProcess(t.Sessions, t.writeMemory)),
		},
		{
			Name: "debugger/disassemble", Title: "Disassemble", Scope: sessiontools.ReadScope, Hints: mcp.ReadOnly,
			LookUp: sessiontools.LookUp,
			Doc:    "Show instructions in Intel syntax",
			Call:   mcp.Typed(sessiontools.WithStopped(t.Sessions, t.disassemble)),
		},
		{
			Name: "debugger/source", Title: "Source", Scope: sessiontools.ReadScope, Hints: mcp.ReadOnly,
			LookUp: sessiontools.LookUp,
			Doc:    "Show source lines, by default around the current one",
			Call:   mcp.Typed(sessiontools.WithStopped(t.Sessions, t.source)),
		},
	}
}
