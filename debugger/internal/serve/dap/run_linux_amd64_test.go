package dap_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	godap "github.com/google/go-dap"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/session/sessiontest"
	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
)

// Breakpoints stop when their conditions on variables and on the number of
// hits hold: weigh is called with the factors 1 to 6.
func TestConditions(t *testing.T) {
	for name, tt := range map[string]struct {
		condition, hits string
		want            []string
	}{
		"none":          {"", "", []string{"1", "2", "3", "4", "5", "6"}},
		"condition":     {"factor > 4", "", []string{"5", "6"}},
		"hits":          {"", "5", []string{"5", "6"}},
		"exactly":       {"", "== 2", []string{"2"}},
		"every second":  {"", "% 2", []string{"2", "4", "6"}},
		"at most":       {"", "<=1", []string{"1"}},
		"more than":     {"", ">4", []string{"5", "6"}},
		"both":          {"factor > 2", "% 3", []string{"5"}}, // the third of 3, 4, 5 and 6
		"never":         {"factor > 6", "", nil},
		"member behind": {"it->id == 7 && factor != 4", "", []string{"2", "6"}},
	} {
		t.Run(name, func(t *testing.T) {
			sample.Case(t)
			c := serve(t, sessiontest.NewRegistry(t), nil, session.Owner)
			c.begin("launch", map[string]any{"program": debuggertest.Build(t, "inventory.c"), "args": []string{}})
			line := debuggertest.Line(t, "inventory.c", "weigh")
			c.setBreakpoints("inventory.c",
				godap.SourceBreakpoint{Line: line, Condition: tt.condition, HitCondition: tt.hits},
				godap.SourceBreakpoint{Line: debuggertest.Line(t, "inventory.c", "print")})
			c.do("configurationDone", nil)
			var got []string
			for stop := c.stopped(); ; stop = c.stopped() {
				f := c.frames(stop.ThreadId, 0, 1).StackFrames[0]
				if f.Line != line {
					break
				}
				got = append(got, c.value("factor", f.Id))
				c.do("continue", nil)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("it stops with the factors %v, want %v", got, tt.want)
			}
			c.end()
		})
	}
}

// A breakpoint that cannot be is not verified, and says why.
func TestRejectedBreakpoints(t *testing.T) {
	c := serve(t, sessiontest.NewRegistry(t), nil, session.Owner)
	c.begin("launch", map[string]any{"program": debuggertest.Build(t, "inventory.c"), "args": []string{}})
	line := debuggertest.Line(t, "inventory.c", "weigh")
	for want, b := range map[string]godap.SourceBreakpoint{
		"no code":      {Line: 100000},
		"hit condi":    {Line: line, HitCondition: "often"},
		"nothing":      {Line: line, Condition: "nothing == 2"},
		"understood":   {Line: line, Condition: "1 +"},
		"not closed":   {Line: line, LogMessage: "x {"},
		"% 0":          {Line: line, HitCondition: "% 0"},
		"is not known": {Line: line, LogMessage: "{nothing}"},
	} {
		got := c.setBreakpoints("inventory.c", b)[0]
		if got.Verified || want != "is not known" && !strings.Contains(got.Message, want) || got.Message == "" {
			t.Errorf("%+v: %+v, want a message with %q", b, got, want)
		}
	}
	if got := c.setBreakpoints("inventory.c", godap.SourceBreakpoint{Line: line - 2})[0]; !got.Verified || got.Line != line-1 {
		t.Errorf("in the empty line before the function: %+v, want verified in line %d", got, line-1)
	}
	functions := ask[godap.SetFunctionBreakpointsResponseBody](c, "setFunctionBreakpoints", godap.SetFunctionBreakpointsArguments{
		Breakpoints: []godap.FunctionBreakpoint{{Name: "weight"}, {Name: "nest"}},
	}).Breakpoints
	if functions[0].Verified || !strings.Contains(functions[0].Message, "weigh") || !functions[1].Verified {
		t.Errorf("functions: %+v, want the second one, and for the first the name weigh", functions)
	}
	c.end()
}

