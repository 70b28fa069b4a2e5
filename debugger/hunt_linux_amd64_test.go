//go:build !race

// It counts tokens, see tokens_test.go.

package debugger_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger"
)

// A hunt counts what an agent reads and writes on its way to a bug.
type hunt struct {
	*client
	source string
	calls  int
	tokens int
}

// startHunt launches the program of the example in docs/time-travel.md.
func startHunt(t *testing.T) *hunt { return startHuntOf(t, "stray.c") }

// startHuntOf launches a program of the folder docs/demo.
func startHuntOf(t *testing.T, name string) *hunt {
	t.Helper()
	source, err := filepath.Abs("../docs/demo/" + name)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	h := &hunt{client: connect(t, table(t, debugger.Config{})), source: source}
	h.do("launch", args{"path": compiled(t, name, string(text), "gcc", "-g", "-O0")})
	return h
}

// do calls a tool and counts the tokens of its arguments and of its text. Addresses and
// folders differ from run to run, and so would their tokens.
func (h *hunt) do(tool string, arguments args) string {
	h.t.Helper()
	text := h.ok(tool, arguments)
	sent, err := json.Marshal(arguments)
	if err != nil {
		h.t.Fatal(err)
	}
	said := address.ReplaceAllString(text, "0x5639cf2ec1f5")
	said = folder.ReplaceAllString(said, "/home/me/stray.c")
	said = processID.ReplaceAllString(said, "process 7187")
	h.calls++
	h.tokens += tokens(h.t, "debugger_"+tool+string(sent)+said)
	return text
}

var (
	folder    = regexp.MustCompile(`/\S*/(stray|stale)\.c`)
	processID = regexp.MustCompile(`(process|thread) \d+`)
)

// byTrace finds the write by going back from the crash.
func (h *hunt) byTrace() string {
	h.do("continue", args{"record": true})
	h.do("get_stack_trace", args{"max_frames": 3})
	found := h.do("trace_value", args{"expression": "shop.owner"})
	h.do("call_trace", args{"function": "store", "nth": 9})
	return found
}

// bySteps finds the write as a debugger without a past does: line by line from main,
// until the value changes.
func (h *hunt) bySteps() string {
	const most = 200
	before := h.do("evaluate", args{"expression": "shop.owner"})
	for range most {
		at := h.do("step_line", args{})
		if h.do("evaluate", args{"expression": "shop.owner"}) != before {
			return at + h.do("get_variables", args{}) + h.do("get_stack_trace", args{"max_frames": 3})
		}
	}
	h.t.Fatal("the value never changes")
	return ""
}

// documentedHunt are the figures of docs/time-travel.md: calls and tokens of both ways.
var documentedHunt = regexp.MustCompile(`(\d+) calls and ([\d,]+) tokens(?s:.*?)(\d+) calls\s+and\s+([\d,]+)\s+tokens`)

// huntTolerance limits the difference of a figure from the documented one: libraries have
// other frames elsewhere.
const huntTolerance = 0.15

// The example of docs/time-travel.md takes as many calls and tokens as it says, both ways,
// and both ways end at the line with the bug.
func TestHuntTokens(t *testing.T) {
	back, steps := startHunt(t), startHunt(t)
	line := "stray.c:" + strconv.Itoa(lineWith(t, back.source, "shop.prices[slot] = price;"))
	contains(t, back.byTrace(), line)
	contains(t, steps.bySteps(), "slot: int = 8", "store")
	text, err := os.ReadFile("../docs/time-travel.md")
	if err != nil {
		t.Fatal(err)
	}
	got := []int{back.calls, back.tokens, steps.calls, steps.tokens}
	t.Logf("back: %d calls, %d tokens; by steps: %d calls, %d tokens", got[0], got[1], got[2], got[3])
	m := documentedHunt.FindStringSubmatch(string(text))
	if m == nil {
		t.Fatal("docs/time-travel.md has no figures")
	}
	for i, want := range m[1:] {
		n, _ := strconv.Atoi(strings.ReplaceAll(want, ",", ""))
		if math.Abs(float64(got[i]-n)) > huntTolerance*float64(n) {
			t.Errorf("figure %d of the document is %d, it takes %d", i+1, n, got[i])
		}
	}
}

// lineWith returns the number of the line with a text.
func lineWith(t *testing.T, path, text string) int {
	t.Helper()
	source, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, _, ok := strings.Cut(string(source), text)
	if !ok {
		t.Fatal(fmt.Errorf("%s has no %q", path, text))
	}
	return strings.Count(before, "\n") + 1
}

// documentedStale are the figures of docs/time-travel.md for the use of freed memory.
var documentedStale = regexp.MustCompile(`found in (\d+) calls and ([\d,]+) tokens`)

// The use of freed memory in docs/time-travel.md takes as many calls and tokens as it says: the
// memory belongs to another block by then, and both are named.
func TestStaleHuntTokens(t *testing.T) {
	h := startHuntOf(t, "stale.c")
	contains(t, h.do("continue", args{"record": true}), "SIGSEGV")
	h.do("get_stack_trace", args{"max_frames": 2})
	line := func(text string) string { return "stale.c:" + strconv.Itoa(lineWith(t, h.source, text)) }
	contains(t, h.do("heap_block", args{"address": "newest"}),
		"at offset 0 of a block of 32 bytes", ": allocated", "letter", line("malloc(32)"),
		"it was in a block of 32 bytes, allocated by enter "+line("malloc(sizeof *c)")+", and freed at position ", " by leave "+line("free(c)"))
	text, err := os.ReadFile("../docs/time-travel.md")
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d calls, %d tokens", h.calls, h.tokens)
	m := documentedStale.FindStringSubmatch(string(text))
	if m == nil {
		t.Fatal("docs/time-travel.md has no figures")
	}
	for i, got := range []int{h.calls, h.tokens} {
		if n, _ := strconv.Atoi(strings.ReplaceAll(m[i+1], ",", "")); math.Abs(float64(got-n)) > huntTolerance*float64(n) {
			t.Errorf("figure %d of the document is %d, it takes %d", i+1, n, got)
		}
	}
}
