package symbolstest

import (
	"os"
	"path/filepath"
	"testing"
)

// StopSplit stops a program of testdata/programs, whose debug information is in a file
// of its own, at its function marker. gdb gets the debug information only if it shall,
// for it crashes on some. A packer, such as dwp, then puts the file into a package
// beside the program; "" leaves it.
func StopSplit(t testing.TB, compiler, source, packer string, gdb bool, flags ...string) *Stopped {
	t.Helper()
	Need(t, compiler, "strip")
	dir, aside := t.TempDir(), t.TempDir()
	object, exe := filepath.Join(dir, "part.o"), filepath.Join(dir, "program")
	Run(t, nil, compiler, append(flags, "-g", "-gsplit-dwarf", "-c", "-o", object, Source(t, source))...)
	Run(t, nil, compiler, "-o", exe, object, "-lm")
	if !gdb {
		rename(t, exe, filepath.Join(aside, "program"))
		Run(t, nil, "strip", "-g", "-o", exe, filepath.Join(aside, "program"))
	}
	s := Stop(t, exe, "marker", 0)
	if !gdb {
		rename(t, filepath.Join(aside, "program"), exe)
	}
	if packer != "" {
		Need(t, packer)
		Run(t, nil, packer, "-e", exe, "-o", exe+".dwp")
		rename(t, filepath.Join(dir, "part.dwo"), filepath.Join(aside, "part.dwo"))
	}
	return s
}

func rename(t testing.TB, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}
