package dap_test

import (
	"encoding/base64"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	godap "github.com/google/go-dap"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/session/sessiontest"
)

// launched is a conversation with inventory.c, stopped at a mark for the first
// time.
func launched(t *testing.T, mark string, more ...string) *client {
	t.Helper()
	c := serve(t, sessiontest.NewRegistry(t), nil, session.Owner)
	c.begin("launch", map[string]any{"program": debuggertest.Build(t, "inventory.c"), "args": more, "env": map[string]string{"SHELF": "12"}})
	c.breakAt("inventory.c", mark)
	c.do("configurationDone", nil)
	return c
}

// The arguments of launch reach the program, its output and exit code the
// client.
func TestLaunch(t *testing.T) {
	c := launched(t, "weigh", "one", "two")
	c.at(c.stopped(), "inventory.c", "weigh")
	c.breakAt("inventory.c")
	c.do("continue", godap.ContinueArguments{})
	code := -1
	for _, m := range c.untilTerminated() {
		if e, ok := m.(*godap.ExitedEvent); ok {
			code = e.Body.ExitCode
		}
	}
	// 1*3 + 2*7 + 3*3 + 4*7 + 5*3 + 6*7 is 111.
	if want := "args 3, SHELF 12\ntotal 111, depth 31\n"; c.output != want || code != 4 {
		t.Errorf("the program writes %q and exits with %d, want %q and 4", c.output, code, want)
	}
	if got := c.refused("stackTrace", godap.StackTraceArguments{ThreadId: c.pid}); !strings.Contains(got, "ended") {
		t.Errorf("after the end: %q", got)
	}
	c.end()
}

// untilTerminated returns all events up to the end of the session.
func (c *client) untilTerminated() []godap.Message {
	c.t.Helper()
	var all []godap.Message
	for {
		for _, m := range c.events {
			all = append(all, m)
			if _, ended := m.(*godap.TerminatedEvent); ended {
				c.events = nil
				return all
			}
		}
		c.events = nil
		m, _ := c.read()
		c.events = append(c.events, m)
	}
}

// Variables have the values of the program's source, in all scopes.
func TestVariables(t *testing.T) {
	c := launched(t, "total")
	f := c.at(c.stopped(), "inventory.c", "total")
	if f.Name != "weigh" {
		t.Errorf("the frame is of %q, want weigh", f.Name)
	}
	it := named(t, c.scope(f.Id, "Arguments"), "it")
	if factor := named(t, c.scope(f.Id, "Arguments"), "factor"); factor.Value != "1" || factor.Type != "int" || factor.EvaluateName != "factor" {
		t.Errorf("factor is %+v, want the int 1", factor)
	}
	if weight := named(t, c.scope(f.Id, "Locals"), "weight"); weight.Value != "3" || weight.VariablesReference != 0 {
		t.Errorf("weight is %+v, want 3 without parts", weight)
	}
	target := c.variables(it.VariablesReference, 0, 0)
	if len(target) != 1 {
		t.Fatalf("the pointer has %d parts, want its target", len(target))
	}
	members := c.variables(target[0].VariablesReference, 0, 0)
	for name, want := range map[string]string{"id": "3", "price": "1.25"} {
		m := named(t, members, name)
		if m.Value != want || c.value(m.EvaluateName, f.Id) != want {
			t.Errorf("%s is %s, and %s is %s, want %s", name, m.Value, m.EvaluateName, c.value(m.EvaluateName, f.Id), want)
		}
	}
	if name := named(t, members, "name"); !strings.HasSuffix(name.Value, `"nail"`) {
		t.Errorf("name is %s, want nail", name.Value)
	}
	next := c.variables(named(t, members, "next").VariablesReference, 0, 0)
	if id := named(t, c.variables(next[0].VariablesReference, 0, 0), "id"); id.Value != "7" {
		t.Errorf("it->next->id is %s, want 7", id.Value)
	}
	registers := c.scope(f.Id, "Registers")
	if rip := named(t, registers, "rip"); !strings.HasPrefix(rip.Value, f.InstructionPointerReference) {
		t.Errorf("rip is %s, and the frame at %s", rip.Value, f.InstructionPointerReference)
	}
	c.end()
}

