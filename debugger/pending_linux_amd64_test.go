package debugger_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger"
	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
)

// buildPlugin returns a program that loads a library, and the library.
func buildPlugin(t *testing.T) (program, library, source string) {
	t.Helper()
	dir := t.TempDir()
	files := map[string]string{
		"host.c": `#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv) {
	for (int i = 0; i < 2; i++) {
		void *lib = dlopen(argv[1], RTLD_NOW);
		if (!lib) { puts(dlerror()); return 1; }
		int (*plug)(int) = (int (*)(int))dlsym(lib, "plug");
		printf("%d\n", plug(i + 20));
		dlclose(lib);
	}
	return 0;
}
`,
		"plug.c": `static int times = 3;
__attribute__((constructor)) static void begin(void) { times++; }
int plug(int n) {
	int doubled = 2 * n; // doubled here
	return doubled + times;
}
`,
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	source = filepath.Join(dir, "plug.c")
	program = debuggertest.Compile(t, filepath.Join(dir, "host.c"), nil, "gcc", "-g", "-O0", "-ldl")
	library = debuggertest.Compile(t, source, nil, "gcc", "-g", "-O0", "-shared", "-fPIC")
	return program, library, source
}

// Breakpoints wait for a library, also for its constructor, in a run at full
// speed and in one that is recorded; gdb stops at the same places.
func TestPending(t *testing.T) {
	program, library, source := buildPlugin(t)
	for _, record := range []bool{false, true} {
		t.Run(fmt.Sprintf("record %v", record), func(t *testing.T) {
			c := connect(t, table(t, debugger.Config{}))
			c.ok("launch", args{"path": program, "args": []string{library}})
			contains(t, c.fails("set_breakpoint", args{"function": "plug"}, -32006), "no function plug is known")
			if got, want := c.ok("set_breakpoint", args{"function": "plug", "condition": "n == 20", "pending": true}), "Breakpoint 1 waits for a library with plug"; got != want {
				t.Errorf("got %q, want %q", got, want)
			}
			c.ok("set_breakpoint", args{"function": "begin", "pending": true})
			c.ok("set_breakpoint", args{"file": "plug.c", "line": 5, "pending": true, "log": "doubled {doubled}"})
			contains(t, c.ok("list_breakpoints", nil), "  1  breakpoint at plug, pending, if n == 20", "at plug.c:5, pending")
			run := args{"record": record, "wait_ms": 60000}
			places := []string{placeOf(c.ok("continue", run), c), placeOf(c.ok("continue", run), c)}
			if want := gdbPlaces(t, program, library, source); strings.Join(places, " ") != strings.Join(want, " ") {
				t.Errorf("stopped at %v, gdb at %v", places, want)
			}
			if got := c.ok("list_breakpoints", nil); strings.Contains(got, "pending") {
				t.Errorf("there still is a pending one:\n%s", got)
			}
		})
	}
}

// buildReloader returns a program that loads a library three times, the last time at
// another address.
func buildReloader(t *testing.T) (program, library string) {
	t.Helper()
	_, library, _ = buildPlugin(t)
	host := filepath.Join(t.TempDir(), "reload.c")
	if err := os.WriteFile(host, []byte(`#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/mman.h>
void ended(void) {}
int main(int argc, char **argv) {
	for (int i = 0; i < 3; i++) {
		void *lib = dlopen(argv[1], RTLD_NOW);
		if (!lib) return 1;
		int (*plug)(int) = (int (*)(int))dlsym(lib, "plug");
		plug(i);
		char *at = (char *)((long)plug & ~4095);
		dlclose(lib);
		if (i == 1) mmap(at, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	}
	ended();
	return 0;
}
`), 0o600); err != nil {
		t.Fatal(err)
	}
	return debuggertest.Compile(t, host, nil, "gcc", "-g", "-O0", "-ldl"), library
}

// A breakpoint in a library is pending while the library is not mapped, also in the past,
// and stops wherever the library is loaded again, as gdb's do.
func TestReloaded(t *testing.T) {
	program, library := buildReloader(t)
	for _, record := range []bool{false, true} {
		t.Run(fmt.Sprintf("record %v", record), func(t *testing.T) {
			c := connect(t, table(t, debugger.Config{}))
			c.ok("launch", args{"path": program, "args": []string{library}})
			c.ok("set_breakpoint", args{"function": "ended"})
			c.ok("set_breakpoint", args{"function": "plug", "pending": true})
			run := args{"record": record, "wait_ms": 60000}
			for i := range 3 {
				contains(t, c.ok("continue", run), "Stopped at breakpoint 2 (")
				contains(t, c.ok("evaluate", args{"expression": "n"}), fmt.Sprintf("= %d", i))
				contains(t, c.ok("list_breakpoints", nil), " plug ", fmt.Sprintf("hits: %d", i+1))
			}
			contains(t, c.ok("continue", run), "Stopped at breakpoint 1 (")
			contains(t, c.ok("list_breakpoints", nil), "  2  breakpoint at plug, pending, hits: 3")
			if !record {
				return
			}
			for i := range 3 {
				contains(t, c.ok("reverse_continue", args{"wait_ms": 60000}), "Stopped at breakpoint 2 (")
				contains(t, c.ok("evaluate", args{"expression": "n"}), fmt.Sprintf("= %d", 2-i))
			}
			contains(t, c.ok("reverse_continue", args{"wait_ms": 60000}), "Came to the beginning of history")
			contains(t, c.ok("list_breakpoints", nil), "  2  breakpoint at plug, pending")
		})
	}
}

// A breakpoint that was set in a library of the program after it was loaded is also
// found again.
func TestReloadedLater(t *testing.T) {
	program, library := buildReloader(t)
	c := connect(t, table(t, debugger.Config{}))
	c.ok("launch", args{"path": program, "args": []string{library}})
	c.ok("set_breakpoint", args{"function": "begin", "pending": true})
	contains(t, c.ok("continue", nil), "Stopped at breakpoint 1 (")
	c.ok("clear_breakpoint", args{"id": 1})
	c.ok("set_breakpoint", args{"function": "plug"})
	for range 3 {
		contains(t, c.ok("continue", nil), "Stopped at breakpoint 2 (")
	}
	contains(t, c.ok("continue", nil), "exited with status 0")
}

// placeOf returns the function and line of a stop at a breakpoint.
func placeOf(text string, c *client) string {
	c.t.Helper()
	contains(c.t.(*testing.T), text, "Stopped at breakpoint ")
	var a answer
	c.state("", &a)
	return fmt.Sprintf("%s:%d", a.State.Function, a.State.Line)
}

// gdbPlaces returns where gdb stops at pending breakpoints in plug and begin.
func gdbPlaces(t *testing.T, program, library, source string) []string {
	t.Helper()
	gdb := debuggertest.GDB(t)
	cmd := exec.CommandContext(t.Context(), gdb, "-nx", "-batch", "-iex", "set debuginfod enabled off",
		"-ex", "set breakpoint pending on", "-ex", "break plug if n == 20", "-ex", "break begin",
		"-ex", "run", "-ex", "frame", "-ex", "continue", "-ex", "frame", "-ex", "kill", "--args", program, library)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("gdb: %v\n%s", err, out)
	}
	var places []string
	for _, m := range regexp.MustCompile(`(?m)^#0 +(\w+) .* at `+regexp.QuoteMeta(source)+`:(\d+)`).FindAllSubmatch(out, -1) {
		places = append(places, fmt.Sprintf("%s:%s", m[1], m[2]))
	}
	if len(places) != 2 {
		t.Fatalf("gdb stopped at %v:\n%s", places, out)
	}
	return places
}

