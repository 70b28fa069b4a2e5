package calltrace_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest/recordtest"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
	"github.com/triptych-mcp/triptych/debugger/internal/session/calltrace"
	"github.com/triptych-mcp/triptych/debugger/internal/session/inspect"
	"github.com/triptych-mcp/triptych/debugger/internal/session/stepping"
	"github.com/triptych-mcp/triptych/debugger/internal/session/target"
)

// traced returns the trace of a call.
func traced(t *testing.T, s *stepping.Stepper, q calltrace.Query) *calltrace.CallTrace {
	t.Helper()
	trace, err := calltrace.Trace(t.Context(), s, q, calltrace.Options{MaxBytes: 60_000})
	if err != nil {
		t.Fatal(err)
	}
	return trace
}

// The write behind the array is shown by the name of what it overwrites.
func TestStrayWrite(t *testing.T) {
	_, program := recordtest.Build(t, "stray.c", "-O0")
	s := recordtest.Main(t, program)
	here := s.Target.History.View().Position()
	text := traced(t, s, calltrace.Query{Function: "store"}).Text()
	for _, want := range []string{
		"slot=8, price=108)", "call 9 of 9, called from main stray.c:", "s->prices[slot] = price;   | s->owner: 0x", " -> 0x6c",
		`-> digits(text=0x`, `"ann 42") = 2   [at `, "\nreturned 10 at ",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if now := s.Target.History.View().Position(); now != here {
		t.Errorf("the position is %d, it was %d", now, here)
	}
}

// A trace of the history, without the process, shows the same.
func TestOfTraceFile(t *testing.T) {
	_, program := recordtest.Build(t, "stray.c", "-O0")
	live := recordtest.Main(t, program)
	var file bytes.Buffer
	if _, err := live.Target.History.Export(t.Context(), &file, history.ExportOptions{Format: history.Binary, Program: program}); err != nil {
		t.Fatal(err)
	}
	trace, err := history.Open(t.Context(), &file, nil)
	if err != nil {
		t.Fatal(err)
	}
	opened, err := target.NewTrace(trace, target.Overrides{Open: func(path string) (*os.File, string, error) {
		f, err := os.Open(path)
		return f, path, err
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = opened.Files.Close() })
	d := opened.Target("stray")
	s := stepping.NewStepper(inspect.NewInspector(t.Context(), &d, slog.New(slog.DiscardHandler)), stepping.Budget{})
	t.Cleanup(func() { _ = s.Inspector.Program.Close() })
	if err := s.Maps.Refresh(); err != nil {
		t.Fatal(err)
	}
	for _, q := range []calltrace.Query{{Function: "store"}, {Function: "sum"}, {Function: "walk", Nth: 3}} {
		if diff := cmp.Diff(traced(t, live, q).Text(), traced(t, s, q).Text()); diff != "" {
			t.Errorf("%s (-live +trace):\n%s", q.Function, diff)
		}
	}
	lines := func(s *stepping.Stepper) (text string) {
		tree, err := calltrace.Calls(t.Context(), s, s.Target.History.View().Thread(), s.Target.History.Oldest(), s.Target.History.End(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range tree.Lines(5, nil) {
			text += l.Text()
		}
		return text
	}
	if diff := cmp.Diff(lines(live), lines(s)); diff != "" {
		t.Errorf("tree (-live +trace):\n%s", diff)
	}
}

// The pages of a long trace have each row once, within their size.
func TestPages(t *testing.T) {
	_, program := recordtest.Build(t, "branches.c", "-O0")
	s := recordtest.Main(t, program)
	q := calltrace.Query{Function: "choose"}
	whole := traced(t, s, q)
	var rows []calltrace.Row
	o := calltrace.Options{MaxBytes: 700}
	for range len(whole.Rows) {
		page, err := calltrace.Trace(t.Context(), s, q, o)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(page.Text()); n > o.MaxBytes+100 {
			t.Errorf("a page has %d bytes", n)
		}
		rows = append(rows, page.Rows...)
		if o.From = page.Next; o.From == 0 {
			break
		}
	}
	if diff := cmp.Diff(whole.Rows, rows, cmpopts.IgnoreUnexported(calltrace.Change{})); diff != "" {
		t.Errorf("(-whole +pages):\n%s", diff)
	}
}

// A tree counts calls by their callers.
func TestCalls(t *testing.T) {
	_, program := recordtest.Build(t, "long.c", "-O0", "-Wl,-z,now")
	s := recordtest.Main(t, program, "7")
	h := s.Target.History
	tree, err := calltrace.Calls(t.Context(), s, h.View().Thread(), h.Oldest(), h.End(), nil)
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for _, l := range tree.Lines(100, func(name string) bool { return name == "leaf" }) {
		counts[l.Function] = l.Calls
	}
	if counts["work"] != 1 || counts["node"] != 7 || counts["leaf"] != 70 {
		t.Errorf("calls by function: %v, want work 1, node 7, leaf 70", counts)
	}
}

// A tree that ends before it is whole goes on at the next call, and becomes the same.
func TestCallsEnough(t *testing.T) {
	_, program := recordtest.Build(t, "long.c", "-O0", "-Wl,-z,now")
	s := recordtest.Main(t, program, "70")
	h := s.Target.History
	calls := func(enough func() bool) *calltrace.Tree {
		tree, err := calltrace.Calls(t.Context(), s, h.View().Thread(), h.Oldest(), h.End(), enough)
		if err != nil {
			t.Fatal(err)
		}
		return tree
	}
	text := func(tree *calltrace.Tree) (text string) {
		for _, l := range tree.Lines(5, nil) {
			text += l.Text()
		}
		return text
	}
	parts, tree := 0, calls(func() bool { return true })
	for ; tree.To < h.End(); parts++ {
		before := tree.To
		if tree = calls(func() bool { return true }); tree.To == before {
			t.Fatalf("it stays at position %d", before)
		}
	}
	inParts := text(tree)
	h.Findings.Remember(fmt.Sprintf("calls %d %d %d", tree.Thread, h.Oldest(), h.End()), nil)
	if diff := cmp.Diff(text(calls(nil)), inParts); diff != "" || parts < 2 {
		t.Errorf("%d parts (-whole +parts):\n%s", parts, diff)
	}
}

// A signal handler runs on a stack above that of the function it interrupts, and calls another one.
func TestHandlerAbove(t *testing.T) {
	_, program := recordtest.Build(t, "above.c", "-O0", "-pthread", "-D_GNU_SOURCE")
	s := recordtest.Main(t, program)
	text := traced(t, s, calltrace.Query{Function: "interrupted"}).Text()
	for _, want := range []string{"-> twice(n=4) = 8   [at ", "\nreturned 22 at "} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}

// Calls of goroutines are found on their own stacks.
func TestGoroutine(t *testing.T) {
	_, program := recordtest.Build(t, "cart/main.go", "-gcflags=all=-N -l")
	s := recordtest.Main(t, program)
	text := traced(t, s, calltrace.Query{Function: "main.add", Nth: 3}).Text()
	for _, want := range []string{"price=30) at ", "call 3 of 3, called from main.main.func1 main.go:20", "c->total: 30 -> 60", "\nreturned 3 at "} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	text = traced(t, s, calltrace.Query{Function: "main.main.func1"}).Text()
	for _, want := range []string{"price=10) = 1   [at ", "price=20) = 2   [at ", "price=30) = 3   [at ", "n: 2 -> 3"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}