// Logpoints write into the console and do not stop.
func TestLogpoint(t *testing.T) {
	c := serve(t, sessiontest.NewRegistry(t), nil, session.Owner)
	c.begin("launch", map[string]any{"program": debuggertest.Build(t, "inventory.c"), "args": []string{}})
	c.setBreakpoints("inventory.c", godap.SourceBreakpoint{
		Line: debuggertest.Line(t, "inventory.c", "weighed"), LogMessage: "{it->id} times {factor}", HitCondition: "> 3",
	})
	c.do("configurationDone", nil)
	console := ""
	for _, m := range c.untilTerminated() {
		if e, ok := m.(*godap.OutputEvent); ok && e.Body.Category == "console" {
			console += e.Body.Output
		}
	}
	if want := "7 times 4\n3 times 5\n7 times 6\n"; console != want {
		t.Errorf("it logs %q, want %q", console, want)
	}
	c.end()
}

// Breakpoints of functions, of addresses and of data stop for their own
// reasons.
func TestKindsOfBreakpoints(t *testing.T) {
	c := launched(t, "weigh")
	f := c.at(c.stopped(), "inventory.c", "weigh")
	c.breakAt("inventory.c")
	info := ask[godap.DataBreakpointInfoResponseBody](c, "dataBreakpointInfo", godap.DataBreakpointInfoArguments{Name: "rounds", FrameId: f.Id})
	id, _ := info.DataId.(string)
	data := godap.SetDataBreakpointsArguments{Breakpoints: []godap.DataBreakpoint{{DataId: id, AccessType: "write"}}}
	if got := ask[godap.SetDataBreakpointsResponseBody](c, "setDataBreakpoints", data).Breakpoints; !got[0].Verified {
		t.Errorf("rounds: %+v", got)
	}
	c.do("setFunctionBreakpoints", godap.SetFunctionBreakpointsArguments{Breakpoints: []godap.FunctionBreakpoint{{Name: "weigh"}}})
	code := ask[godap.DisassembleResponseBody](c, "disassemble", godap.DisassembleArguments{MemoryReference: f.InstructionPointerReference, InstructionCount: 2}).Instructions
	c.do("setInstructionBreakpoints", godap.SetInstructionBreakpointsArguments{Breakpoints: []godap.InstructionBreakpoint{{InstructionReference: code[1].Address}}})
	for i, want := range []string{"instruction breakpoint", "data breakpoint", "function breakpoint", "instruction breakpoint", "data breakpoint"} {
		c.do("continue", nil)
		stop := c.stopped()
		if stop.Reason != want || len(stop.HitBreakpointIds) != 1 {
			t.Errorf("stop %d is for %q %v, want %q", i, stop.Reason, stop.HitBreakpointIds, want)
		}
	}
	if got := c.value("rounds", 0); got != "2" {
		t.Errorf("rounds is %s at its second write, want 2", got)
	}
	if got := ask[godap.DataBreakpointInfoResponseBody](c, "dataBreakpointInfo", godap.DataBreakpointInfoArguments{Name: "1 + 2"}); got.DataId != nil {
		t.Errorf("1 + 2 can be watched: %+v", got)
	}
	c.end()
}

// Steps go where the source says, by lines and by instructions.
func TestSteps(t *testing.T) {
	c := launched(t, "call")
	stop := c.stopped()
	for _, step := range []struct{ command, mark string }{
		{"next", "round"}, {"next", ""}, {"next", "call"}, {"stepIn", "weigh"}, {"next", "total"}, {"stepOut", "round"},
	} {
		c.do(step.command, godap.NextArguments{ThreadId: stop.ThreadId})
		if stop = c.stopped(); stop.Reason != "step" && stop.Reason != "breakpoint" {
			t.Errorf("after %s it stops for %s", step.command, stop.Reason)
		}
		if step.mark != "" {
			c.at(stop, "inventory.c", step.mark)
		}
	}
	byInstruction := godap.StepInArguments{ThreadId: stop.ThreadId, Granularity: "instruction"}
	for range 20 { // next never enters weigh
		c.do("next", byInstruction)
		if f := c.frames(c.stopped().ThreadId, 0, 1).StackFrames[0]; f.Name != "main" {
			t.Fatalf("a step over an instruction leads into %s", f.Name)
		}
	}
	before := c.frames(stop.ThreadId, 0, 1).StackFrames[0].InstructionPointerReference
	code := ask[godap.DisassembleResponseBody](c, "disassemble", godap.DisassembleArguments{MemoryReference: before, InstructionCount: 1}).Instructions
	c.do("stepIn", byInstruction)
	c.stopped()
	c.do("stepBack", byInstruction)
	stop = c.stopped()
	if f := c.frames(stop.ThreadId, 0, 1).StackFrames[0]; stop.Reason != "step" || f.InstructionPointerReference != before {
		t.Errorf("an instruction %+v on and back it is at %s, want %s", code, f.InstructionPointerReference, before)
	}
	c.end()
}

