package collect_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest/recordtest"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/session/collect"
	"github.com/triptych-mcp/triptych/debugger/internal/session/stepping"
)

const program = "../../calltrace/testdata/stray.c"

// points are places with expressions, and the same for gdb's dprintf.
func points(t *testing.T, source string) (all []collect.Point, gdb []string) {
	t.Helper()
	line := lineOf(t, source, "total += s->prices[i];")
	all = []collect.Point{
		{Site: stepping.Site{Function: "store"}, Values: []string{"slot", "price"}, Condition: "slot % 2 == 0"},
		{Site: stepping.Site{File: "stray.c", Line: line}, Values: []string{"i", "total"}},
		{Site: stepping.Site{Function: "walk"}, Values: []string{"n"}},
	}
	return all, []string{
		`dprintf store,"0 %d %ld\n",slot,price`, "condition 1 slot % 2 == 0",
		fmt.Sprintf(`dprintf stray.c:%d,"1 %%d %%ld\n",i,total`, line),
		`dprintf walk,"2 %d\n",n`, "run",
	}
}

// lineOf returns the number of the line with a text.
func lineOf(t *testing.T, source, text string) int {
	t.Helper()
	data, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	before, _, found := strings.Cut(string(data), text)
	if !found {
		t.Fatalf("%s has no line %q", source, text)
	}
	return strings.Count(before, "\n") + 1
}

