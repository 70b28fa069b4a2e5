package debugger_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger"
	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
)

// A second session of a recording gives the answers of the first one, from what that one has kept,
// and finds them again if that is damaged.
func TestFindingsAreKept(t *testing.T) {
	sample.Alone(t)
	dir := t.TempDir()
	file, err := os.Create(filepath.Join(dir, "recording"))
	if err != nil {
		t.Fatal(err)
	}
	path := debuggertest.Build(t, "blocks.c")
	if _, err := debugger.RecordProgram(t.Context(), debugger.RecordedProgram{Path: path, Args: []string{path}}, file); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	data := t.TempDir()
	ask := func() (answers []string) {
		c := connect(t, tableIn(t, data, debugger.Config{Traces: []string{dir}}))
		c.ok("open_trace", args{"file": "recording"})
		for _, question := range []struct {
			tool      string
			arguments args
		}{
			{"call_trace", args{"function": "make", "nth": 2}},
			{"call_tree", args{"depth": 200}},
			{"heap_block", args{"address": "before_grown"}},
			{"collect", args{"points": []args{{"at": "drop", "expressions": []string{"p"}}}}},
		} {
			answer := c.ok(question.tool, question.arguments)
			for strings.Contains(answer, "the same call ") { // goes on, on a slow machine
				answer = c.ok(question.tool, question.arguments)
			}
			answers = append(answers, answer)
		}
		return answers
	}
	first := ask()
	kept, err := filepath.Glob(filepath.Join(data, "recording-index", "*"))
	if err != nil || len(kept) < 4 {
		t.Fatalf("%d files are kept, want one for each answer: %v", len(kept), err)
	}
	stamps := map[string]int64{}
	for _, each := range kept {
		info, err := os.Stat(each)
		if err != nil {
			t.Fatal(err)
		}
		stamps[each] = info.Size()
	}
	for n, again := range ask() {
		if again != first[n] {
			t.Errorf("answer %d of the second session:\n%s\nof the first one:\n%s", n, again, first[n])
		}
	}
	for _, each := range kept {
		if err := os.Truncate(each, stamps[each]/2); err != nil {
			t.Fatal(err)
		}
	}
	for n, again := range ask() {
		if again != first[n] {
			t.Errorf("answer %d after damage:\n%s\nbefore:\n%s", n, again, first[n])
		}
	}
	for _, each := range kept {
		if info, err := os.Stat(each); err != nil || info.Size() != stamps[each] {
			t.Errorf("%s is not made anew: %v", each, err)
		}
	}
}
