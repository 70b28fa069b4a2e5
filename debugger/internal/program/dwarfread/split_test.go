package dwarfread_test

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/program/dwarfread"
	"github.com/triptych-mcp/triptych/debugger/internal/program/elffile"
	"github.com/triptych-mcp/triptych/debugger/internal/program/symbolstest"
)

// TestDamagedSplit reads debug information from a file of its own in which one byte
// differs, or which ends early: units may be missing, but the rest of the program is
// there.
func TestDamagedSplit(t *testing.T) {
	for _, version := range []string{"-gdwarf-4", "-gdwarf-5"} {
		symbolstest.Need(t, "gcc")
		dir := t.TempDir()
		object, exe := filepath.Join(dir, "part.o"), filepath.Join(dir, "program")
		symbolstest.Run(t, nil, "gcc", version, "-gsplit-dwarf", "-O2", "-c", "-o", object, symbolstest.Source(t, "cold.c"))
		symbolstest.Run(t, nil, "gcc", "-o", exe, object, "-lm")
		split, err := os.ReadFile(filepath.Join(dir, "part.dwo"))
		if err != nil {
			t.Fatal(err)
		}
		if n := functions(t, exe, split); n == 0 {
			t.Fatalf("%s: no function is read", version)
		}
		for at := 0; at < len(split); at += 1 + len(split)/200 {
			damaged := bytes.Clone(split)
			damaged[at] ^= 0xff
			functions(t, exe, damaged)
			functions(t, exe, split[:at])
		}
	}
}

// functions returns the number of functions that have code, with a file in place of
// the one that the program names.
func functions(t *testing.T, exe string, split []byte) (n int) {
	t.Helper()
	o := elffile.OpenPath(exe)
	defer func() { _ = o.Close() }()
	files := dwarfread.Files{Path: exe, Open: func(path string) *elffile.File {
		if filepath.Ext(path) != ".dwo" {
			return nil
		}
		f, err := elffile.Open(bytes.NewReader(split), nil)
		if err != nil {
			return nil
		}
		return f
	}}
	d, err := dwarfread.Open(o.Within(nil), files, slog.New(slog.DiscardHandler))
	if err != nil {
		return 0
	}
	err = d.EachFunction(context.Background(), func(f *dwarfread.Subprogram) {
		_, _ = f.ScopesLocked()
		n++
	})
	if err != nil {
		t.Error(err)
	}
	return n
}
