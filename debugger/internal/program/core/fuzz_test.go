package core_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/program/core"
)

// FuzzNew: whatever a file says, reading it ends, and what it answers is within
// what was asked.
func FuzzNew(f *testing.F) {
	whole := small("/lib/x").bytes()
	f.Add(whole)
	f.Add(whole[:len(whole)/3])
	many := small("/lib/x")
	many.manySegs = true
	f.Add(many.bytes())
	f.Add(library("id"))
	lib := write(f, "lib", library("old"))
	f.Fuzz(func(t *testing.T, b []byte) {
		file, err := core.New(bytes.NewReader(b), int64(len(b)), core.Options{Open: func(path string) (*os.File, error) {
			if path == "/lib/x" {
				return os.Open(lib)
			}
			return nil, fs.ErrNotExist
		}})
		if err != nil {
			if !errors.Is(err, core.ErrFormat) && file != nil {
				t.Errorf("a file with %v", err)
			}
			return
		}
		look(t, file)
		if err := file.Close(); err != nil {
			t.Error(err)
		}
	})
}

// look asks for everything that there is.
func look(t *testing.T, f *core.File) {
	t.Helper()
	last := uint64(0)
	page := make([]byte, 64)
	for _, m := range f.Maps() {
		if m.Start < last || m.End <= m.Start {
			t.Fatalf("map %+v overlaps the one before", m)
		}
		last = m.End
		for _, at := range []uint64{m.Start, m.End - 32} {
			n, err := f.ReadMemory(at, page)
			if n > len(page) || (n < len(page)) != (err != nil) {
				t.Fatalf("read %d bytes at %#x, %v", n, at, err)
			}
		}
	}
	current := 0
	for _, each := range f.Threads() {
		if each.Current {
			current++
		}
		if _, err := f.Regs(each.ID); err != nil {
			t.Errorf("thread %d: %v", each.ID, err)
		}
		_, _ = f.XState(each.ID, nil) // there may be none
	}
	if current != 1 {
		t.Errorf("%d threads are the current one", current)
	}
	f.Stop()
	f.Executable()
}
