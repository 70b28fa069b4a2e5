package values_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/program/callstack"
	"github.com/triptych-mcp/triptych/debugger/internal/program/symbolstest"
	"github.com/triptych-mcp/triptych/debugger/internal/program/types"
	"github.com/triptych-mcp/triptych/debugger/internal/program/values"
	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
)

// A variableWant is a variable as the source of a program defines it.
type variableWant struct{ name, typ, text string }

// TestValues compares types and values with what the sources in
// testdata/programs say. Addresses are cut off at the first space.
func TestValues(t *testing.T) {
	tests := []struct {
		name, source, stop string
		ignore             int
		flags              []string
		want               []variableWant
	}{
		{"C", "values.c", "marker", 0, []string{"-O0"}, valuesC},
		{"C, DWARF 4", "values.c", "marker", 0, []string{"-O0", "-gdwarf-4"}, valuesC},
		{"C++", "values.cc", "marker", 1, []string{"-O0"}, valuesCPP},
		{"C++, type units", "values.cc", "marker", 1, []string{"-O0", "-fdebug-types-section"}, valuesCPP},
		{"C++, DWARF 4, type units", "values.cc", "marker", 1, []string{"-O0", "-fdebug-types-section", "-gdwarf-4"}, valuesCPP},
		{"C++, the library beside containers", "modern.cc", "marker", 0, []string{"-O0"}, modernCPP},
		{"C++, coroutines", "coroutines.cc", "marker", 0, []string{"-O0", "-std=c++20"}, coroutinesCPP},
		{"Rust", "values.rs", "marker", 0, nil, valuesRust},
		{"Rust, containers", "containers.rs", "marker", 0, nil, containersRust},
		{"Go", "govalues", "main.marker", 0, []string{"-gcflags=-N"}, valuesGo},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			sample.Case(t)
			t.Parallel()
			s := symbolstest.Stop(t, symbolstest.Compile(t, tt.source, tt.flags...), tt.stop, tt.ignore)
			frames, err := callstack.Unwind(s.Program(t), s.Core.Regs, s.Core, 2)
			if err != nil || len(frames) < 2 {
				t.Fatalf("%d frames, %v", len(frames), err)
			}
			got := variablesOf(frames[1])
			compareValues(t, got, tt.want)
			compareOracle(t, got, s.Oracle.Variables[1])
		})
	}
}

func compareValues(t *testing.T, got map[string]values.Value, want []variableWant) {
	t.Helper()
	for _, w := range want {
		v, ok := got[w.name]
		text := v.Text
		if strings.HasPrefix(w.text, "* ") { // an address, and what it points to
			_, rest, _ := strings.Cut(text, " ")
			text = "* " + rest
		}
		if !ok || (w.text != "" && text != w.text) { // no text: an address
			t.Errorf("%s = %s, want %s", w.name, v.Text, w.text)
		}
		if w.typ != "" && v.Type != w.typ {
			t.Errorf("%s is a %s, want %s", w.name, v.Type, w.typ)
		}
	}
}

// compareOracle checks that every variable gdb knows is there, and that those
// both spell the same way, numbers, have the same value.
func compareOracle(t *testing.T, got map[string]values.Value, want []symbolstest.Variable) {
	t.Helper()
	seen := map[string]bool{}
	for _, w := range want {
		if seen[w.Name] {
			continue // hidden by an inner one
		}
		seen[w.Name] = true
		v, ok := got[w.Name]
		if !ok && !strings.HasPrefix(w.Name, "&") {
			t.Errorf("%s is missing", w.Name)
		}
		if strings.Trim(w.Text, "-0123456789") == "" && v.Text != w.Text && v.Type != "int32" {
			t.Errorf("%s = %s, gdb says %s", w.Name, v.Text, w.Text)
		}
	}
}

