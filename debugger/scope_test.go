package debugger_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger"
	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
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
	return filepath.Join("internal", "program", "symbolstest", "testdata", "programs", name)
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

// A name means the same as in C++ (C++17, 6.4.1): it is looked up in the
// innermost block, the arguments, the members, the class and the namespaces,
// and only then in other files and libraries. The numbers come from names.cc.
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

// Elements of Go's maps by their keys, with the values of gokeys.
func TestMapKeys(t *testing.T) {
	sample.Alone(t)
	path := debuggertest.Compile(t, filepath.Join(source("gokeys"), "main.go"), nil, "go", "build", "-gcflags=-N -l")
	mapKeys(t, path)
}

// Maps before Go 1.24 are built otherwise: the same program, built by Go 1.23.
func TestMapKeysOfBuckets(t *testing.T) {
	path := oldGo(t, filepath.Join(source("gokeys"), "main.go"))
	mapKeys(t, path)
}

// A map of Go's that was made to lead nowhere comes to an end.
func TestBrokenBuckets(t *testing.T) {
	c, want := expressionsOf(t, oldGo(t, filepath.Join("testdata", "expressions", "buckets", "main.go")), "main.marker")
	agree(t, c, want)
	refuse(t, c, map[string]string{
		"ring[3]":    "map has too many buckets to be looked through",
		"endless[1]": "map is not valid",
		"beyond[3]":  "",
		"nowhere[1]": "",
	})
	for _, name := range []string{"ring", "endless", "beyond", "nowhere"} {
		contains(t, c.ok("evaluate", args{"expression": name, "frame": 1}), "map[int]int = ")
	}
}

// oldGo builds a program with Go 1.23, if it was installed: GOTOOLCHAIN=go1.23.12
// go version does that.
func oldGo(t *testing.T, source string) string {
	t.Helper()
	text, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	return debuggertest.Cached(t, "go1.23.12", text, func(path string) {
		dir := t.TempDir() // outside of the module, which needs a newer Go
		if err := os.WriteFile(filepath.Join(dir, "main.go"), text, 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), "go", "build", "-gcflags=-N -l", "-o", path, "main.go")
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOTOOLCHAIN=go1.23.12", "GOPROXY=off", "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Skipf("maps before Go 1.24 need Go 1.23.12: %v\n%s", err, out)
		}
	})
}

// mapKeys looks into the maps of gokeys.
func mapKeys(t *testing.T, path string) {
	t.Helper()
	c := connect(t, table(t, debugger.Config{}))
	c.ok("launch", args{"path": path})
	c.ok("set_breakpoint", args{
		"file": "main.go", "line": lineOf(t, filepath.Join(source("gokeys"), "main.go"), "// stop: look"),
		"condition": `k.names["Rex"] == 3 && k.items[2].Age == 5`,
	})
	contains(t, c.ok("continue", nil), "Stopped at breakpoint 1 (")
	for expression, want := range map[string]string{
		"k.items[1].Age":                   "int = 3",
		"k.items[1].Name":                  `string = "Rex"`,
		"k.items[k.items[1].Age - 1].Name": `string = "Fido"`,
		`k.names["Rex"]`:                   "int = 3",
		`k.names[key]`:                     "int = 3",
		`k.names[""]`:                      "int = 4",
		`k.names["na\u00efve\n"]`:          "int = 6",
		"bools[true]":                      "int = 31",
		"signed[-3]":                       "int = 32",
		"signed[3]":                        "int = 33",
		"unsigned[0x8000000000000000]":     `string = "top"`,
		"colors[255]":                      "int = 34",
		"large[999]":                       "int = 998001",
		"growing[0] + growing[832]":        "int = 1664",
		"growing[7] + growing[400]":        "int = 814",
		"len(growing)":                     "int = 833",
		"len(large)":                       "int = 999",
		"len(empty) + len(none)":           "int = 0",
		`widest["w"][49]`:                  "int64 = 37",
		`stays["s"][0][49]`:                "int64 = 38",
		"bools":                            "map[bool]int = {true: 31}",
		"colors":                           "map[main.color]int = {255: 34}",
		"points":                           "map[[2]int]int = {[1, 2]: 35}",
		"empty":                            "map[string]int = {}",
		"none":                             "map[string]int = nil",
		"&large[9] == 0":                   "bool = false",
		"counter + 1":                      "int = 8",
	} {
		if got := c.Call("debugger/evaluate", args{"expression": expression}); got.Text != expression+": "+want {
			t.Errorf("%s: got %v, want %s", expression, got, want)
		}
	}
	for i := range 833 {
		expression := fmt.Sprintf("growing[%d]", i)
		if got := c.Call("debugger/evaluate", args{"expression": expression}); got.Text != fmt.Sprintf("%s: int = %d", expression, 2*i) {
			t.Errorf("%s: got %v, want %d", expression, got, 2*i)
		}
	}
	for expression, want := range map[string]string{
		"k.items[7]":     "no such key: 7",
		"k.items[0]":     "no such key: 0",
		"large[500]":     "no such key: 500",
		"growing[833]":   "no such key: 833",
		`empty["a"]`:     "no such key: ",
		"large[1000]":    "no such key: 1000",
		"signed[253]":    "no such key: 253", // not -3
		"colors[-1]":     "no such key: -1",
		"bools[false]":   "no such key: false",
		`k.names["rex"]`: `no such key: \"rex\"`,
		`none["x"]`:      `no such key: \"x\"`,
		`k.items["Rex"]`: `the keys are of type int, which \"Rex\" is not`,
		"k.names[1]":     "the keys are of type string, which 1 is not",
		"k.items[1.5]":   "is no key",
		"points[1]":      "keys of type [2]int cannot be looked up",
		`key["a"]`:       "is no number",
	} {
		if got := c.Call("debugger/evaluate", args{"expression": expression}); got.Err == nil || !strings.Contains(string(got.Err.Data), want) {
			t.Errorf("%s: got %v, want %s", expression, got, want)
		}
	}
}

