package debugger_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger"
	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
)

// program builds a program of testdata/expressions, which the command ends with.
func program(t *testing.T, compiler ...string) string {
	t.Helper()
	last := len(compiler) - 1
	return debuggertest.Compile(t, filepath.Join("testdata", "expressions", compiler[last]), nil, compiler[:last]...)
}

// expressions is a client with a program of testdata/expressions where marker is
// called, and what the program says that expressions come to.
func expressions(t *testing.T, marker string, compiler ...string) (*client, map[string]string) {
	t.Helper()
	return expressionsOf(t, program(t, compiler...), marker)
}

// expressionsOf is expressions for a program that was built.
func expressionsOf(t *testing.T, path, marker string) (*client, map[string]string) {
	t.Helper()
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

// Sizes equal the compiler's.
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

// Lengths equal those that the program has counted.
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
		"len(text, 1)":  `expected \")\"`,
		"sizeof(nope.x": `expected \")\"`,
	})
	agree(t, c, map[string]string{
		"sizeof(text)": "16", "sizeof(numbers)": "24", "sizeof(b)": "8", "sizeof(main.bag)": "64", "sizeof(*b)": "64", "sizeof(uint16)": "2",
	})
}

// They are so with the maps and channels that programs built by Go 1.23 have.
func TestOldLengths(t *testing.T) {
	c, want := expressionsOf(t, oldGo(t, filepath.Join("testdata", "expressions", "lengths", "main.go")), "main.marker")
	agree(t, c, want)
}

// A computed pointer to characters is shown with its text, as one of the program is.
func TestTextOfPointers(t *testing.T) {
	c, _ := expressions(t, "marker", "gcc", "-g", "-O0", "-w", "texts.c")
	for expression, want := range map[string]string{
		"(char *)buffer": `"hello"`, "(char *)buffer + 1": `"ello"`, "&buffer[2]": `"llo"`, "(unsigned char *)buffer": `"hello"`,
		"(const char *)&bob": `"bob"`, "(char *)name": `"bob"`, "words[0] + 1": `"ne"`, "(char *)(long)tail": `"tail"`, "&raw[0]": `"raw\xff"`,
		"(char *)empty": `""`, "name": `"bob"`,
	} {
		text := c.ok("evaluate", args{"expression": expression, "frame": 1})
		matches(t, text, regexp.QuoteMeta(expression)+`: [a-z ]+ \* = 0x[0-9a-f]+ `+regexp.QuoteMeta(want))
	}
	for _, expression := range []string{"(void *)buffer", "(char **)words", "(int *)buffer", "(char *)8", "/x (char *)buffer", "&buffer"} {
		matches(t, c.ok("evaluate", args{"expression": expression, "frame": 1}), `.* = 0x[0-9a-f]+`)
	}
	contains(t, c.ok("evaluate", args{"expression": "(char *)0"}), "= 0x0")
}

// Texts compare as strcmp and the operators of the languages do.
func TestTexts(t *testing.T) {
	for _, tt := range []struct {
		source, marker string
		compiler       []string
		refused        map[string]string
	}{
		{"texts.c", "marker", []string{"gcc", "-g", "-O0", "-w"}, map[string]string{
			`none < "bob"`:       "a null pointer is no text",
			`bob.initial == "b"`: "a char is no text",
			`bob.age == "40"`:    "a int is no text",
			`bob == "bob"`:       "a struct person is no text",
			`words == "one"`:     "a char ** is no text",
			`(char *)8 == "x"`:   "0x8",
			`name + "x" == "x"`:  "a string is no number",
		}},
		{"texts.cc", "marker", []string{"g++", "-g", "-O0", "-std=c++17"}, map[string]string{
			`where == "bob"`:     "is no text",
			`who.wide == "wide"`: "is no text",
			"name == 0":          "a int is no text",
			"name + 1":           "is no number",
			"none < copy":        "a null pointer is no text",
		}},
		{"texts.cc", "marker", []string{"clang++", "-stdlib=libc++", "-g", "-O0", "-std=c++17"}, map[string]string{
			`where == "bob"`: "is no text", `who.wide == "wide"`: "is no text", "words[2]": "out of range: there are 2",
		}},
		{"texts.rs", "marker", []string{"rustc", "-g", "-C", "opt-level=0"}, map[string]string{
			"name == 3": "a i32 is no text", "who == name": "is no text",
		}},
		{"texts/main.go", "main.marker", []string{"go", "build", "-gcflags=-N -l"}, map[string]string{
			"name == 3": "a int is no text", `who == "ann"`: "a *main.person is no text", `words == "one"`: "a []string is no text",
			"name == nil": "a void * is no text",
		}},
	} {
		t.Run(tt.source+" with "+tt.compiler[0], func(t *testing.T) {
			sample.Case(t)
			if tt.compiler[0] == "clang++" {
				needLLVM(t)
			}
			c, want := expressions(t, tt.marker, append(tt.compiler, tt.source)...)
			agree(t, c, want)
			refuse(t, c, tt.refused)
			if strings.HasSuffix(tt.source, ".cc") {
				agree(t, c, map[string]string{"words": `{"one", "two"}`, "copy": `"bob"`, "view": `"bob"`})
			}
		})
	}
}

