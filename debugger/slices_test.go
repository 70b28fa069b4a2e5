package debugger_test

import (
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger"
	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
)

// atMarker is a client with a program of testdata/expressions, stopped where it calls
// marker.
func atMarker(t *testing.T, cfg debugger.Config, path string) *client {
	t.Helper()
	c := connect(t, table(t, cfg))
	c.ok("launch", args{"path": path})
	c.ok("set_breakpoint", args{"function": "marker"})
	contains(t, c.ok("continue", nil), "Stopped at breakpoint 1 (")
	return c
}

// gdbAtMarker returns what GDB prints in the caller of marker.
func gdbAtMarker(t *testing.T, path string, commands ...string) []string {
	t.Helper()
	gdb := debuggertest.GDB(t)
	argv := []string{"-nx", "-batch", "-ex", "set width 0", "-ex", "set print repeats unlimited", "-ex", "break marker", "-ex", "run", "-ex", "up"}
	for _, each := range commands {
		argv = append(argv, "-ex", `echo \n@`, "-ex", each)
	}
	out, err := exec.CommandContext(t.Context(), gdb, append(argv, path)...).CombinedOutput()
	parts := strings.Split(string(out), "\n@")[1:]
	if err != nil || len(parts) != len(commands) {
		t.Fatalf("gdb: %v\n%s", err, out)
	}
	return parts
}

// valueOf evaluates in the caller of marker.
func (c *client) valueOf(arguments args) string {
	c.t.Helper()
	arguments["frame"] = 1
	_, value, _ := strings.Cut(c.ok("evaluate", arguments), " = ")
	return value
}

// Slices and repeated objects are GDB's; a[i:j] is *&a[i]@j-i there.
func TestSlicesLikeGDB(t *testing.T) {
	path := program(t, "gcc", "-g", "-O0", "slices.c")
	cases := [][2]string{
		{"numbers[64:70]", "numbers[64]@6"}, {"numbers[295:]", "numbers[295]@5"}, {"numbers[:3]", "numbers[0]@3"},
		{"from[10:13]", "from[10]@3"}, {"*from@4", "*from@4"}, {"from[5]@2", "from[5]@2"}, {"*from@1 + 1", "*from@1 + 1"},
		{"points[1:3]", "points[1]@2"}, {"*where@2", "*where@2"}, {"points[1:][1]", "points[2]"}, {"(from + 2)[1:3]", "from[3]@2"},
		{"mixed.at[0:1]", "mixed.at[0]@1"}, {"bytes[2]@2", "bytes[2]@2"}, {"sizeof(numbers[3:7])", "sizeof(numbers[3]@4)"},
		{"numbers[2 > 1 ? 4 : 0:6]", "numbers[4]@2"}, {"*((short *)from)@4", "*((short *)from)@4"},
	}
	commands := make([]string, len(cases))
	for i, tt := range cases {
		commands[i] = "output " + tt[1]
	}
	want := gdbAtMarker(t, path, commands...)
	c := atMarker(t, debugger.Config{}, path)
	for i, tt := range cases {
		got := c.valueOf(args{"expression": tt[0]})
		if tt[0] == "bytes[2]@2" { // GDB writes characters of unsigned char as a string
			got = strings.NewReplacer("{104 'h', 105 'i'}", `"hi"`).Replace(got)
		}
		if got != strings.TrimSpace(want[i]) {
			t.Errorf("%s: got %s; gdb says %s", tt[0], got, want[i])
		}
	}
	if got := c.valueOf(args{"expression": "numbers[0:200]"}); strings.Count(got, ",") != 199 || !strings.HasSuffix(got, ", 39601}") {
		t.Errorf("200 elements are %s", got)
	}
	if got, want := c.valueOf(args{"expression": "text[198:208]"}), `"aaneedleaa"`; got != want {
		t.Errorf("a slice of a text is %s, want %s", got, want)
	}
	for expression, want := range map[string]string{
		"numbers[5:2]": "out of range", "numbers[0:301]": "out of range", "from[3:]": "has no end", "small[0:1]": "has no elements",
		"*from@0": "are no array", "*from@70000": "are no array", "(small + 1)@2": "only what is in memory", "numbers[1:2": "cannot be understood", "1@2": "only what is in memory",
	} {
		a := c.Call("debugger/evaluate", args{"expression": expression, "frame": 1})
		if a.Err == nil || !strings.Contains(a.Err.Message+string(a.Err.Data), want) {
			t.Errorf("%s: got %v, want an error with %q", expression, a, want)
		}
	}
}

// Formats are GDB's, but for the prefixes of binary and octal numbers.
func TestFormatsLikeGDB(t *testing.T) {
	path := program(t, "gcc", "-g", "-O0", "slices.c")
	expressions := []string{"small", "large", "points", "*where@2", "mixed.low", "mixed.color", "numbers[3:6]", "small * 3", "from[1:4]"}
	var commands, names []string
	for _, format := range []string{"x", "d", "u", "o", "t", "c"} {
		for _, e := range expressions {
			if format == "c" && e != "small" { // one byte of it, here as there
				continue
			}
			names = append(names, format+" "+e)
			gdb := strings.NewReplacer("numbers[3:6]", "numbers[3]@3", "from[1:4]", "from[1]@3").Replace(e)
			commands = append(commands, "output/"+format+" "+gdb)
		}
	}
	want := gdbAtMarker(t, path, commands...)
	c := atMarker(t, debugger.Config{}, path)
	for i, name := range names {
		got := c.valueOf(args{"expression": "/" + name})
		got = strings.ReplaceAll(got, "0b", "")
		if got != strings.TrimSpace(want[i]) {
			t.Errorf("%s: got %s; gdb says %s", name, got, want[i])
		}
	}
	for _, tt := range [][2]string{ // IEEE 754
		{"/x ratio", "0x3fc00000"}, {"/x weight", "0xbfd0000000000000"}, {"/f *(int *)&ratio", "1.5"}, {"/f weight", "-0.25"},
	} {
		if got := c.valueOf(args{"expression": tt[0]}); got != tt[1] {
			t.Errorf("%s is %s, want %s", tt[0], got, tt[1])
		}
	}
	contains(t, c.fails("evaluate", args{"expression": "/q small"}, -32602), "there is no format /q")
}

