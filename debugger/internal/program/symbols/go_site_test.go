package symbols

import (
	"debug/dwarf"
	"debug/elf"
	"os/exec"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/program/cfi"
	"github.com/triptych-mcp/triptych/debugger/internal/program/dwarfread"
	"github.com/triptych-mcp/triptych/debugger/internal/program/elffile"
	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
)

// buildGo builds a program of testdata/programs.
func buildGo(t *testing.T, source string, flags ...string) string {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("this needs go")
	}
	path := filepath.Join(t.TempDir(), "program")
	args := append(append([]string{"build"}, flags...), "-o", path, "../"+filepath.Join("symbolstest", "testdata", "programs", source))
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
	o := elffile.OpenPath(path)
	if o == nil {
		t.Fatalf("%s cannot be read", path)
	}
	t.Cleanup(func() { _ = o.Close() })
	im := &Image{Path: path, Program: New(Config{}), main: o}
	im.cfg = im.Program.cfg
	return im
}

// eachGoLine goes through places of a program: where lines begin, and the bytes
// before, as behind a call: each fifth line in a whole run, fewer in a sample.
func eachGoLine(t *testing.T, path string, visit func(pc uint64)) {
	t.Helper()
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	data, err := f.DWARF()
	if err != nil {
		t.Fatal(err)
	}
	every := 40
	if sample.Whole() {
		every = 5
	}
	r := data.Reader()
	for i := 0; ; i++ {
		e, err := r.Next()
		if err != nil || e == nil {
			return
		}
		r.SkipChildren()
		lines, err := data.LineReader(e)
		if err != nil || lines == nil {
			continue
		}
		var line dwarf.LineEntry
		for n := 0; lines.Next(&line) == nil; n++ {
			if (i+n)%every == 0 && line.Address != 0 {
				visit(line.Address - 1)
				visit(line.Address)
			}
		}
	}
}

// The description of an address from the runtime's table equals the one made
// from all debug information, and that of debug information alone except for
// inlined calls that it lacks.
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
		eachGoLine(t, path, func(pc uint64) {
			places++
			got := early.resolveGo(pc)
			if got == nil {
				return
			}
			read++
			want := whole.resolve(pc)
			if a, b := told(got), told(want); !reflect.DeepEqual(a, b) || got.Start != want.Start || got.Language() != want.Language() {
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
func compareGoDebug(t *testing.T, im *Image, pc uint64, got *Site) {
	t.Helper()
	var want Site
	d := im.DebugInfo()
	if err := want.describe(d, im, pc); err != nil || want.Function == nil {
		t.Fatalf("%#x: %v", pc, err)
	}
	a, b := told(got), told(&want)
	if len(b) == 2 { // the function, and no inlined ones: its line is that of the innermost
		last := a[len(a)-1]
		last.File, last.Line, last.Inlined = a[1].File, a[1].Line, false
		a = []dwarfread.Level{a[0], last}
	}
	if !reflect.DeepEqual(a, b) || got.Start != want.Start {
		t.Errorf("%#x: %+v, the debug information says %+v", pc, a, b)
	}
	row, err := im.UnwindRow(pc)
	if err != nil || !reflect.DeepEqual(row, got.Row) {
		t.Errorf("%#x: %+v, .debug_frame says %+v, %v", pc, got.Row, row, err)
	}
}

// A program without debug information, and one without symbols, is told about
// as with them.
func TestGoSitesStripped(t *testing.T) {
	path := buildGo(t, "govalues")
	whole := openImage(t, path)
	for _, flags := range []string{"-ldflags=-w", "-ldflags=-s -w"} {
		bare := openImage(t, buildGo(t, "govalues", flags))
		compared := 0
		eachGoLine(t, path, func(pc uint64) {
			want, got := whole.resolve(pc), bare.Site(pc)
			if want.Row == nil || got.isVague() {
				return
			}
			compared++
			if a, b := told(got), told(want); !reflect.DeepEqual(a, b) || got.Start != want.Start || !reflect.DeepEqual(got.Row, want.Row) {
				t.Errorf("%s, %#x: %+v, want %+v", flags, pc, a, b)
			}
			if got.Function != nil || got.Early || got.Language() != 0 {
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
	outer, inner, other := []*dwarfread.Scope{{Name: "outer"}}, []*dwarfread.Scope{{Name: "inner"}}, []*dwarfread.Scope{{Name: "other"}}
	row := &cfi.Row{Ret: cfi.RA}
	fn := &dwarfread.Subprogram{}
	known := func(levels ...dwarfread.Level) *Site { return &Site{Function: fn, Name: "f", Start: 1, Levels: levels} }
	table := []dwarfread.Level{{Name: "h", Line: 1, Inlined: true}, {Name: "g", Line: 2, Inlined: true}, {Name: "f", Line: 3}}
	for _, tt := range []struct {
		name  string
		site  *Site
		table []dwarfread.Level
		want  []dwarfread.Level
	}{
		{
			"all", known(dwarfread.Level{Name: "g", Line: 2, Inlined: true, Scopes: inner}, dwarfread.Level{Name: "f", Line: 3, Scopes: outer}), table[1:],
			[]dwarfread.Level{{Name: "g", Line: 2, Inlined: true, Scopes: inner}, {Name: "f", Line: 3, Scopes: outer}},
		},
		{
			"none inlined", known(dwarfread.Level{Name: "f", Line: 2, Scopes: outer}), table[1:],
			[]dwarfread.Level{table[1], {Name: "f", Line: 3, Scopes: outer}},
		},
		{
			"others inlined", known(dwarfread.Level{Name: "i", Inlined: true, Scopes: other}, dwarfread.Level{Name: "g", Inlined: true, Scopes: inner}, dwarfread.Level{Name: "f", Scopes: outer}), table,
			[]dwarfread.Level{table[0], {Name: "g", Line: 2, Inlined: true, Scopes: inner}, {Name: "f", Line: 3, Scopes: outer}},
		},
		{"no debug information", &Site{}, table, table},
		{
			"made by the compiler", known(dwarfread.Level{Name: "f", Scopes: outer}),
			[]dwarfread.Level{{Name: "f", File: generated, Line: 1}},
			[]dwarfread.Level{{Name: "f", Scopes: outer}},
		},
		{"made by the compiler, no debug information", &Site{}, []dwarfread.Level{{Name: "f", File: generated, Line: 1}}, []dwarfread.Level{{Name: "f", File: generated, Line: 1}}},
		{
			"with type arguments", known(dwarfread.Level{Name: "f[int]", Scopes: outer}),
			[]dwarfread.Level{{Name: "f[...]", File: "f.go", Line: 1}},
			[]dwarfread.Level{{Name: "f[int]", Scopes: outer}},
		},
	} {
		tt.site.join(&Site{Name: "f", Start: 1, Row: row, Levels: append([]dwarfread.Level(nil), tt.table...)})
		if s := tt.site; !reflect.DeepEqual(s.Levels, tt.want) || s.Row != row || s.Name != "f" || s.Start != 1 {
			t.Errorf("%s: %+v, want %+v", tt.name, s, tt.want)
		}
	}
}

// told returns the names and lines of a site without their scopes.
func told(s *Site) []dwarfread.Level {
	all := []dwarfread.Level{{Name: s.Name}}
	for _, l := range s.Levels {
		l.Scopes = nil
		all = append(all, l)
	}
	return all
}