var valuesC = []variableWant{
	{"depth", "int", "5"},
	{"label", "const char *", `* "label"`},
	{"hidden", "struct later *", "0x0"},
	{"count", "int", "42"},
	{"letter", "char", "99 'c'"},
	{"minus", "signed char", `-3 '\375'`},
	{"bytes", "unsigned char [4]", `{1 '\001', 2 '\002', 3 '\003', 4 '\004'}`},
	{"small", "short", "-12345"},
	{"large", "unsigned int", "4000000000"},
	{"huge", "long long", "-9000000000000000000"},
	{"many", "count_t", "18000000000000000000"},
	{"wide", "__int128", "1267650600228229401496703205376"},
	{"yes", "_Bool", "true"},
	{"half", "float", "0.5"},
	{"pi", "double", "3.141592653589793"},
	{"third", "long double", "0.375"},
	{"z", "complex double", "1.5 + 2.5i"},
	{"paint", "enum color", "GREEN"},
	{"odd", "enum color", "9"},
	{"rw", "enum mask", "READ | WRITE"},
	{"n2", "struct node", "{next = 0x0, v = 2}"},
	{"f", "struct flags", `{a = 5, b = -7, c = 549755813888, d = 200 '\310'}`},
	{"text", "char [16]", `"hello"`},
	{"grid", "int [2][3]", "{{1, 2, 3}, {4, 5, 6}}"},
	{"cv", "const volatile int *", ""},
	{"length", "int", "8"},
	{"vla", "int []", "{0, 1, 4, 9, 16, 25, 36, 49}"},
	{"calls", "int", "3"},
	{"inner", "int", "99"},
}

var valuesCPP = []variableWant{
	{"name", "const std::string &", `"name"`},
	{"count", "int", "42"},
	{"ref", "int &", "42"},
	{"v", "std::vector<int>", "{1, 2, 3}"},
	{"bits", "std::vector<bool>", "{true, false, true}"},
	{"words", "std::vector<std::string>", `{"one", "two"}`},
	{"text", "std::string", `"hello"`},
	{"longer", "std::string", `"` + strings.Repeat("x", 40) + `"`},
	{"view", "std::string_view", `"seen"`},
	{"m", "std::map<int, int>", "{[1] = 2, [3] = 4, [5] = 6}"},
	{"prices", "std::map<std::string, double>", `{["a"] = 1.5, ["b"] = 2.5}`},
	{"s", "std::set<long>", "{7, 8, 9}"},
	{"h", "std::unordered_map<int, int>", "{[10] = 20}"},
	{"l", "std::list<int>", "{4, 5}"},
	{"sp", "std::shared_ptr<int>", "* (use count 1)"},
	{"some", "std::optional<int>", "6"},
	{"none", "std::optional<int>", "<no value>"},
	{"mode", "app::Mode", "app::Mode::On"},
	{"plain", "app::Plain", "app::Second"},
	{"wide", "char16_t", "233 'é'"},
	{"smile", "char32_t", "9786 '☺'"},
	{"cs", "const char *", `* "abc"`},
	{"ok", "bool", "true"},
	{"mp", "int app::Base::*", "&app::Base::id"},
	{"grid", "int [2][3]", "{{1, 2, 3}, {4, 5, 6}}"},
	{"r", "int", "45"},
}

var modernCPP = []variableWant{
	{"number", "", "int(5)"},
	{"text", "", `std::string("abc")`},
	{"nothing", "std::variant<std::monostate, int>", "std::monostate{}"},
	{"three", "std::tuple<int, std::string, double>", `{1, "x", 2.5}`},
	{"none", "std::tuple<>", "{}"},
	{"sparse", "", "{{}, 7, {}}"},
	{"bits", "", "101100000011"},
	{"many", "", "1" + strings.Repeat("0", 98) + "1"},
	{"plain", "std::function<int(int)>", "* <twice>"},
	{"object", "", "<Adder>"},
	{"unset", "", "<empty>"},
	{"sixteen", "", `u"grüß 😀"`},
	{"thirtytwo", "", `U"☺!"`},
	{"wide", "", `L"wide"`},
	{"seen", "", `u"seen"`},
	{"letter", "wchar_t", "119 'w'"},
	{"shape", "app::Shape *", "* (app::Square)"},
	{"second", "app::Named *", "* (app::Label)"},
	{"owned", "", "* (app::Square)"},
	{"boxed", "app::Shape *", "* (app::Box<int>)"},
	{"gone", "app::Shape *", "0x0"},
}

var coroutinesCPP = []variableWant{
	{"typed", "", "* <count>"},
	{"suspended", "std::__n4861::coroutine_handle<void>", "* <count>"},
	{"ended", "", "* <count, done>"},
	{"none", "", "<empty>"},
	{"noop", "", "* <noop>"},
}