// Names of libraries that are still to be loaded are not refused, nor those that
// a type says the meaning of; what no code and no library knows is.
func TestConditionNames(t *testing.T) {
	c := names(t)
	set := func(mark, condition string) args {
		return args{"file": "names.cc", "line": lineOf(t, source("names.cc"), "// stop: "+mark), "condition": condition, "one_shot": true}
	}
	for _, condition := range []string{"both_library == 104 && map == 9", "this->map == 9", "app::both == 4 && shared == 8"} {
		c.ok("set_breakpoint", set("inner", condition))
	}
	contains(t, c.ok("continue", nil), "Stopped at breakpoint ")
	contains(t, c.fails("set_breakpoint", set("main", "nope == 1"), -32006), "the condition cannot be decided there: nope: ")
	contains(t, c.fails("set_breakpoint", set("main", "inherited == 6"), -32006), "inherited: ")
	contains(t, c.fails("set_breakpoint", set("plain", "this->map == 9"), -32006), "this: ")
	c.ok("set_breakpoint", set("plain", "n == 14 && count == 103"))
	contains(t, c.ok("continue", nil), "Stopped at breakpoint ")
}

// A name may be that of an enumerator, if the other side's type could have it.
func TestConditionEnumerators(t *testing.T) {
	path := debuggertest.Compile(t, source("values.cc"), nil, "g++", "-g", "-O0")
	c := connect(t, table(t, debugger.Config{}))
	c.ok("launch", args{"path": path})
	at := func(condition string) args {
		return args{"file": "values.cc", "line": lineOf(t, source("values.cc"), "// stop: leaf"), "condition": condition}
	}
	for _, condition := range []string{"plain == Second", "mode == app::Mode::On && !ok", "v[2] == Second", "words[1] == 0 || plain != First"} {
		c.ok("set_breakpoint", at(condition))
	}
	for _, condition := range []string{"plain == Third", "count == Third", "ok || Third == 1", "ok ? count : Third"} {
		contains(t, c.fails("set_breakpoint", at(condition), -32006), "Third: ")
	}
}

// Go's functions are found by the ends of their names, generic ones with all
// their instances; gokeys has gen for int and string.
func TestGoFunctionNames(t *testing.T) {
	path := debuggertest.Compile(t, filepath.Join(source("gokeys"), "main.go"), nil, "go", "build", "-gcflags=-N -l")
	c := connect(t, table(t, debugger.Config{}))
	c.ok("launch", args{"path": path})
	for _, tt := range []struct {
		name string
		want []string // of the functions
	}{
		{"main.gen", []string{"main.gen[go.shape.int]", "main.gen[go.shape.string]"}},
		{"gen", []string{"main.gen[go.shape.int]", "main.gen[go.shape.string]"}},
		{"gen[go.shape.int]", []string{"main.gen[go.shape.int]"}},
		{"main.(*dog).older", []string{"main.(*dog).older"}},
		{"(*dog).older", []string{"main.(*dog).older"}},
		{"older", []string{"main.(*dog).older"}},
		{"dog.sound", []string{"main.dog.sound"}},
		{"(*cache).put", []string{"main.(*cache[go.shape.string,go.shape.int]).put"}},
		{"main", []string{"main.main"}},
		{"maps.(*Map).deleteSmall", []string{"internal/runtime/maps.(*Map).deleteSmall"}},
	} {
		var got struct {
			Breakpoint struct{ Places []struct{ Function string } }
		}
		c.data("set_breakpoint", args{"function": tt.name}, &got)
		var functions []string
		for _, p := range got.Breakpoint.Places {
			functions = append(functions, p.Function)
		}
		slices.Sort(functions)
		if !slices.Equal(functions, tt.want) {
			t.Errorf("%s: got %q, want %q", tt.name, functions, tt.want)
		}
	}
	contains(t, c.fails("set_breakpoint", args{"function": "main.oldr"}, -32006), "no function main.oldr is known; there is main.(*dog).older")
	contains(t, c.fails("set_breakpoint", args{"function": "Gen"}, -32006), "no function Gen is known; there is main.gen")
	contains(t, c.ok("continue", nil), "Stopped at breakpoint 8 (") // main calls put first
}
