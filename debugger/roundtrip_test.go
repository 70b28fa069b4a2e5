package debugger_test

import (
	"regexp"
	"testing"
)

// A client exports what it has recorded, and opens the file by the name that it
// was told: each moment looks as it did with the process.
func TestExportAndOpen(t *testing.T) {
	c, _ := stopped(t, "call")
	c.ok("step_forward", args{"count": 40})
	c.ok("step_backward", args{"count": 3})
	shown := []string{"registers", "get_variables", "disassemble"}
	want := map[string][]string{}
	note := func(into map[string][]string) {
		for _, tool := range shown {
			into[tool] = append(into[tool], c.ok(tool, nil))
		}
	}
	note(want)
	first := c.ok("step_backward", args{"count": 17})
	note(want)
	told := regexp.MustCompile(`^Trace exported: \d+ snapshots\nFile: (\S+\.trace)\nSize: `).FindStringSubmatch(c.ok("export_trace", args{"format": "binary"}))
	if told == nil {
		t.Fatal("the answer names no file")
	}
	c.ok("detach", nil)
	contains(t, c.ok("open_trace", args{"file": told[1]}), "Opened trace ", "/"+told[1], " with 1 thread, positions 0 to 4")
	got := map[string][]string{}
	c.ok("step_backward", args{"count": 3})
	note(got)
	if again := c.ok("step_backward", args{"count": 17}); again != first {
		t.Errorf("step_backward answers %q, with the process %q", again, first)
	}
	note(got)
	for _, tool := range shown {
		for i := range want[tool] {
			if got[tool][i] != want[tool][i] {
				t.Errorf("%s, moment %d:\n%s\nwith the process\n%s", tool, i, got[tool][i], want[tool][i])
			}
		}
	}
	contains(t, c.fails("step_backward", args{"count": 1_000_000}, -32007), "history begins at position 0")
}