var valuesRust = []variableWant{
	{"name", "&str", `"abc"`},
	{"p", "&values::Point", "&Point {x: 1, y: 2}"},
	{"count", "i32", "42"},
	{"tiny", "u8", "200"},
	{"wide", "i128", "-5"},
	{"real", "f32", "1.5"},
	{"yes", "bool", "true"},
	{"v", "", "[1, 2, 3]"},
	{"s", "alloc::string::String", `"hello"`},
	{"shape", "values::Shape", "Rect {w: 3, h: 4}"},
	{"unit", "values::Shape", "Unit"},
	{"circle", "values::Shape", "Circle(1.5)"},
	{"mode", "values::Mode", "values::Mode::On"},
	{"none", "", "None"},
	{"boxed", "", "Some(6)"},
	{"some", "core::option::Option<u32>", "Some(7)"},
	{"result", "", `Err("bad")`},
	{"tuple", "(u8, char, bool)", "(1, 'x', true)"},
	{"pair", "values::Pair", "Pair(4, 'ß')"},
	{"array", "[i16; 3]", "[10, 20, 30]"},
	{"slice", "&[u8]", "[1, 2]"},
	{"nothing", "()", "()"},
	{"done", "", "Ok(())"},
	{"words", "", `["one", "two"]`},
}

// What Rust's Debug writes, but for names of wrapping types, with the counts of
// those that are shared.
var containersRust = []variableWant{
	{"one", "", `{"one": 1}`},
	{"empty", "", "{}"},
	{"set", "", "{-7}"},
	{"tree", "", `{1: "one", 2: "two", 3: "three"}`},
	{"bare", "", "{}"},
	{"letters", "", "{'e', 'h', 'l', 'o'}"},
	{"ring", "", "[2, 3, 4]"},
	{"shared", "", "Point {x: 1, y: 2} (strong 2, weak 1)"},
	{"again", "", "Point {x: 1, y: 2} (strong 2, weak 1)"},
	{"weak", "", "Point {x: 1, y: 2} (strong 2, weak 1)"},
	{"atomic", "", "5 (strong 1, weak 0)"},
	{"cell", "", "Cell(6)"},
	{"free", "", "RefCell([1, 2])"},
	{"lent", "", "RefCell(8) (borrowed)"},
	{"guard", "", "8"},
	{"locked", "", "Mutex(9)"},
	{"read", "", "RwLock(Point {x: 3, y: 4})"},
	{"flag", "", "true"},
	{"counter", "", "77"},
	{"nested", "", "RefCell([10, 20]) (strong 1, weak 0)"},
	{"boxed", "", "Square(5)"},
	{"borrowed", "&dyn containers::Area", "&Point {x: 6, y: 7}"},
	{"debug", "", "&Point {x: 1, y: 2}"},
	{"counted", "", "Square(6) (strong 1, weak 0)"},
	{"text", "", `"shared"`},
}

var valuesGo = []variableWant{
	{"name", "string", `"label"`},
	{"depth", "int", "2"},
	{"where", "*main.point", "&main.point {X: 1, Y: 2}"},
	{"count", "int", "42"},
	{"tiny", "uint8", "200"},
	{"wide", "int64", "-5"},
	{"temperature", "main.celsius", "36.6"},
	{"yes", "bool", "true"},
	{"letter", "int32", "223"},
	{"z", "complex128", "1.5 + 2.5i"},
	{"numbers", "[]int", "[1, 2, 3]"},
	{"words", "[]string", `["one", "two"]`},
	{"empty", "[]int", "nil"},
	{"array", "[3]int16", "[10, 20, 30]"},
	{"small", "map[string]int", `{"a": 1}`},
	{"nilMap", "main.names", "nil"},
	{"shape", "main.shaper", "main.point(main.point {X: 3, Y: 4})"},
	{"boxed", "interface {}", "int(12)"},
	{"nothing", "error", "nil"},
	{"err", "error", `*errors.errorString(&errors.errorString {s: "bad"})`},
	{"channel", "chan int", "1 of 4 queued"},
}

// TestLargeMap: a map of many tables has every key once.
func TestLargeMap(t *testing.T) {
	t.Parallel()
	s := symbolstest.Stop(t, symbolstest.Compile(t, "govalues", "-gcflags=-N"), "main.marker", 0)
	frames, err := callstack.Unwind(s.Program(t), s.Core.Regs, s.Core, 2)
	if err != nil {
		t.Fatal(err)
	}
	o, err := frames[1].Variable(t.Context(), "large")
	if err != nil {
		t.Fatal(err)
	}
	l := values.DefaultLimits
	l.Elements = 1000
	v := o.Value(l)
	seen := map[string]string{}
	for _, c := range v.Children {
		seen[c.Name] = c.Text
	}
	if len(seen) != 100 || len(v.Children) != 100 || seen["9"] != "81" || v.Cut {
		t.Errorf("%d keys, %d entries, [9] = %q, cut %v", len(seen), len(v.Children), seen["9"], v.Cut)
	}
	l.Elements = 10
	if v := o.Value(l); len(v.Children) != 10 || !v.Cut {
		t.Errorf("%d entries, cut %v, want 10 of 100", len(v.Children), v.Cut)
	}
}

