package calltrace_test

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest/recordtest"
	"github.com/triptych-mcp/triptych/debugger/internal/session/calltrace"
	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
)

// oracles are the calls that are compared with gdb's single steps. Those in long
// throw exceptions, which takes gdb minutes, and are compared with
// TRIPTYCH_TEST_GDB=full.
var oracles = []struct {
	program, flags string
	calls, long    map[string]int // nth by function
}{
	{"stray.c", "-O0", map[string]int{"store": 9, "sum": 1, "walk": 2, "digits": 4}, nil},
	{"branches.c", "-O0", map[string]int{"grid": 1, "choose": 1, "line": 1, "half": 1, "last": 1}, nil},
	{"branches.c", "-O2", map[string]int{"grid": 1, "choose": 1, "line": 1}, nil},
	{"jumps.c", "-O0", map[string]int{"guarded": 1, "sorted": 1, "raised": 1}, nil},
	{"shapes.cc", "-O0", map[string]int{"checked": 1}, map[string]int{"both": 1, "checked": 2, "twice": 1}},
	{"shapes.cc", "-O2", map[string]int{"checked": 1}, map[string]int{"checked": 2}},
}

// Lines, called functions, changes of numbers and results equal what gdb prints
// while it single-steps the same call.
func TestLikeGDB(t *testing.T) {
	debuggertest.GDB(t)
	for _, o := range oracles {
		t.Run(o.program+o.flags, func(t *testing.T) {
			sample.Case(t)
			t.Parallel()
			_, program := recordtest.Build(t, o.program, o.flags, "-Wl,-z,now", "-no-pie")
			s := recordtest.Main(t, program)
			calls := o.calls
			if os.Getenv("TRIPTYCH_TEST_GDB") == "full" && o.long != nil {
				calls = o.long
			}
			for _, function := range slices.Sorted(maps.Keys(calls)) {
				q := calltrace.Query{Function: function, Nth: calls[function]}
				events, entry, err := calltrace.Events(t.Context(), s, q)
				if err != nil {
					t.Errorf("%s: %v", function, err)
					continue
				}
				for i := range events { // aliases of the C library's functions
					events[i] = strings.Replace(events[i], "C __GI_", "C ", 1)
				}
				want := stepped(t, program, function, q.Nth, entry, o.flags == "-O0")
				if diff := cmp.Diff(want.events, events); diff != "" {
					t.Errorf("%s (-gdb +ours):\n%s", function, diff)
				}
				if o.flags == "-O0" {
					compareChanges(t, function, want, traced(t, s, q))
				}
			}
		})
	}
}

// A steps holds the output of gdb for a call.
type steps struct {
	events []string
	values []map[string]string // of variables, by line events
	result int64
}

// stepped runs gdb.
func stepped(t *testing.T, program, function string, nth int, entry uint64, values bool) steps {
	t.Helper()
	command := exec.CommandContext(t.Context(), "gdb", "-batch", "-nx", "-x", "testdata/oracle.py", program)
	command.Env = append(os.Environ(), "FUNCTION="+function, fmt.Sprintf("NTH=%d", nth), fmt.Sprintf("ENTRY=%#x", entry), "VALUES="+strings.Repeat("1", map[bool]int{true: 1}[values]), "LC_ALL=C")
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("gdb: %v\n%s", err, out)
	}
	var s steps
	for _, text := range strings.Split(string(out), "\n") {
		fields := strings.SplitN(text, " ", 3)
		switch fields[0] {
		case "L":
			s.events, s.values = append(s.events, text), append(s.values, map[string]string{})
		case "C":
			name, _, _ := strings.Cut(text, "(")
			s.events = append(s.events, strings.Replace(name, "C __GI_", "C ", 1))
		case "V":
			s.values[len(s.values)-1][fields[1]] = fields[2]
		case "R":
			n, _ := strconv.ParseUint(fields[1], 10, 64)
			s.result = int64(int32(n))
		}
	}
	if len(s.events) == 0 {
		t.Fatalf("gdb shows nothing:\n%s", out)
	}
	return s
}

// compareChanges compares the changes of each row that is shown with gdb's values
// at the lines before and after it.
func compareChanges(t *testing.T, function string, want steps, got *calltrace.CallTrace) {
	t.Helper()
	if got.Returned && got.Result != "" && got.Result != fmt.Sprint(want.result) {
		t.Errorf("%s: the result is %s, gdb has %d", function, got.Result, want.result)
	}
	lines := slices.DeleteFunc(slices.Clone(want.events), func(e string) bool { return e[0] != 'L' })
	at := len(lines) // rows of a folded loop are the last ones, so both are compared from the end
	for _, row := range slices.Backward(got.Rows) {
		if row.Loop > 0 {
			return
		}
		if row.Line == 0 {
			continue
		}
		if at--; at < 0 || lines[at] != fmt.Sprintf("L %d", row.Line) {
			t.Errorf("%s: row %d has line %d, gdb has %s", function, at, row.Line, lines[max(at, 0)])
			return
		}
		if at+1 == len(lines) {
			continue
		}
		changed := map[string]string{}
		for name, after := range want.values[at+1] {
			if before, ok := want.values[at][name]; ok && before != after {
				changed[name] = after
			}
		}
		for _, c := range row.Changes {
			if after, ok := want.values[at+1][c.Name]; ok && changed[c.Name] == "" && after != c.After {
				t.Errorf("%s line %d: %s is %s, gdb has %s", function, row.Line, c.Name, c.After, after)
			}
			if changed[c.Name] == c.After {
				delete(changed, c.Name)
			}
		}
		if len(changed) > 0 {
			t.Errorf("%s line %d: gdb has also %v; we have %v", function, row.Line, changed, row.Changes)
		}
	}
}