// Conditions compare texts where the arguments have their values.
func TestTextConditions(t *testing.T) {
	c := connect(t, table(t, debugger.Config{}))
	c.ok("launch", args{"path": program(t, "gcc", "-g", "-O0", "-w", "texts.c")})
	c.ok("set_breakpoint", args{"function": "look", "condition": `name == "ann"`})
	c.ok("set_breakpoint", args{"function": "look", "condition": `name == "bob" && words[0] < "p" ? name != "b" : 0`})
	contains(t, c.fails("set_breakpoint", args{"function": "look", "condition": `nome == "bob"`}, -32006), "nome: ")
	contains(t, c.ok("continue", nil), "Stopped at breakpoint 2 (")
}

// A type of Go's may be a pointer to itself, which once made an evaluation run out
// of stack and took the server with it.
func TestRecursiveTypes(t *testing.T) {
	c, want := expressions(t, "main.marker", "go", "build", "-gcflags=-N -l", "recursive/main.go")
	agree(t, c, want)
}

// Smart pointers lead where the program's own operators do.
func TestSmartPointers(t *testing.T) {
	for _, tt := range []struct {
		source   string
		compiler []string
		refused  map[string]string
	}{
		{"pointers.cc", []string{"g++", "-g", "-O0", "-std=c++17"}, map[string]string{
			"*hollow": "the optional has no value", "part->size": "has no member size", "**number": "is no pointer", "part + 1 == 1.5": "cannot be applied",
		}},
		{"pointers.cc", []string{"clang++", "-stdlib=libc++", "-g", "-O0", "-std=c++17"}, map[string]string{"part->size": "has no member size"}},
		{"pointers.rs", []string{"rustc", "-g", "-C", "opt-level=0"}, map[string]string{
			"point.y": "has no member y", "**counted": "is no pointer", "counted == 8": "is no number",
		}},
	} {
		t.Run(tt.source+" with "+tt.compiler[0], func(t *testing.T) {
			sample.Case(t)
			if tt.compiler[0] == "clang++" {
				needLLVM(t)
			}
			c, want := expressions(t, "marker", append(tt.compiler, tt.source)...)
			agree(t, c, want)
			refuse(t, c, tt.refused)
			if tt.compiler[0] == "g++" { // which shows the pointer, not its deleter, a pointer too
				_, at, _ := strings.Cut(c.ok("evaluate", args{"expression": "&*function", "frame": 1}), " = ")
				contains(t, c.ok("evaluate", args{"expression": "function", "frame": 1}), " = "+strings.TrimSpace(at))
			}
		})
	}
}

// needLLVM skips a test on a machine without libc++.
func needLLVM(t *testing.T) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "clang++", "-stdlib=libc++", "-x", "c++", "-include", "memory", "-fsyntax-only", os.DevNull)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("building with libc++ needs clang++ and libc++: %v\n%s", err, out)
	}
}

