package traveltools

import (
	"github.com/triptych-mcp/triptych/debugger/internal/serve/sessiontools"
	"github.com/triptych-mcp/triptych/mcp"
)

// Tools returns the rows of the group.
func (t *Group) Tools() []mcp.Tool {
	return []mcp.Tool{
		{
			Name: "debugger/step_backward", Title: "Step back", Scope: sessiontools.WriteScope, Task: mcp.TaskWhenSlow,
			Doc:  "Go back by recorded instructions or lines",
			Call: mcp.Typed(sessiontools.WithStopped(t.Sessions, t.stepBackward)),
		},
		{
			Name: "debugger/reverse_continue", Title: "Continue backwards", Scope: sessiontools.WriteScope, Task: mcp.TaskWhenSlow,
			Doc:  "Go back to the last hit of a breakpoint or write to a watchpoint",
			Call: mcp.Typed(sessiontools.WithStopped(t.Sessions, t.reverseContinue)),
		},
		{
			Name: "debugger/seek", Title: "Go to a position", Scope: sessiontools.WriteScope, Task: mcp.TaskWhenSlow, Hints: mcp.Idempotent,
			Doc:  "Go to a position of the recorded history",
			Call: mcp.Typed(sessiontools.WithStopped(t.Sessions, t.seekTo)),
		},
		{
			Name: "debugger/last_write", Title: "Last write", Scope: sessiontools.ReadScope, Task: mcp.TaskWhenSlow,
			Doc:  "Find what wrote a value last: instruction, thread, stack, value before",
			Call: mcp.Typed(sessiontools.WithStopped(t.Sessions, t.lastWrite)),
		},
		{
			Name: "debugger/heap_block", Title: "Heap block", Scope: sessiontools.ReadScope, Task: mcp.TaskWhenSlow,
			Doc:  "Find the heap block of an address: who allocated and freed it, is it free now",
			Call: mcp.Typed(sessiontools.WithStopped(t.Sessions, t.heapBlock)),
		},
		{
			Name: "debugger/call_trace", Title: "Trace a call", Scope: sessiontools.ReadScope, Task: mcp.TaskWhenSlow,
			Doc:  "Show what a recorded call did: lines, changes, callees with results, return value",
			Call: mcp.Typed(sessiontools.WithStopped(t.Sessions, t.callTrace)),
		},
		{
			Name: "debugger/call_tree", Title: "Tree of calls", Scope: sessiontools.ReadScope, Task: mcp.TaskWhenSlow,
			Doc:  "Show which recorded functions called which, how often and where",
			Call: mcp.Typed(sessiontools.WithStopped(t.Sessions, t.callTree)),
		},
		{
			Name: "debugger/trace_value", Title: "Trace a value", Scope: sessiontools.ReadScope, Task: mcp.TaskWhenSlow,
			Doc:  "Follow a value back through the writes that made it, to inputs and constants",
			Call: mcp.Typed(sessiontools.WithStopped(t.Sessions, t.traceValue)),
		},
		{
			Name: "debugger/collect", Title: "Collect values", Scope: sessiontools.ReadScope, Task: mcp.TaskWhenSlow,
			Doc:  "Show expressions at each hit of places, in recorded history or a run",
			Call: mcp.Typed(sessiontools.WithStopped(t.Sessions, t.collect)),
		},
		{
			Name: "debugger/race", Title: "Races", Scope: sessiontools.ReadScope, Task: mcp.TaskWhenSlow,
			Doc:  "Find data races",
			Call: mcp.Typed(sessiontools.WithStopped(t.Sessions, t.race)),
		},
		{
			Name: "debugger/export_trace", Title: "Export the trace", Scope: sessiontools.ReadScope, Task: mcp.TaskWhenSlow,
			Doc:     "Write the recorded history, or part of it, to a file",
			Details: sessiontools.FactsOf(sessiontools.FormatFact),
			Call:    mcp.Typed(sessiontools.WithStopped(t.Sessions, t.exportTrace)),
		},
	}
}