// A program stops at main if that is wanted, and a running one when it is
// paused. Breakpoints that are set while it runs take effect.
func TestPause(t *testing.T) {
	c := serve(t, sessiontest.NewRegistry(t), nil, session.Owner)
	c.begin("launch", map[string]any{"program": debuggertest.Build(t, "inventory.c"), "args": []string{"spin"}, "stopOnEntry": true})
	c.do("configurationDone", nil)
	if stop := c.stopped(); stop.Reason != "entry" || c.frames(stop.ThreadId, 0, 1).StackFrames[0].Name != "main" {
		t.Errorf("it stops for %+v, want at the entry, in main", stop)
	}
	c.do("continue", nil)
	if got := c.refused("evaluate", godap.EvaluateArguments{Expression: "total"}); !strings.Contains(got, "running") {
		t.Errorf("a running process: %q", got)
	}
	if threads := ask[godap.ThreadsResponseBody](c, "threads", nil).Threads; len(threads) > 1 {
		t.Errorf("threads of a running process: %+v", threads)
	}
	if got := c.breakAt("inventory.c", "spin"); !got[0].Verified {
		t.Errorf("set while it runs: %+v", got)
	}
	if stop := c.stopped(); stop.Reason != "breakpoint" {
		t.Errorf("it stops for %s, want the breakpoint", stop.Reason)
	}
	c.breakAt("inventory.c")
	c.do("continue", nil)
	c.do("pause", nil)
	if stop := c.stopped(); stop.Reason != "pause" {
		t.Errorf("it stops for %s, want the pause", stop.Reason)
	}
	c.do("pause", nil) // it is stopped already: clients that ask again get an answer
	c.stopped()
	pid := c.pid
	c.end()
	c.gone(pid)
}

// A request that pauses the program for a moment may come just when the program stops by
// itself: the client is told of that stop, once, and is answered.
func TestRequestsAtStops(t *testing.T) {
	c := serve(t, sessiontest.NewRegistry(t), nil, session.Owner)
	c.begin("launch", map[string]any{"program": debuggertest.Build(t, "inventory.c"), "args": []string{"spin"}})
	c.breakAt("inventory.c", "spin")
	c.do("configurationDone", nil)
	for range 30 {
		if stop := c.stopped(); stop.Reason != "breakpoint" {
			t.Fatalf("it stops for %s, want the breakpoint", stop.Reason)
		}
		resumed := c.send("continue", nil)
		set := c.send("setExceptionBreakpoints", godap.SetExceptionBreakpointsArguments{Filters: []string{"fault"}})
		for _, seq := range []int{resumed, set} {
			if r := c.await(seq); !r.Success {
				t.Fatalf("%s: %s", r.Command, r.Message)
			}
		}
	}
	c.stopped()
	c.end()
}

// A program of Go stops where its source says, and at a panic.
func TestGo(t *testing.T) {
	c := serve(t, sessiontest.NewRegistry(t), nil, session.Owner)
	c.begin("launch", map[string]any{"program": debuggertest.Build(t, "stock/stock.go", "-trimpath=false", "-gcflags=all=-N -l"), "args": []string{"out of screws"}})
	c.breakAt("stock/stock.go", "weighed")
	c.do("setExceptionBreakpoints", godap.SetExceptionBreakpointsArguments{Filters: []string{"fault", "panic"}})
	c.do("configurationDone", nil)
	f := c.at(c.stopped(), "stock/stock.go", "weighed")
	if got := c.value("weight", f.Id); got != "120" {
		t.Errorf("weight is %s, want 3*40", got)
	}
	caller := c.frames(0, 1, 1).StackFrames[0]
	items := named(t, c.scope(caller.Id, "Locals"), "items")
	if items.IndexedVariables != 2 {
		t.Errorf("items is %+v, want 2 elements", items)
	}
	second := c.variables(items.VariablesReference, 1, 1)
	if name := named(t, c.variables(second[0].VariablesReference, 0, 0), "Name"); name.Value != `"screw"` {
		t.Errorf("items[1].Name is %s, want screw", name.Value)
	}
	stock := named(t, c.scope(caller.Id, "Locals"), "stock")
	if entries := c.variables(stock.VariablesReference, 0, 0); len(entries) != 2 {
		t.Errorf("stock has the entries %+v, want 2", entries)
	}
	c.breakAt("stock/stock.go")
	c.do("continue", nil)
	if stop := c.stopped(); stop.Reason != "exception" || stop.Description != "Panic" {
		t.Errorf("it stops for %+v, want the panic", stop)
	}
	if info := ask[godap.ExceptionInfoResponseBody](c, "exceptionInfo", godap.ExceptionInfoArguments{}); info.ExceptionId != "Panic" {
		t.Errorf("exceptionInfo: %+v", info)
	}
	c.end()
}

