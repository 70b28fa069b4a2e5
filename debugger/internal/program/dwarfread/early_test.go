package dwarfread

import (
	"debug/elf"
	"encoding/hex"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/program/elffile"
)

// A unit that is read by itself tells the same of an address as all together.
func TestEarly(t *testing.T) {
	for _, source := range []string{"values.c", "values.cc"} {
		for _, flags := range [][]string{{"-gz=zlib", "-O2"}, {"-gz=none", "-O0"}, {"-gz=zlib", "-gdwarf-4", "-O1"}} {
			tool := map[string]string{".c": "gcc", ".cc": "g++"}[filepath.Ext(source)]
			command := append([]string{tool, "-g", "-w", "-pthread"}, flags...)
			compareEarly(t, debuggertest.Compile(t, filepath.Join("..", "symbolstest", "testdata", "programs", source), nil, command...), 1)
		}
	}
}

// The same in a library with thousands of units, if its debug file is there.
func TestEarlyInLibrary(t *testing.T) {
	path := "/lib/x86_64-linux-gnu/libc.so.6"
	f, err := os.Open(path)
	if err != nil {
		t.Skip("there is no such library: ", err)
	}
	o, err := elffile.Open(f, f)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = o.Close() }()
	debug := o.FindDebugFile(path, []string{"/usr/lib/debug"}, elffile.OpenPath)
	if debug == nil {
		t.Skip("it has no debug file: ", hex.EncodeToString(o.BuildID()))
	}
	defer func() { _ = debug.Close() }()
	compareFile(t, path, debug, 97)
}

func compareEarly(t *testing.T, path string, every int) {
	t.Helper()
	o := elffile.OpenPath(path)
	if o == nil {
		t.Fatalf("%s cannot be read", path)
	}
	defer func() { _ = o.Close() }()
	compareFile(t, path, o, every)
}

// compareFile looks at one address of every n-th range.
func compareFile(t *testing.T, path string, o *elffile.File, every int) {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	early := newEarly(o.Within(nil), log)
	whole, err := Open(o.Within(nil), Files{}, log)
	if len(early.ranges) == 0 || err != nil {
		t.Fatalf("%s has %d ranges, %v", path, len(early.ranges), err)
	}
	read := 0
	for i := 0; i < len(early.ranges); i += every {
		r := early.ranges[i]
		for _, pc := range []uint64{r.start, (r.start + r.end) / 2, r.end - 1} {
			d := early.At(pc)
			if d == nil {
				continue
			}
			read++
			if a, b := levelsOf(t, d, pc), levelsOf(t, whole, pc); !reflect.DeepEqual(a, b) {
				t.Errorf("%s at %#x: %+v, want %+v", path, pc, a, b)
			}
		}
	}
	if read < len(early.ranges)/every {
		t.Errorf("%s: of %d places %d could be read", path, len(early.ranges)/every*3, read)
	}
}

// Tables of abbreviations end where DWARF 5 section 7.5.3 says, and references
// to other units are found by their forms (table 7.6).
func TestScanAbbreviations(t *testing.T) {
	const tag, name, line, typ = 0x2e, 0x03, 0x3b, 0x49
	plain := []byte{1, tag, 0, name, 0x0e, line, 0x0b, typ, 0x13, 0, 0}
	constant := []byte{2, 0xb4, 0x42, 1, line, 0x21, 0xff, 0x7f, 0, 0} // a tag of two bytes, an implicit constant
	outside := []byte{3, tag, 1, typ, 0x10, 0, 0}
	alternate := []byte{4, tag, 1, name, 0xa1, 0x3e, 0, 0} // DW_FORM_GNU_strp_alt
	table := func(parts ...[]byte) []byte {
		var b []byte
		for _, p := range parts {
			b = append(b, p...)
		}
		return append(b, 0)
	}
	for _, test := range []struct {
		name   string
		table  []byte
		inside bool
	}{
		{"empty", table(), true},
		{"plain", table(plain, constant), true},
		{"to another unit", table(plain, outside), false},
		{"to another file", table(alternate), false},
	} {
		size, inside, whole := scanAbbreviations(append(test.table, 1, 2, 3))
		if size != len(test.table) || inside != test.inside || !whole {
			t.Errorf("%s: %d, %v, %v, want %d, %v, true", test.name, size, inside, whole, len(test.table), test.inside)
		}
		for n := range test.table {
			if _, _, whole := scanAbbreviations(test.table[:n]); whole {
				t.Errorf("%s: %d bytes of it are whole", test.name, n)
			}
		}
	}
}

func FuzzScanAbbreviations(f *testing.F) {
	f.Add([]byte{1, 0x2e, 0, 3, 0x0e, 0, 0, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		if size, _, whole := scanAbbreviations(b); whole && (size <= 0 || size > len(b) || b[size-1] != 0) {
			t.Errorf("%d bytes of %x", size, b)
		}
	})
}

// Ranges are read as DWARF 5 section 6.1.2 describes them, up to the first
// damaged set.
func TestReadRanges(t *testing.T) {
	set := []byte{
		44, 0, 0, 0, 2, 0, 0x78, 0x56, 0, 0, 8, 0, 0, 0, 0, 0, // length, version, unit, sizes, padding
		0, 0x10, 0, 0, 0, 0, 0, 0, 0x20, 0, 0, 0, 0, 0, 0, 0,
		0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	}
	want := []earlyRange{{0x1000, 0x1020, 0x5678}}
	for _, test := range []struct {
		name string
		data []byte
		want []earlyRange
	}{
		{"one", set, want},
		{"with something cut off behind it", append(slices.Clip(set), set[:20]...), want},
		{"cut off", set[:40], nil},
		{"nothing", nil, nil},
	} {
		var e Early
		e.readRanges(test.data)
		if !reflect.DeepEqual(e.ranges, test.want) {
			t.Errorf("%s: %v, want %v", test.name, e.ranges, test.want)
		}
	}
}

// A section that makes debug/elf panic is damaged and no more.
func TestPartOfDamagedSection(t *testing.T) {
	p := &sectionPrefix{section: new(elf.Section), size: 1000}
	if b, err := p.slice(0, 200); err == nil {
		t.Errorf("read %d bytes of nothing", len(b))
	}
	if _, err := p.slice(^uint64(0), 2); err == nil {
		t.Error("read past the end of numbers")
	}
}

// levelsOf returns the levels at an address without their scopes, and last the
// function and where it starts.
func levelsOf(t *testing.T, d *Info, pc uint64) []Level {
	t.Helper()
	var out []Level
	err := d.Do(func() error {
		f, all, err := d.LevelsLocked(pc)
		for _, l := range all {
			l.Scopes = nil
			out = append(out, l)
		}
		if f != nil {
			out = append(out, Level{Name: f.Name, Line: int(f.Start())})
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
