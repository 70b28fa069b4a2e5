package symbols_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/program/symbols"
	"github.com/triptych-mcp/triptych/debugger/internal/program/symbolstest"
)

var lineOf = regexp.MustCompile(`^(\S+)\s+(\d+)\s+0x([0-9a-f]+)(\s+\d+)?\s*(x?)\s*$`)

// TestLines compares the line of every address in a line table with objdump's.
func TestLines(t *testing.T) {
	symbolstest.Need(t, "objdump")
	for _, flags := range [][]string{{"-O0"}, {"-O2"}, {"-O2", "-gdwarf-4"}, {"-O2", "-gdwarf-3"}} {
		t.Run(strings.Join(flags, " "), func(t *testing.T) {
			exe := symbolstest.Compile(t, "optimized.c", flags...)
			p := symbolstest.Open(t, exe, symbols.Config{})
			bias := p.Images()[0].Bias
			out, err := exec.CommandContext(t.Context(), "objdump", "--dwarf=decodedline", exe).Output()
			if err != nil {
				t.Fatal(err)
			}
			last, stmt, n := map[uint64]int{}, map[uint64]int{}, 0
			for sc := bufio.NewScanner(bytes.NewReader(out)); sc.Scan(); {
				m := lineOf.FindStringSubmatch(sc.Text())
				if m == nil || m[1] != "optimized.c" {
					continue
				}
				line, _ := strconv.Atoi(m[2])
				addr, _ := strconv.ParseUint(m[3], 16, 64)
				last[addr] = line
				if m[5] == "x" {
					stmt[addr] = line
				}
			}
			for addr, want := range last {
				if stmt[addr] != 0 { // where one begins a statement, that one counts
					want = stmt[addr]
				}
				file, line, ok := p.Line(addr + bias)
				if !ok || line != want || filepath.Base(file) != "optimized.c" {
					t.Errorf("%#x is %s:%d (%v), want line %d", addr, file, line, ok, want)
				}
				n++
			}
			if n < 10 {
				t.Errorf("objdump shows %d addresses", n)
			}
		})
	}
}

// breakpoints asks gdb where it would stop.
func breakpoints(t *testing.T, exe string, where ...string) map[string][]uint64 {
	t.Helper()
	symbolstest.Need(t, "gdb")
	args := []string{"-nx", "-batch"}
	for _, w := range where {
		args = append(args, "-ex", "echo @"+w+"\\n", "-ex", "break "+w, "-ex", "info breakpoints", "-ex", "delete")
	}
	out, err := exec.CommandContext(t.Context(), "gdb", append(args, exe)...).CombinedOutput()
	if err != nil {
		t.Fatalf("gdb: %v\n%s", err, out)
	}
	got, at := map[string][]uint64{}, ""
	for l := range strings.SplitSeq(string(out), "\n") {
		if w, ok := strings.CutPrefix(l, "@"); ok {
			at = w
		}
		f := strings.Fields(l)
		for i, w := range f {
			if strings.HasPrefix(w, "0x0000") && (i == 4 || i == 2) {
				addr, _ := strconv.ParseUint(w[2:], 16, 64)
				got[at] = append(got[at], addr)
			}
		}
	}
	return got
}

// TestBreakpoints compares the places of functions and lines with gdb's.
func TestBreakpoints(t *testing.T) {
	tests := []struct {
		source string
		flags  []string
		funcs  []string
		lines  []string
	}{
		{"values.c", []string{"-O0", "-no-pie"}, []string{"leaf", "deep", "main", "marker"}, []string{"30", "59", "62", "63", "67", "1"}},
		{"values.c", []string{"-O0"}, []string{"leaf", "main"}, []string{"62"}},
		{"optimized.c", []string{"-O2", "-no-pie"}, []string{"work", "main", "marker"}, nil},
		{"values.cc", []string{"-O0", "-no-pie"}, []string{"leaf", "main"}, []string{"39", "66"}},
		{"values.c", []string{"-O0"}, nil, linesTo(71)},
		{"values.cc", []string{"-O0"}, nil, linesTo(65)},
		{"values.rs", []string{"-C", "opt-level=0"}, nil, linesTo(48)},
		{"containers.rs", []string{"-C", "opt-level=0"}, nil, linesTo(63)},
		{"optimized.c", []string{"-O2"}, nil, linesTo(35)},
		{"gostacks", nil, []string{"main.sum", "main.fault"}, nil}, // without prologues
	}
	for _, tt := range tests {
		t.Run(tt.source+strings.Join(tt.flags, ""), func(t *testing.T) {
			t.Parallel()
			exe := symbolstest.Compile(t, tt.source, tt.flags...)
			p := symbolstest.Open(t, exe, symbols.Config{})
			bias := p.Images()[0].Bias
			want := breakpoints(t, exe, append(tt.funcs, tt.lines...)...)
			for _, f := range tt.funcs {
				got, err := p.Entry(t.Context(), f)
				comparePlaces(t, f, got, err, want[f], bias)
			}
			for _, l := range tt.lines {
				n, _ := strconv.Atoi(l)
				got, err := p.Addresses(t.Context(), tt.source, n)
				comparePlaces(t, "line "+l, got, err, want[l], bias)
			}
		})
	}
}