// An aborting program stops at the signal, unless the client does not want to.
func TestSignals(t *testing.T) {
	for _, filters := range [][]string{{"fault"}, {}} {
		c := serve(t, sessiontest.NewRegistry(t), nil, session.Owner)
		c.begin("launch", map[string]any{"program": debuggertest.Build(t, "inventory.c"), "args": []string{"abort"}})
		c.do("setExceptionBreakpoints", godap.SetExceptionBreakpointsArguments{Filters: filters})
		c.do("configurationDone", nil)
		if len(filters) > 0 {
			if stop := c.stopped(); stop.Reason != "exception" || stop.Description != "Signal SIGABRT" {
				t.Errorf("it stops for %+v, want SIGABRT", stop)
			}
			c.do("continue", nil)
		}
		code := 0
		for _, m := range c.untilTerminated() {
			if e, ok := m.(*godap.ExitedEvent); ok {
				code = e.Body.ExitCode
			}
		}
		if code != 128+6 {
			t.Errorf("the exit code is %d, want 134 as a shell says", code)
		}
		c.end()
	}
	c := launched(t, "weigh")
	if got := c.refused("setExceptionBreakpoints", godap.SetExceptionBreakpointsArguments{Filters: []string{"none"}}); !strings.Contains(got, "none") {
		t.Errorf("an unknown filter: %q", got)
	}
	c.end()
}

// The filter of system calls stops before and after those of its condition.
func TestSyscallFilter(t *testing.T) {
	c := launched(t, "weigh")
	c.stopped()
	c.breakAt("inventory.c")
	c.do("setExceptionBreakpoints", godap.SetExceptionBreakpointsArguments{
		Filters: []string{}, FilterOptions: []godap.ExceptionFilterOptions{{FilterId: "syscall", Condition: "write,exit_group"}},
	})
	for _, want := range []string{`write\(2, "total .*", \d+\)`, `write\(2, "total .*", \d+\) = \d+`, `exit_group\(\d+\)`} {
		c.do("continue", nil)
		stop := c.stopped()
		if stop.Reason != "exception" || stop.Description != "System call" || !regexp.MustCompile("^"+want+"$").MatchString(stop.Text) {
			t.Errorf("it stops for %+v, want %s", stop, want)
		}
	}
	c.end()
}

// A process that was attached to runs on when the client has gone.
func TestAttach(t *testing.T) {
	p := debuggertest.Start(t, "shapes.c")
	c := serve(t, sessiontest.NewRegistry(t), nil, session.Owner)
	c.begin("attach", map[string]any{"pid": p.PID, "stopOnEntry": true})
	c.breakAt("shapes.c", "visit")
	c.do("configurationDone", nil)
	if stop := c.stopped(); stop.Reason != "entry" {
		t.Errorf("it stops for %s, want the entry", stop.Reason)
	}
	c.do("continue", nil)
	p.Tell("run")
	f := c.at(c.stopped(), "shapes.c", "visit")
	grid := named(t, c.scope(f.Id, "Locals"), "grid")
	row := c.variables(grid.VariablesReference, 1, 1)[0]
	if got := c.variables(row.VariablesReference, 0, 0); len(got) != 3 || got[2].Value != "6" {
		t.Errorf("grid[1] is %+v, want 4, 5 and 6", got)
	}
	if got := c.value("c", f.Id); got != "GREEN" {
		t.Errorf("c is %s, want GREEN", got)
	}
	c.end()
	// total is 7; add(7, 1) + 6 and so on: 14, 22, 31.
	if got := p.Line(); got != "31" {
		t.Errorf("the process answers %s after it was detached from, want 31", got)
	}
}