// A breakpoint is found by the text of its line, where that has moved to.
func TestExpected(t *testing.T) {
	c, p := attach(t, "shapes.c")
	sum := line(t, "sum")
	at := fmt.Sprintf("%#x", p.Mark("sum"))
	text := strings.TrimSpace(strings.Split(read(t, debuggertest.Source("shapes.c")), "\n")[sum-1])
	for _, tt := range []struct {
		args args
		note string
	}{
		{args{"file": "shapes.c", "line": sum, "expected": text}, ""},
		{args{"file": "shapes.c", "line": sum, "expected": "  int   sum ="}, ""},
		{args{"file": "shapes.c", "line": sum - 7, "expected": text}, fmt.Sprintf("the text is in line %d now; line %d is ", sum, sum-7)},
		{args{"file": "shapes.c", "line": 99999, "expected": text}, fmt.Sprintf("the text is in line %d now", sum)},
		{args{"file": "shapes.c", "expected": text}, ""},
	} {
		got := c.ok("set_breakpoint", tt.args)
		contains(t, got, " set at "+at, tt.note)
		if tt.note == "" && strings.Contains(got, "Note") {
			t.Errorf("%v: %q", tt.args, got)
		}
	}
	contains(t, c.fails("set_breakpoint", args{"file": "shapes.c", "line": sum, "expected": "no such text"}, -32006), "no line of ", `has the text "no such text"; line `)
	contains(t, c.fails("set_breakpoint", args{"file": "shapes.c", "expected": "return"}, -32006), "have this text; give the line, too")
	contains(t, c.fails("set_breakpoint", args{"function": "add", "expected": "x"}, -32602), "give either")
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