// linesTo returns the numbers of the lines up to the last one that has code.
func linesTo(last int) []string {
	var all []string
	for n := range last {
		all = append(all, strconv.Itoa(n+1))
	}
	return all
}

func comparePlaces(t *testing.T, what string, got []symbols.Location, err error, want []uint64, bias uint64) {
	t.Helper()
	if err != nil || len(want) == 0 {
		t.Errorf("%s: %v; gdb knows %#x", what, err, want)
		return
	}
	var addrs []uint64
	for _, l := range got {
		addrs = append(addrs, l.Addr-bias)
	}
	if len(addrs) != len(want) {
		t.Errorf("%s is at %#x, want %#x", what, addrs, want)
		return
	}
	for i := range want {
		if addrs[i] != want[i] {
			t.Errorf("%s is at %#x, want %#x", what, addrs, want)
			return
		}
	}
}

func TestLookup(t *testing.T) {
	exe := symbolstest.Compile(t, "values.cc", "-O0")
	p := symbolstest.Open(t, exe, symbols.Config{})
	for _, name := range []string{"main", "leaf", "_Z6markerPKv", "marker", "app::counter"} {
		addrs, err := p.Lookup(t.Context(), name)
		if name == "app::counter" {
			if !errors.Is(err, symbols.ErrNotFound) && len(addrs) == 0 {
				t.Errorf("Lookup(%s) = %v", name, err)
			}
			continue
		}
		if err != nil || len(addrs) != 1 {
			t.Errorf("Lookup(%s) = %#x, %v", name, addrs, err)
			continue
		}
		f, ok := p.Function(addrs[0] + 3)
		if !ok || f.Offset != 3 {
			t.Errorf("Function(%s+3) = %+v, %v", name, f, ok)
		}
	}
	if _, err := p.Lookup(t.Context(), "nope"); !errors.Is(err, symbols.ErrNotFound) {
		t.Errorf("Lookup(nope) = %v, want ErrNotFound", err)
	}
}

// TestSeparateDebugInfo: a stripped file has the names of its dynamic symbols,
// and everything again when its debug file is found by build id or by link.
func TestSeparateDebugInfo(t *testing.T) {
	symbolstest.Need(t, "objcopy", "strip")
	exe := symbolstest.Compile(t, "values.c", "-O0", "-Wl,--build-id=0x0123456789abcdef")
	dir := t.TempDir()
	full := symbolstest.Open(t, exe, symbols.Config{})
	want, err := full.Entry(t.Context(), "leaf")
	if err != nil {
		t.Fatal(err)
	}
	strip := func(name string) string {
		out := filepath.Join(dir, name)
		symbolstest.Run(t, nil, "strip", "-o", out, exe)
		return out
	}
	debug := filepath.Join(dir, "debug")
	symbolstest.Run(t, nil, "mkdir", "-p", filepath.Join(debug, ".build-id", "01"))
	symbolstest.Run(t, nil, "objcopy", "--only-keep-debug", exe, filepath.Join(debug, ".build-id", "01", "23456789abcdef.debug"))

	alone := symbolstest.Open(t, strip("alone"), symbols.Config{DebugDirs: []string{}})
	if _, err := alone.Entry(t.Context(), "leaf"); !errors.Is(err, symbols.ErrNotFound) {
		t.Errorf("a stripped file knows leaf: %v", err)
	}
	if id := alone.Images()[0].BuildID; id != "0123456789abcdef" {
		t.Errorf("build id is %q", id)
	}
	linked := strip("linked")
	symbolstest.Run(t, nil, "objcopy", "--only-keep-debug", exe, filepath.Join(dir, "linked.debug"))
	symbolstest.Run(t, nil, "objcopy", "--add-gnu-debuglink="+filepath.Join(dir, "linked.debug"), linked)
	for name, p := range map[string]*symbols.Program{
		"build id": symbolstest.Open(t, strip("byid"), symbols.Config{DebugDirs: []string{debug}}),
		"link":     symbolstest.Open(t, linked, symbols.Config{DebugDirs: []string{}}),
	} {
		got, err := p.Entry(t.Context(), "leaf")
		if err != nil || len(got) != 1 || got[0] != (symbols.Location{
			Addr: want[0].Addr, Function: "leaf", File: want[0].File, Line: want[0].Line, Image: p.Images()[0].Path,
		}) {
			t.Errorf("by %s: %+v, %v, want %+v", name, got, err, want)
		}
	}
}

// TestIndex: indexing ends when it is told to, and starting again finishes.
func TestIndex(t *testing.T) {
	p := symbolstest.Open(t, symbolstest.Compile(t, "govalues"), symbols.Config{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := p.Index(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Index = %v, want it cancelled", err)
	}
	if err := p.Index(t.Context()); err != nil {
		t.Errorf("Index = %v", err)
	}
	if _, err := p.Entry(ctx, "main.leaf"); err == nil {
		return
	} else if !errors.Is(err, context.Canceled) {
		t.Errorf("Entry = %v", err)
	}
}