// TestRustTables: a hash table and a tree of several levels have every key once,
// the tree in order.
func TestRustTables(t *testing.T) {
	t.Parallel()
	s := symbolstest.Stop(t, symbolstest.Compile(t, "containers.rs"), "marker", 0)
	frames, err := callstack.Unwind(s.Program(t), s.Core.Regs, s.Core, 2)
	if err != nil || len(frames) < 2 {
		t.Fatal(err)
	}
	l := values.DefaultLimits
	l.Elements, l.Nodes = 1000, 3000
	for _, tt := range []struct {
		name string
		n    int
		of   func(int) int
	}{
		{"many", 100, func(i int) int { return i * i }},
		{"deep", 500, func(i int) int { return i * 2 }},
	} {
		o, err := frames[1].Variable(t.Context(), tt.name)
		if err != nil {
			t.Fatal(err)
		}
		if n, err := o.Len(); err != nil || n != int64(tt.n) {
			t.Errorf("len(%s) = %d, %v, want %d", tt.name, n, err, tt.n)
		}
		v := o.Value(l)
		seen := map[string]bool{}
		for i, c := range v.Children {
			k, err := strconv.Atoi(c.Name)
			if err != nil || k < 0 || k >= tt.n || seen[c.Name] || c.Text != strconv.Itoa(tt.of(k)) || tt.name == "deep" && k != i {
				t.Errorf("%s: entry %d is %s: %s", tt.name, i, c.Name, c.Text)
			}
			seen[c.Name] = true
		}
		if len(v.Children) != tt.n {
			t.Errorf("%s has %d entries, want %d", tt.name, len(v.Children), tt.n)
		}
	}
	ring, err := frames[1].Variable(t.Context(), "ring")
	if err != nil {
		t.Fatal(err)
	}
	last, err := ring.Index(2)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := last.Int(); err != nil || n != 4 {
		t.Errorf("ring[2] = %d, %v, want 4", n, err)
	}
	if _, err := ring.Index(3); err == nil {
		t.Error("ring[3] is there")
	}
}

// TestAsync: async functions that wait have frames with the variables that they keep.
func TestAsync(t *testing.T) {
	t.Parallel()
	s := symbolstest.Stop(t, symbolstest.Compile(t, "async.rs", "--edition=2021"), "marker", 0)
	frames, err := callstack.Unwind(s.Program(t), s.Core.Regs, s.Core, 5)
	if err != nil || len(frames) < 5 {
		t.Fatalf("%d frames, %v", len(frames), err)
	}
	for i, want := range []struct {
		function string
		values   map[string]string
	}{
		2: {"inner", map[string]string{"price": "5", "count": "3", "__awaitee": "Once(true)"}},
		3: {"outer", map[string]string{
			"name": `"order"`, "length": "5", "__awaitee": "Suspend0 {price: 5, count: 3, __awaitee: Once(true), price: 5}",
		}},
	} {
		if !strings.Contains(frames[i].Function, want.function) {
			t.Errorf("#%d is %s, want %s", i, frames[i].Function, want.function)
		}
		for name, text := range want.values {
			o, err := frames[i].Variable(t.Context(), name)
			if err != nil {
				t.Error(err)
			} else if got := o.Value(values.DefaultLimits).Text; got != text {
				t.Errorf("%s of %s is %s, want %s", name, want.function, got, text)
			}
		}
		compareOracle(t, variablesOf(frames[i]), s.Oracle.Variables[i])
	}
}

// variablesOf returns the values of a frame's variables.
func variablesOf(f callstack.Frame) map[string]values.Value {
	got := map[string]values.Value{}
	for _, o := range f.Variables() {
		if _, ok := got[o.Name]; !ok {
			got[o.Name] = o.Value(values.DefaultLimits)
		}
	}
	return got
}

