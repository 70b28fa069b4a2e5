package debugger_test

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger"
	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
)

// A recording goes on wherever the program has stopped, with one thread or two: also in code of
// the vdso, after the system call that a recording makes there in place of reading a clock.
func TestRecordTranslatedClocks(t *testing.T) {
	for _, arguments := range [][]string{{"100"}, {"100", "two"}} {
		t.Run(strings.Join(arguments, " "), func(t *testing.T) {
			c := connect(t, table(t, debugger.Config{}))
			var started struct{ State struct{ PID int } }
			c.data("launch", args{"path": debuggertest.Build(t, "clocks.c", "-O1", "-pthread"), "args": arguments}, &started)
			var at when
			var seen []string
			var ends []uint64
			record := func(arguments args) {
				arguments["record"], arguments["wait_ms"] = true, 60000
				c.data("continue", arguments, &at)
				if h := at.State.History; h.Oldest != 0 || at.State.Note != "" {
					t.Fatalf("%+v, %+v", at.State, h)
				}
				seen, ends = append(seen, c.ok("evaluate", args{"expression": "clocks"})), append(ends, at.State.History.End)
			}
			c.ok("set_breakpoint", args{"file": "clocks.c", "line": debuggertest.Line(t, "clocks.c", "read")})
			for range 5 {
				record(args{})
			}
			c.ok("clear_breakpoint", args{"id": 1})
			round := ends[4] - ends[3]
			c.ok("set_breakpoint", args{"function": "clock_gettime"})
			for n := 1; !inVDSO(t, started.State.PID, at.State.Address); n++ { // further behind the call in each round
				if n == 40 {
					t.Fatal("the program has never stopped in the vdso")
				}
				record(args{})
				record(args{"max_steps": n})
			}
			c.ok("clear_breakpoint", args{"id": 2})
			record(args{"max_steps": round})
			for n := len(ends) - 1; n >= len(ends)-3; n-- {
				c.data("seek", args{"position": ends[n], "wait_ms": 60000}, &at)
				if got := c.ok("evaluate", args{"expression": "clocks"}); got != seen[n] {
					t.Errorf("position %d: %s, want %s", ends[n], got, seen[n])
				}
			}
		})
	}
}

// inVDSO reports whether an address is in the vdso of a process, but not where one of its
// functions begins.
func inVDSO(t *testing.T, pid int, address string) bool {
	t.Helper()
	f, err := os.Open(fmt.Sprintf("/proc/%d/maps", pid))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	maps, err := procfs.ParseMaps(f)
	if err != nil {
		t.Fatal(err)
	}
	pc, _ := strconv.ParseUint(address, 0, 64) // 0 before the first stop
	m, ok := maps.Find(pc)
	return ok && m.Path == "[vdso]" && pc%16 != 0
}