// The elements of large arrays come in pages.
func TestPagedVariables(t *testing.T) {
	c := launched(t, "weigh")
	f := c.at(c.stopped(), "inventory.c", "weigh")
	array := ask[godap.EvaluateResponseBody](c, "evaluate", godap.EvaluateArguments{Expression: "numbers", FrameId: f.Id, Context: "hover"})
	if array.IndexedVariables != 3000 || array.NamedVariables != 0 {
		t.Fatalf("%d indexed and %d named variables, want 3000 and 0", array.IndexedVariables, array.NamedVariables)
	}
	page := c.variables(array.VariablesReference, 2990, 100)
	if len(page) != 10 {
		t.Fatalf("%d elements from 2990 on, want 10", len(page))
	}
	for i, v := range page {
		n := 2990 + i
		if v.Name != fmt.Sprintf("[%d]", n) || v.Value != strconv.Itoa(n*n) {
			t.Errorf("element %d is %s = %s, want %d", n, v.Name, v.Value, n*n)
		}
	}
	c.end()
}

// The frames of a deep stack come in pages, and recursion has its own
// variables in each.
func TestStack(t *testing.T) {
	c := launched(t, "bottom")
	stop := c.stopped()
	first := c.frames(stop.ThreadId, 0, 10)
	if len(first.StackFrames) != 10 || first.TotalFrames <= 10 {
		t.Fatalf("%d frames of %d, want 10 of more", len(first.StackFrames), first.TotalFrames)
	}
	rest := c.frames(stop.ThreadId, 10, 100).StackFrames
	all := append(first.StackFrames, rest...)
	for depth := range 31 {
		if all[depth].Name != "nest" || c.value("depth", all[depth].Id) != strconv.Itoa(depth) {
			t.Errorf("frame %d is of %s with depth %s, want nest with %d", depth, all[depth].Name, c.value("depth", all[depth].Id), depth)
		}
	}
	if all[31].Name != "main" || all[31].Line != debuggertest.Line(t, "inventory.c", "nest") {
		t.Errorf("frame 31 is %+v, want main where it calls nest", all[31])
	}
	if got := c.refused("scopes", godap.ScopesArguments{FrameId: 999}); !strings.Contains(got, "stack") {
		t.Errorf("a frame that was not listed: %q", got)
	}
	c.end()
}

// Memory has the program's values, and instructions follow one another without
// gaps, before an address and behind it.
func TestMemory(t *testing.T) {
	c := launched(t, "print")
	f := c.at(c.stopped(), "inventory.c", "print")
	total := ask[godap.EvaluateResponseBody](c, "evaluate", godap.EvaluateArguments{Expression: "total", FrameId: f.Id})
	m := ask[godap.ReadMemoryResponseBody](c, "readMemory", godap.ReadMemoryArguments{MemoryReference: total.MemoryReference, Count: 8})
	b, err := base64.StdEncoding.DecodeString(m.Data)
	if err != nil || len(b) != 8 || b[0] != 111 || b[1] != 0 {
		t.Errorf("total is %v, %v, want 111", b, err)
	}
	if m := ask[godap.ReadMemoryResponseBody](c, "readMemory", godap.ReadMemoryArguments{MemoryReference: "0x10", Count: 8}); m.UnreadableBytes != 8 || m.Data != "" {
		t.Errorf("at 0x10: %+v, want 8 bytes that cannot be read", m)
	}
	whole := ask[godap.DisassembleResponseBody](c, "disassemble", godap.DisassembleArguments{
		MemoryReference: f.InstructionPointerReference, InstructionOffset: -20, InstructionCount: 40,
	}).Instructions
	if len(whole) != 40 || whole[20].Address != f.InstructionPointerReference || whole[20].Line != f.Line {
		t.Fatalf("%d instructions, the 20th %+v, want 40 and that of the frame", len(whole), whole[min(20, len(whole)-1)])
	}
	for i := range 39 {
		var at, next uint64
		if _, err := fmt.Sscan(whole[i].Address, &at); err != nil {
			t.Fatal(err)
		}
		if _, err := fmt.Sscan(whole[i+1].Address, &next); err != nil {
			t.Fatal(err)
		}
		if next != at+uint64(len(whole[i].InstructionBytes)/2) {
			t.Errorf("instruction %d at %s has bytes %s, and the next is at %s", i, whole[i].Address, whole[i].InstructionBytes, whole[i+1].Address)
		}
	}
	nothing := ask[godap.DisassembleResponseBody](c, "disassemble", godap.DisassembleArguments{MemoryReference: "0x10", InstructionOffset: -2, InstructionCount: 4}).Instructions
	if len(nothing) != 4 || nothing[2].Address != "0x10" {
		t.Errorf("where nothing is mapped: %+v, want 4 places around 0x10", nothing)
	}
	c.end()
}