// Elements of libstdc++'s containers equal those that the program finds, and
// reading a container with corrupt pointers ends.
func TestContainers(t *testing.T) {
	sample.Alone(t)
	c, want := expressions(t, "marker", "g++", "-g", "-O0", "-std=c++17", "containers.cc")
	agree(t, c, want)
	agree(t, c, map[string]string{
		`letters["two"]`: "2", "words": `{"one", "two"}`, "pair": `{"left", "right"}`, "fixed": "{31, 32, 33}", "empty": "{}", "hollow": "{}",
		"apart": "{[1] = {n = 111}, [2] = {n = 222}}", "chain": "{{n = 5}, {n = 6}}", "huge[2]": "22",
		"blocks[3].n": "300", "&queue[5] - &queue[4]": "1",
	})
	refuse(t, c, map[string]string{
		`byName["Ann"]`:   `no such key: \"Ann\"`,
		"byName[3]":       "the keys are of type std::string, which 3 is not",
		"points[1]":       "no such key: 1",
		`points["a"]`:     `which \"a\" is not`,
		"falling[1000]":   "no such key: 1000",
		"tiny[253]":       "no such key: 253",
		"none[0]":         "no such key: 0",
		"nothing[0]":      "no such key: 0",
		"numbers[1]":      "no such key: 1",
		`letters["six"]`:  "no such key",
		"halves[0.5]":     "is no key",
		"halves[1]":       "keys of type double cannot be looked up",
		"queue[1149]":     "index 1149 is out of range: there are 1149",
		"queue[-1]":       "index -1 is out of range",
		"empty[0]":        "out of range: there are 0",
		"fixed[3]":        "out of range: there are 3",
		"hollow[0]":       "out of range: there are 0",
		"given[3]":        "out of range: there are 3",
		"bits[1000]":      "out of range: there are 1000",
		"text[8]":         "out of range: there are 8",
		"set[1]":          "has no indices",
		"chain[1]":        "has no indices",
		"queue.size(1)":   "functions of the program cannot be called at character 7",
		"queue.front()":   "functions of the program cannot be called",
		"where.size()":    "has no length",
		"(*looped)[7]":    "map is not valid",
		"(*maze)[7]":      "map is not valid",
		"(*ring)[7]":      "map is not valid",
		"sizeof(nothing[": "unexpected end",
	})
}

// Data of a library without debug information is no code: a cast reads it, and
// its address is that of a variable of the same name.
func TestUntypedData(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"library.c": "long counter = 4711;\n",
		"main.c":    "extern long counter;\nint main(void)\n{\n\treturn counter == 0;\n}\n",
		"shared.c":  "long zeros[1 << 17], more[1 << 17];\n", // one of them is behind what the file has
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	build(t, "gcc", "-c", filepath.Join(dir, "library.c"), "-o", filepath.Join(dir, "library.o"))
	shared := filepath.Join(dir, "libshared.so")
	build(t, "gcc", "-shared", "-fPIC", filepath.Join(dir, "shared.c"), "-o", shared)
	build(t, "gcc", "-g", "-O0", filepath.Join(dir, "main.c"), filepath.Join(dir, "library.o"), "-Wl,--no-as-needed", shared, "-o", filepath.Join(dir, "main"))
	c := connect(t, table(t, debugger.Config{}))
	c.ok("launch", args{"path": filepath.Join(dir, "main")})
	contains(t, c.ok("evaluate", args{"expression": "(long)counter"}), "= 4711")
	contains(t, c.ok("evaluate", args{"expression": "*(int *)&counter - 11"}), "= 4700")
	contains(t, c.ok("evaluate", args{"expression": "counter"}), "counter: data without debug information = <the type of this data is not known")
	for _, name := range []string{"zeros", "more"} {
		contains(t, c.ok("evaluate", args{"expression": name}), name+": data without debug information = <the type of this data is not known")
	}
	contains(t, c.fails("evaluate", args{"expression": "counter + 1"}, -1), "a cast such as (long)name reads it")
	contains(t, c.ok("evaluate", args{"expression": "main"}), "code * = 0x")
}
