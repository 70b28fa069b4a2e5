package debugger_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger"
)

// expressions is a client with a program of testdata/expressions where marker is
// called, and what the program says that expressions come to.
func expressions(t *testing.T, marker string, compiler ...string) (*client, map[string]string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program")
	last := len(compiler) - 1
	compiler[last] = filepath.Join("testdata", "expressions", compiler[last])
	build(t, compiler[0], append(compiler[1:last:last], "-o", path, compiler[last])...)
	out, _ := exec.CommandContext(t.Context(), path).Output() // its status says nothing
	want := map[string]string{}
	for line := range strings.Lines(string(out)) {
		expression, value, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if !ok {
			t.Fatalf("the program says %q", line)
		}
		want[expression] = value
	}
	if len(want) < 5 {
		t.Fatalf("the program says %q", out)
	}
	c := connect(t, table(t, debugger.Config{}))
	c.ok("launch", args{"path": path})
	c.ok("set_breakpoint", args{"function": marker})
	contains(t, c.ok("continue", nil), "Stopped at breakpoint 1 (")
	return c, want
}

// agree compares expressions with what the program says.
func agree(t *testing.T, c *client, want map[string]string) {
	t.Helper()
	for expression, want := range want {
		a := c.Call("debugger/evaluate", args{"expression": expression, "frame": 1})
		rest, ok := strings.CutPrefix(a.Text, expression+": ")
		_, got, _ := strings.Cut(rest, " = ")
		if a.Err != nil || !ok || got != want {
			t.Errorf("%s: got %v, want %s", expression, a, want)
		}
	}
}

// refuse wants expressions to fail with details.
func refuse(t *testing.T, c *client, want map[string]string) {
	t.Helper()
	for expression, want := range want {
		a := c.Call("debugger/evaluate", args{"expression": expression, "frame": 1})
		if a.Err == nil || !strings.Contains(string(a.Err.Data), want) {
			t.Errorf("%s: got %v, want %s", expression, a, want)
		}
	}
}

// Sizes are those that the compiler has counted.
func TestSizeof(t *testing.T) {
	c, want := expressions(t, "marker", "gcc", "-g", "-O0", "-w", "sizes.c")
	agree(t, c, want)
	refuse(t, c, map[string]string{
		"sizeof(*hidden)":      "the size of struct later is not known: it is only declared",
		"sizeof(struct later)": "type later: ",
		"sizeof(nothing)":      "nothing: ",
		"sizeof(nothing.x)":    "nothing: ",
		"sizeof(struct nope)":  "type nope: ",
		"sizeof()":             "unexpected",
		"sizeof":               "unexpected end",
		"len(p)":               "struct point has no length",
		"cap(rows)":            "has no capacity; slices and channels of Go have",
		"len(3)":               "a int has no elements",
	})
	agree(t, c, map[string]string{"len(rows)": "4", "len(grid[0])": "3", "len(vla)": "7"})
}

// Lengths are those that the program has counted.
func TestLengths(t *testing.T) {
	c, want := expressions(t, "main.marker", "go", "build", "-gcflags=-N -l", "lengths/main.go")
	agree(t, c, want)
	refuse(t, c, map[string]string{
		"len(b)":        "has no length",
		"cap(text)":     "string has no capacity",
		"cap(large)":    "has no capacity",
		"cap(\"x\")":    "a string has no elements",
		"len(nothing)":  "nothing: ",
		"len()":         "unexpected",
		"print(text)":   "functions of the program cannot be called",
		"len(text, 1)":  "unexpected ','",
		"sizeof(nope.x": `expected \")\"`,
	})
	agree(t, c, map[string]string{
		"sizeof(text)": "16", "sizeof(numbers)": "24", "sizeof(b)": "8", "sizeof(main.bag)": "64", "sizeof(*b)": "64", "sizeof(uint16)": "2",
	})
}