// Source files of the program can be read, and no others.
func TestSource(t *testing.T) {
	c := launched(t, "weigh")
	f := c.at(c.stopped(), "inventory.c", "weigh")
	text := ask[godap.SourceResponseBody](c, "source", godap.SourceArguments{Source: f.Source}).Content
	if lines := strings.Split(text, "\n"); !strings.HasSuffix(lines[f.Line-1], "//break:weigh") {
		t.Errorf("line %d is %q", f.Line, lines[f.Line-1])
	}
	if got := c.refused("source", godap.SourceArguments{Source: &godap.Source{Path: "/etc/passwd"}}); !strings.Contains(got, "no file") {
		t.Errorf("/etc/passwd: %q", got)
	}
	modules := ask[godap.ModulesResponseBody](c, "modules", nil).Modules
	if filepath.Base(modules[0].Name) != filepath.Base(debuggertest.Build(t, "inventory.c")) || !modules[0].IsUserCode || len(modules) < 2 {
		t.Errorf("the modules are %+v, want the program first and its libraries", modules)
	}
	c.end()
}

// What is set is in the program; the text of an error names the reason.
func TestSetVariable(t *testing.T) {
	c := launched(t, "total")
	f := c.at(c.stopped(), "inventory.c", "total")
	scopes := ask[godap.ScopesResponseBody](c, "scopes", godap.ScopesArguments{FrameId: f.Id}).Scopes
	set := godap.SetVariableArguments{VariablesReference: scopes[1].VariablesReference, Name: "weight", Value: "factor + 41"}
	if got := ask[godap.SetVariableResponseBody](c, "setVariable", set).Value; got != "42" {
		t.Errorf("weight is %s, want 42", got)
	}
	if got := ask[godap.SetExpressionResponseBody](c, "setExpression", godap.SetExpressionArguments{Expression: "it->price", Value: "0.5", FrameId: f.Id}).Value; got != "0.5" {
		t.Errorf("it->price is %s, want 0.5", got)
	}
	c.do("setExpression", godap.SetExpressionArguments{Expression: "$r15", Value: "0x1234", FrameId: f.Id})
	if got := c.value("$r15", f.Id); got != "0x1234" && got != "4660" {
		t.Errorf("$r15 is %s, want 0x1234", got)
	}
	set.Value = "5000000000"
	if got := c.refused("setVariable", set); !strings.Contains(got, "fit") {
		t.Errorf("5000000000 in an int: %q", got)
	}
	set.Value = "nothing"
	if got := c.refused("setVariable", set); !strings.Contains(got, "nothing") {
		t.Errorf("an unknown name: %q", got)
	}
	c.breakAt("inventory.c", "round")
	c.do("continue", godap.ContinueArguments{})
	f = c.at(c.stopped(), "inventory.c", "round")
	if got := c.value("total", f.Id); got != "42" {
		t.Errorf("total is %s after the line that adds weight, want 42", got)
	}
	c.end()
}