// TestDynamicClass: what pointers and references to a base lead to is the whole
// object, wherever the base lies in it.
func TestDynamicClass(t *testing.T) {
	t.Parallel()
	s := symbolstest.Stop(t, symbolstest.Compile(t, "modern.cc", "-O0"), "marker", 0)
	frames, err := callstack.Unwind(s.Program(t), s.Core.Regs, s.Core, 2)
	if err != nil || len(frames) < 2 {
		t.Fatal(err)
	}
	value := func(name string) values.Value {
		t.Helper()
		o, err := frames[1].Variable(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		return o.Value(values.DefaultLimits)
	}
	for name, want := range map[string]string{"shape": "side = 2", "second": "size = 8", "boxed": "held = 9"} {
		if v := value(name); len(v.Children) != 1 || !strings.Contains(v.Children[0].Text, want) {
			t.Errorf("%s = %+v, want %s in it", name, v, want)
		}
	}
	if v := value("ref"); !strings.Contains(v.Text, "tag = 3") || !strings.Contains(v.Text, "size = 8") {
		t.Errorf("ref = %s, want tag = 3 and size = 8 in it", v.Text)
	}
}

// TestObject goes down into a C program's variables as expressions do.
func TestObject(t *testing.T) {
	t.Parallel()
	s := symbolstest.Stop(t, symbolstest.Compile(t, "values.c", "-O0"), "marker", 0)
	p := s.Program(t)
	frames, err := callstack.Unwind(p, s.Core.Regs, s.Core, 2)
	if err != nil {
		t.Fatal(err)
	}
	find := func(name string) values.Object {
		t.Helper()
		o, err := frames[1].Variable(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	member := func(o values.Object, names ...string) values.Object {
		t.Helper()
		for _, n := range names {
			var err error
			if o, err = o.Member(n); err != nil {
				t.Fatal(err)
			}
		}
		return o
	}
	index := func(o values.Object, is ...int64) values.Object {
		t.Helper()
		for _, i := range is {
			var err error
			if o, err = o.Index(i); err != nil {
				t.Fatal(err)
			}
		}
		return o
	}
	tests := []struct {
		name string
		o    values.Object
		want int64
	}{
		{"n1.next->v", member(find("n1"), "next", "v"), 2},
		{"where->y", member(find("where"), "y"), 4},
		{"grid[1][2]", index(find("grid"), 1, 2), 6},
		{"vla[7]", index(find("vla"), 7), 49},
		{"f.b", member(find("f"), "b"), -7},
		{"u.b[3]", index(member(find("u"), "b"), 3), 0x3f},
		{"label[1]", index(find("label"), 1), 'a'},
		{"origin.x", member(find("origin"), "x"), 3},
		{"total", find("total"), 11},
		{"per_thread", find("per_thread"), 77 + 99},
		{"minus", find("minus"), -3},
	}
	for _, tt := range tests {
		if got, err := tt.o.Int(); err != nil || got != tt.want {
			t.Errorf("%s = %d, %v, want %d", tt.name, got, err, tt.want)
		}
	}
	point, err := p.Type(t.Context(), "point")
	if err != nil || point.Kind != types.KindStruct || point.Size != 24 {
		t.Fatalf("Type(point) = %+v, %v", point, err)
	}
	origin, _ := find("origin").Address()
	if y, err := member(values.ObjectAt(p, point, origin, s.Core, s.Core.Regs), "y").Int(); err != nil || y != 4 {
		t.Errorf("((struct point *) origin)->y = %d, %v, want 4", y, err)
	}
	if _, err := find("n1").Member("nope"); err == nil {
		t.Error("n1.nope is there")
	}
	if _, err := frames[1].Variable(t.Context(), "nope"); err == nil {
		t.Error("nope is there")
	}
}

// TestOptimized: what the compiler kept is right, what it did not is said.
func TestOptimized(t *testing.T) {
	t.Parallel()
	s := symbolstest.Stop(t, symbolstest.Compile(t, "optimized.c", "-O2"), "marker", 0)
	frames, err := callstack.Unwind(s.Program(t), s.Core.Regs, s.Core, 0)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, f := range frames {
		for _, o := range f.Variables() {
			if _, ok := got[f.Function+"."+o.Name]; !ok {
				got[f.Function+"."+o.Name] = o.Value(values.DefaultLimits).Text
			}
		}
	}
	// SIGUSR1 is 10, so p is {10, 7} and the doubled value 20.
	for name, want := range map[string]string{
		"marker.v": "20", "work.fixed": "12", "thrice.p": "{a = <optimized out>, b = 7}", "main.argc": "1",
	} {
		if got[name] != want {
			t.Errorf("%s = %s, want %s", name, got[name], want)
		}
	}
}
