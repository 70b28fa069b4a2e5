package debugger_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger"
)

// build runs a compiler on programs of the symbols' tests.
func build(t *testing.T, compiler string, arguments ...string) {
	t.Helper()
	if _, err := exec.LookPath(compiler); err != nil {
		t.Skipf("building needs %s", compiler)
	}
	if out, err := exec.CommandContext(t.Context(), compiler, arguments...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// source is the path of a program of the symbols' tests.
func source(name string) string {
	return filepath.Join("symbols", "testdata", "programs", name)
}

// lineOf is the number of the line of a file that ends so.
func lineOf(t *testing.T, path, end string) int {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, _, ok := strings.Cut(string(text), end+"\n")
	if !ok {
		t.Fatalf("%s has no line that ends with %q", path, end)
	}
	return strings.Count(before, "\n") + 1
}

// names builds and launches names.cc with its library.
func names(t *testing.T) *client {
	t.Helper()
	dir := t.TempDir()
	library, path := filepath.Join(dir, "libnames.so"), filepath.Join(dir, "names")
	build(t, "gcc", "-g", "-O0", "-shared", "-fPIC", source("names_library.c"), "-o", library)
	build(t, "g++", "-g", "-O0", source("names.cc"), library, "-Wl,-rpath,"+dir, "-o", path)
	c := connect(t, table(t, debugger.Config{}))
	c.ok("launch", args{"path": path})
	return c
}

// A name means what C++ means by it (C++17, 6.4.1): the innermost block's, the
// arguments, the members, those of the class and the namespaces, and only then
// what other files and libraries have. The numbers are those of names.cc.
func TestNames(t *testing.T) {
	c := names(t)
	for _, stop := range []struct {
		mark, condition string
		want            map[string]string
	}{
		{"inner", "map == 9 && here == 12", map[string]string{
			"map": "int = 9", "here": "int = 12", "inherited": "int = 6", "both": "int = 7", "shared": "int = 8",
			"both_": "int = 13", "this->here": "int = 10", "Base::shared": "int = 8", "hidden": "int = 5",
			"both_library": "int = 104", "count": "int = 103", "app::both": "int = 4",
		}},
		{"plain", "both == 4", map[string]string{
			"both": "int = 4", "here": "int = 1", "hidden": "int = 5", "map[0]": "int = 2", "n": "int = 14",
			"Doc::both_": "int = 13", "app::Doc::both_": "int = 13",
		}},
		{"main", "both == 3", map[string]string{"both": "int = 3", "here": "int = 1", "map[1]": "int = 2", "app::hidden": "int = 5"}},
	} {
		c.ok("set_breakpoint", args{
			"file": "names.cc", "line": lineOf(t, source("names.cc"), "// stop: "+stop.mark),
			"condition": stop.condition, "one_shot": true,
		})
		text := c.ok("continue", nil)
		contains(t, text, "Stopped at breakpoint ")
		for name, want := range stop.want {
			if got := c.Call("debugger/evaluate", args{"expression": name}); got.Text != name+": "+want {
				t.Errorf("%s at %s: got %v, want %s", name, stop.mark, got, want)
			}
		}
	}
}