// A long array has pages, and depth and width are arguments.
func TestPages(t *testing.T) {
	path := program(t, "gcc", "-g", "-O0", "slices.c")
	c := atMarker(t, debugger.Config{}, path)
	var all []string
	for from := 0; from < 300; from += 70 {
		page := c.valueOf(args{"expression": "numbers", "from": from, "elements": 70})
		if more := strings.HasSuffix(page, "…}"); more != (from+70 < 300) {
			t.Errorf("the page from %d is %s", from, page)
		}
		all = append(all, strings.Split(strings.Trim(page, "{…}"), ", ")...)
	}
	if len(all) != 300 {
		t.Fatalf("the pages have %d elements, want 300", len(all))
	}
	for i, text := range all {
		if text != strconv.Itoa(i*i) {
			t.Errorf("element %d is %s, want %d", i, text, i*i)
		}
	}
	if got := c.valueOf(args{"expression": "mixed", "depth": 1}); !strings.Contains(got, "at = {…, …}") || strings.Contains(got, "y =") {
		t.Errorf("with depth 1: %s", got)
	}
	if got := c.valueOf(args{"expression": "text", "elements": 400}); len(got) != 401 || !strings.Contains(got, "needle") {
		t.Errorf("the text has %d characters with its quotes: %s", len(got), got)
	}
}

// Layouts have the offsets and sizes that GDB has.
func TestLayout(t *testing.T) {
	path := program(t, "gcc", "-g", "-O0", "slices.c")
	c := atMarker(t, debugger.Config{}, path)
	const want = `type struct mixed, 64 bytes
      0     1  tag: char
      8     8  weight: double
     16        low: unsigned int (bits 128:3)
     16        high: unsigned int (bits 131:7)
     20    16  at: struct point [2]
     40     8  name: const char *
     48     4  color: enum color
     52     4  : union {...}`
	offsets := gdbAtMarker(t, path, "output sizeof(struct mixed)", "output &((struct mixed *)0)->at", "output &((struct mixed *)0)->name", "output &((struct mixed *)0)->color")
	for _, name := range []string{"mixed", "struct mixed", "&mixed"} {
		got := c.ok("evaluate", args{"expression": name, "layout": true, "frame": 1})
		lines := strings.Split(got, "\n")
		for i, line := range strings.Split(strings.Replace(want, "64 bytes", strings.TrimSpace(offsets[0])+" bytes", 1), "\n") {
			if i >= len(lines) || strings.Join(strings.Fields(lines[i]), " ") != strings.Join(strings.Fields(line), " ") {
				t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
				break
			}
		}
	}
	for i, offset := range []string{"0x14", "0x28", "0x30"} {
		if !strings.Contains(offsets[i+1], offset) {
			t.Errorf("gdb has the offset %s, the test %s", offsets[i+1], offset)
		}
	}
	contains(t, c.ok("evaluate", args{"expression": "enum color", "layout": true}), "type enum color, 4 bytes", "RED = 0", "GREEN = 5", "BLUE = 6")
	contains(t, c.fails("evaluate", args{"expression": "1 + 1", "layout": true}, -32602), "only types of the program")
}

// A value is assigned as in C, where memory may be written.
func TestAssign(t *testing.T) {
	path := program(t, "gcc", "-g", "-O0", "slices.c")
	c := atMarker(t, debugger.Config{}, path)
	for _, tt := range [][3]string{
		{"numbers[7]", "40 + 2", "42"}, {"mixed.weight", "0.5", "0.5"}, {"mixed.color", "GREEN", "GREEN"}, {"points[0]", "points[3]", "{x = -7, y = 8}"},
		{"mixed.name", "0", "0x0"}, {"mixed.tag", "'z'", "122 'z'"}, {"numbers[8]", "numbers[7] * -1", "-42"},
	} {
		contains(t, c.ok("write_memory", args{"address": tt[0], "value": tt[1]}), "Wrote ")
		if got := c.valueOf(args{"expression": tt[0]}); got != tt[2] {
			t.Errorf("%s = %s makes it %s, want %s", tt[0], tt[1], got, tt[2])
		}
	}
	for _, tt := range [][3]string{
		{"mixed.low", "1", "bit-field"}, {"mixed.tag", "300", "does not fit"}, {"numbers", "1", "cannot be set"}, {"1 + 1", "2", "not in memory"}, {"$rax", "1", "not in memory"},
	} {
		a := c.Call("debugger/write_memory", args{"address": tt[0], "value": tt[1]})
		if a.Err == nil || !strings.Contains(a.Err.Message+string(a.Err.Data), tt[2]) {
			t.Errorf("%s = %s: got %v, want an error with %q", tt[0], tt[1], a, tt[2])
		}
	}
	for _, both := range []args{{"address": "&numbers"}, {"address": "&numbers", "hex": "00", "value": "1"}} {
		contains(t, c.fails("write_memory", both, -32602), "either hex or value")
	}
	no := atMarker(t, debugger.Config{Live: debugger.Live{NoWrite: true}}, path)
	contains(t, no.fails("write_memory", args{"address": "numbers[0]", "value": "1"}, -32003), "--no-write")
}
