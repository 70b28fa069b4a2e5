package debuggertest

import (
	"debug/dwarf"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// Line is the number of the line that ends with //break:mark.
func Line(t testing.TB, source, mark string) int {
	t.Helper()
	text, err := os.ReadFile(Source(source))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		if strings.HasSuffix(strings.TrimSpace(line), "//break:"+mark) {
			return n
		}
	}
	t.Fatalf("%s has no mark %q", source, mark)
	return 0
}

// Mark is the address of the first instruction of the line that is marked
// //break:mark, in the running program.
func (p *Program) Mark(mark string) uint64 {
	p.t.Helper()
	line := Line(p.t, p.Name, mark)
	f := p.open()
	defer func() { _ = f.Close() }()
	return p.base(f) + p.once(place{p.Path, mark, true}, func() (uint64, error) {
		data, err := f.DWARF()
		if err != nil {
			return 0, err
		}
		return lineAddress(data, p.Name, line)
	})
}

// Symbol is the address of a function or variable in the running program.
func (p *Program) Symbol(name string) uint64 {
	p.t.Helper()
	f := p.open()
	defer func() { _ = f.Close() }()
	return p.base(f) + p.once(place{p.Path, name, false}, func() (uint64, error) {
		symbols, err := f.Symbols()
		if err != nil {
			return 0, err
		}
		for _, s := range symbols {
			if s.Name == name {
				return s.Value, nil
			}
		}
		return 0, fmt.Errorf("%s has no symbol %q", p.Name, name)
	})
}

// A place is a mark or a symbol of an executable.
type place struct {
	path, name string
	mark       bool
}

// places caches the addresses of places in the files: tests ask for the same ones in
// each of hundreds of rounds, and reading the debug information of a Go program takes
// seconds with the race detector.
var places sync.Map // of place to uint64

// once returns the address of a place, which find looks up the first time.
func (p *Program) once(at place, find func() (uint64, error)) uint64 {
	p.t.Helper()
	if address, ok := places.Load(at); ok {
		return address.(uint64)
	}
	address, err := find()
	if err != nil {
		p.t.Fatal(err)
	}
	places.Store(at, address)
	return address
}

// Text returns the program's code as it is in the file, and where it is in the
// running program.
func (p *Program) Text() (address uint64, code []byte) {
	p.t.Helper()
	f := p.open()
	defer func() { _ = f.Close() }()
	section := f.Section(".text")
	code, err := section.Data()
	if err != nil {
		p.t.Fatal(err)
	}
	return p.base(f) + section.Addr, code
}

func (p *Program) open() *elf.File {
	p.t.Helper()
	f, err := elf.Open(p.Path)
	if err != nil {
		p.t.Fatal(err)
	}
	return f
}

// base returns the load bias of the program: 0 unless it is position independent.
func (p *Program) base(f *elf.File) uint64 {
	p.t.Helper()
	if f.Type != elf.ET_DYN {
		return 0
	}
	// exec reports its success before it has mapped the program.
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", p.PID))
		if err != nil {
			p.t.Fatal(err)
		}
		if base, ok := baseIn(string(maps), p.Path); ok {
			return base
		}
	}
	p.t.Fatalf("%s is not in its own maps", p.Path)
	return 0
}

// baseIn returns the address at which the maps of a process have the first byte of a file.
func baseIn(maps, path string) (base uint64, ok bool) {
	for line := range strings.Lines(maps) {
		var start, end, offset uint64
		var mode string
		if n, _ := fmt.Sscanf(line, "%x-%x %s %x", &start, &end, &mode, &offset); n == 4 && strings.HasSuffix(strings.TrimSpace(line), path) {
			return start - offset, true
		}
	}
	return 0, false
}

// lineAddress looks for the first statement of a line.
func lineAddress(data *dwarf.Data, source string, line int) (uint64, error) {
	for units := data.Reader(); ; {
		unit, err := units.Next()
		if err != nil || unit == nil {
			return 0, errors.Join(err, fmt.Errorf("no code for line %d of %s", line, source))
		}
		units.SkipChildren()
		rows, err := data.LineReader(unit)
		if err != nil || rows == nil {
			continue
		}
		if address, ok := findRow(rows, source, line); ok {
			return address, nil
		}
	}
}

func findRow(rows *dwarf.LineReader, source string, line int) (uint64, bool) {
	var row dwarf.LineEntry
	for {
		if err := rows.Next(&row); errors.Is(err, io.EOF) || err != nil {
			return 0, false
		}
		if row.IsStmt && row.Line == line && row.File != nil && filepath.Base(row.File.Name) == source {
			return row.Address, true
		}
	}
}