// printed runs a program under gdb and returns the lines of dprintf.
func printed(t *testing.T, program string, commands []string) (lines []string) {
	t.Helper()
	gdb := debuggertest.GDB(t)
	argv := []string{"-nx", "-batch"}
	for _, c := range commands {
		argv = append(argv, "-ex", c)
	}
	out, err := exec.CommandContext(t.Context(), gdb, append(argv, program)...).CombinedOutput()
	if err != nil {
		t.Fatalf("gdb: %v\n%s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		if len(line) > 2 && strings.Contains("012", line[:1]) && line[1] == ' ' {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}

// lines returns the rows in the form of gdb's lines.
func lines(rows []collect.Row) (all []string) {
	for _, r := range rows {
		all = append(all, fmt.Sprintf("%d %s", r.Point, strings.Join(r.Values, " ")))
	}
	return all
}

// hits returns the numbers of hits.
func hits(table *collect.Table) (all []int) {
	for _, p := range table.Points {
		all = append(all, p.Hits)
	}
	return all
}

// The rows equal what gdb prints at the same places: from the recorded past, page by
// page, while the process runs, and while it is recorded.
func TestLikeGDB(t *testing.T) {
	source, path := recordtest.Build(t, program, "-O0")
	wanted, commands := points(t, source)
	want := printed(t, path, commands)
	if len(want) != 5+8+6 { // five of nine slots are even
		t.Fatalf("gdb prints %q", want)
	}
	all := []int{9, 8, 6}

	s := recordtest.Main(t, path)
	h, here := s.Target.History, s.Target.History.View().Position()
	table, err := collect.Recorded(t.Context(), s, wanted, collect.Options{From: h.Oldest(), To: h.End(), Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, lines(table.Rows)); diff != "" || table.Next != nil {
		t.Errorf("the past (-gdb +ours), next %v:\n%s", table.Next, diff)
	}
	if diff := cmp.Diff(all, hits(table)); diff != "" {
		t.Errorf("hits (-want +got):\n%s", diff)
	}
	var paged []collect.Row
	for from, pages := h.Oldest(), 0; pages < 20; pages++ {
		page, err := collect.Recorded(t.Context(), s, wanted, collect.Options{From: from, To: h.End(), Limit: 4})
		if err != nil || len(page.Rows) > 4 {
			t.Fatalf("%d rows, %v", len(page.Rows), err)
		}
		if paged = append(paged, page.Rows...); page.Next == nil {
			break
		}
		from = *page.Next
	}
	if diff := cmp.Diff(table.Rows, paged); diff != "" {
		t.Errorf("pages (-whole +pages):\n%s", diff)
	}
	if now := h.View().Position(); now != here {
		t.Errorf("the position is %d, it was %d", now, here)
	}

	for _, record := range []bool{false, true} {
		s := recordtest.AtMain(t, path)
		c, err := collect.NewCollector(t.Context(), s, wanted, 1000, record)
		if err != nil {
			t.Fatal(err)
		}
		stop, err := c.Run(t.Context(), time.Hour)
		if err != nil || stop.Why != proc.Exited && stop.Why != stepping.AtExit {
			t.Errorf("%+v, %v", stop, err)
		}
		if diff := cmp.Diff(want, lines(c.Table().Rows)); diff != "" {
			t.Errorf("record %t (-gdb +ours):\n%s", record, diff)
		}
		if diff := cmp.Diff(all, hits(c.Table())); diff != "" {
			t.Errorf("hits (-want +got):\n%s", diff)
		}
		if record {
			if diff := cmp.Diff(table.Rows, withThread(c.Table().Rows, table.Rows[0].Thread)); diff != "" {
				t.Errorf("positions (-past +recording):\n%s", diff)
			}
		}
	}
}

// withThread replaces the threads of rows.
func withThread(rows []collect.Row, thread int) []collect.Row {
	for i := range rows {
		rows[i].Thread = thread
	}
	return rows
}

// A search that ends before it is whole says how far it came, and goes on there: page by page with
// the values of all hits, and call by call with their number.
func TestEnough(t *testing.T) {
	source, path := recordtest.Build(t, program, "-O0")
	wanted, _ := points(t, source)
	s := recordtest.Main(t, path)
	h := s.Target.History
	whole, err := collect.Recorded(t.Context(), s, wanted, collect.Options{From: h.Oldest(), To: h.End(), Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	soon := func() func() bool {
		left := 3
		return func() bool { left--; return left < 0 }
	}
	var rows []collect.Row
	calls := 0
	for from := h.Oldest(); ; calls++ {
		page, err := collect.Recorded(t.Context(), s, wanted, collect.Options{From: from, To: h.End(), Limit: 1000, Enough: soon()})
		if err != nil || calls > 1000 {
			t.Fatalf("%d calls, %v", calls, err)
		}
		if rows = append(rows, page.Rows...); page.Next == nil {
			break
		}
		from = *page.Next
	}
	if diff := cmp.Diff(whole.Rows, rows); diff != "" || calls < 3 {
		t.Errorf("%d pages (-whole +pages):\n%s", calls, diff)
	}
	point := wanted[:1]
	for calls = 0; ; calls++ {
		page, err := collect.Recorded(t.Context(), s, point, collect.Options{From: h.Oldest(), To: h.End(), Limit: 1, Enough: soon()})
		if err != nil || calls > 1000 {
			t.Fatalf("%d calls, %v", calls, err)
		}
		if len(page.Notes) == 0 {
			if diff := cmp.Diff(hits(whole)[:1], hits(page)); diff != "" || page.Next == nil || calls < 2 {
				t.Errorf("%d calls, next %v, hits (-whole +counted):\n%s", calls, page.Next, diff)
			}
			break
		}
	}
}

// A run ends at the limit of rows and leaves no breakpoints. The next run goes on
// behind it, and where the process stopped by itself is a hit of the past, too.
func TestLimitOfRun(t *testing.T) {
	_, path := recordtest.Build(t, program, "-O0")
	s := recordtest.AtMain(t, path)
	wanted := []collect.Point{{Site: stepping.Site{Function: "store"}, Values: []string{"slot"}}}
	var got []string
	for range 2 {
		c, err := collect.NewCollector(t.Context(), s, wanted, 3, false)
		if err != nil {
			t.Fatal(err)
		}
		if stop, err := c.Run(t.Context(), time.Hour); err != nil || stop.Why != proc.Paused {
			t.Fatalf("%+v, %v", stop, err)
		}
		got = append(got, lines(c.Table().Rows)...)
	}
	if diff := cmp.Diff([]string{"0 0", "0 1", "0 2", "0 3", "0 4", "0 5"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if set, err := s.Target.Process.Breakpoints(); err != nil || len(set)+len(s.Breakpoints.ByID) > 0 {
		t.Errorf("breakpoints %v are left, %v", set, err)
	}
	h := s.Target.History
	table, err := collect.Recorded(t.Context(), s, wanted, collect.Options{From: h.Oldest(), To: h.End(), Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"0 2", "0 5"}, lines(table.Rows)); diff != "" || len(table.Notes) != 1 {
		t.Errorf("notes %q, (-want +got):\n%s", table.Notes, diff)
	}
}

// A run ends when its time is over.
func TestTimeOfRun(t *testing.T) {
	s := recordtest.AtMain(t, debuggertest.Build(t, "busy-loop.c"))
	wanted := []collect.Point{{Site: stepping.Site{Function: "main"}, Values: []string{"1"}}}
	c, err := collect.NewCollector(t.Context(), s, wanted, 3, false)
	if err != nil {
		t.Fatal(err)
	}
	if stop, err := c.Run(t.Context(), time.Millisecond); err != nil || stop.Why != proc.Paused {
		t.Fatalf("%+v, %v", stop, err)
	}
}
