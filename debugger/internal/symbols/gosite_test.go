package symbols

import (
	"os/exec"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/symbols/cfi"
)

// buildGo builds a program of testdata/programs.
func buildGo(t *testing.T, source string, flags ...string) string {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("this needs go")
	}
	path := filepath.Join(t.TempDir(), "program")
	args := append(append([]string{"build"}, flags...), "-o", path, "./"+filepath.Join("testdata", "programs", source))
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Env = append(cmd.Environ(), "CGO_ENABLED=0")
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return path
}

// openImage opens a file as if it were mapped where it says.
func openImage(t *testing.T, path string) *Image {
	t.Helper()
	o := openDebug(path)
	if o == nil {
		t.Fatalf("%s cannot be read", path)
	}
	t.Cleanup(func() { _ = o.close() })
	im := &Image{Path: path, program: New(Config{}), main: o}
	im.cfg = im.program.cfg
	return im
}

// eachGoLine goes through places of a program: where lines begin, and the bytes
// before, as behind a call.
func eachGoLine(t *testing.T, im *Image, visit func(pc uint64)) {
	t.Helper()
	d := im.debug()
	if d == nil {
		t.Fatalf("%s has no debug information", im.Path)
	}
	for i, u := range d.units {
		for n, r := range u.linesLocked().rows {
			if (i+n)%5 == 0 {
				visit(r.addr - 1)
				visit(r.addr)
			}
		}
	}
}

// What the runtime's table says of an address is what is said when all debug
// information was read, and what that says by itself, but for inlined calls that
// it does not have.
func TestGoSites(t *testing.T) {
	for _, tt := range []struct {
		source string
		flags  []string
	}{
		{"govalues", nil},
		{"govalues", []string{"-gcflags=all=-N -l"}},
		{"gostacks", []string{"-trimpath"}},
		{"gostacks", []string{"-buildmode=pie"}},
		{"gokeys", []string{"-ldflags=-compressdwarf=false"}},
	} {
		path := buildGo(t, tt.source, tt.flags...)
		early, whole := openImage(t, path), openImage(t, path)
		places, read := 0, 0
		eachGoLine(t, whole, func(pc uint64) {
			places++
			got := early.resolveGo(pc)
			if got == nil {
				return
			}
			read++
			want := whole.resolve(pc)
			if a, b := told(got), told(want); !reflect.DeepEqual(a, b) || got.start != want.start || got.language() != want.language() {
				t.Errorf("%#x: %+v, want %+v", pc, a, b)
			}
			compareGoDebug(t, whole, pc, got)
		})
		if early.opened.Load() || read < places*9/10 {
			t.Errorf("%s %v: of %d places %d could be read", tt.source, tt.flags, places, read)
		}
	}
}

// compareGoDebug compares a site with what the debug information has alone.
func compareGoDebug(t *testing.T, im *Image, pc uint64, got *site) {
	t.Helper()
	var want site
	d := im.debug()
	if err := want.describe(d, im, pc); err != nil || want.fn == nil {
		t.Fatalf("%#x: %v", pc, err)
	}
	a, b := told(got), told(&want)
	if len(b) == 2 { // the function, and no inlined ones: its line is that of the innermost
		last := a[len(a)-1]
		last.file, last.line, last.inlined = a[1].file, a[1].line, false
		a = []level{a[0], last}
	}
	if !reflect.DeepEqual(a, b) || got.start != want.start {
		t.Errorf("%#x: %+v, the debug information says %+v", pc, a, b)
	}
	row, err := im.row(pc)
	if err != nil || !reflect.DeepEqual(row, got.row) {
		t.Errorf("%#x: %+v, .debug_frame says %+v, %v", pc, got.row, row, err)
	}
}

// A program without debug information, and one without symbols, is told about
// as with them.
func TestGoSitesStripped(t *testing.T) {
	whole := openImage(t, buildGo(t, "govalues"))
	for _, flags := range []string{"-ldflags=-w", "-ldflags=-s -w"} {
		bare := openImage(t, buildGo(t, "govalues", flags))
		compared := 0
		eachGoLine(t, whole, func(pc uint64) {
			want, got := whole.resolve(pc), bare.site(pc)
			if want.row == nil || got.vague() {
				return
			}
			compared++
			if a, b := told(got), told(want); !reflect.DeepEqual(a, b) || got.start != want.start || !reflect.DeepEqual(got.row, want.row) {
				t.Errorf("%s, %#x: %+v, want %+v", flags, pc, a, b)
			}
			if got.fn != nil || got.early || got.language() != 0 {
				t.Errorf("%s, %#x: it is described", flags, pc)
			}
		})
		if compared < 1000 {
			t.Errorf("%s: %d places", flags, compared)
		}
	}
}

// The names of what was inlined tell which variables are whose, from the
// outermost on.
func TestJoin(t *testing.T) {
	outer, inner, other := []*scope{{name: "outer"}}, []*scope{{name: "inner"}}, []*scope{{name: "other"}}
	row := &cfi.Row{Ret: cfi.RA}
	fn := &function{}
	known := func(levels ...level) *site { return &site{fn: fn, name: "f", start: 1, levels: levels} }
	table := []level{{name: "h", line: 1, inlined: true}, {name: "g", line: 2, inlined: true}, {name: "f", line: 3}}
	for _, tt := range []struct {
		name  string
		site  *site
		table []level
		want  []level
	}{
		{
			"all", known(level{name: "g", line: 2, inlined: true, scopes: inner}, level{name: "f", line: 3, scopes: outer}), table[1:],
			[]level{{name: "g", line: 2, inlined: true, scopes: inner}, {name: "f", line: 3, scopes: outer}},
		},
		{
			"none inlined", known(level{name: "f", line: 2, scopes: outer}), table[1:],
			[]level{table[1], {name: "f", line: 3, scopes: outer}},
		},
		{
			"others inlined", known(level{name: "i", inlined: true, scopes: other}, level{name: "g", inlined: true, scopes: inner}, level{name: "f", scopes: outer}), table,
			[]level{table[0], {name: "g", line: 2, inlined: true, scopes: inner}, {name: "f", line: 3, scopes: outer}},
		},
		{"no debug information", &site{}, table, table},
		{
			"made by the compiler", known(level{name: "f", scopes: outer}),
			[]level{{name: "f", file: generated, line: 1}},
			[]level{{name: "f", scopes: outer}},
		},
		{"made by the compiler, no debug information", &site{}, []level{{name: "f", file: generated, line: 1}}, []level{{name: "f", file: generated, line: 1}}},
		{
			"with type arguments", known(level{name: "f[int]", scopes: outer}),
			[]level{{name: "f[...]", file: "f.go", line: 1}},
			[]level{{name: "f[int]", scopes: outer}},
		},
	} {
		tt.site.join(&site{name: "f", start: 1, row: row, levels: append([]level(nil), tt.table...)})
		if s := tt.site; !reflect.DeepEqual(s.levels, tt.want) || s.row != row || s.name != "f" || s.start != 1 {
			t.Errorf("%s: %+v, want %+v", tt.name, s, tt.want)
		}
	}
}

// told is what a site says without saying how it knows.
func told(s *site) []level {
	all := []level{{name: s.name}}
	for _, l := range s.levels {
		l.scopes = nil
		all = append(all, l)
	}
	return all
}
