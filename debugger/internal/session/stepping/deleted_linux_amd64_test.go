package stepping_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest/recordtest"
	"github.com/triptych-mcp/triptych/debugger/internal/program/symbols"
	"github.com/triptych-mcp/triptych/debugger/internal/session/target"
)

// The file of a program that was replaced is the one that the process has mapped, by the range of
// all its mappings.
func TestReplaced(t *testing.T) {
	source := filepath.Join(t.TempDir(), "replaced.c")
	if err := os.WriteFile(source, []byte("int main(void) { return 0; }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	program := debuggertest.Compile(t, source, nil, "gcc")
	moved := filepath.Join(t.TempDir(), "program")
	text, err := os.ReadFile(program)
	if err == nil {
		err = os.WriteFile(moved, text, 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
	s := recordtest.AtMain(t, moved)
	if err := errors.Join(os.Remove(moved), os.WriteFile(moved, []byte("another"), 0o600)); err != nil {
		t.Fatal(err)
	}
	maps, err := s.Target.View.Maps()
	if err != nil {
		t.Fatal(err)
	}
	var m symbols.Mapping
	for _, each := range maps {
		if !strings.HasPrefix(each.Path, moved) {
			continue
		}
		if m.End = each.End; m.Path == "" {
			m.Start, m.Path = each.Start, moved+" (deleted)"
		}
	}
	f, err := target.OfProcess(s.Target.Process, nil, "").OpenImage(m)
	if errors.Is(err, fs.ErrPermission) && strings.Contains(err.Error(), "CAP_CHECKPOINT_RESTORE") {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	start := make([]byte, 4)
	if _, err := f.ReadAt(start, 0); err != nil || string(start) != "\x7fELF" {
		t.Errorf("the file begins with %q, %v", start, err)
	}
	refused := symbols.New(symbols.Config{Open: func(symbols.Mapping) (symbols.File, error) { return nil, fs.ErrPermission }})
	refused.Update([]symbols.Mapping{m}, memory{s.Target.View})
	if images := refused.Images(); len(images) != 1 || !errors.Is(images[0].Unread, fs.ErrPermission) {
		t.Errorf("without the right to read it, the images are %+v", images)
	}
	if err := refused.Close(); err != nil {
		t.Error(err)
	}
}

// memory is the memory of a target.
type memory struct{ target.View }

// ReadMemory implements symbols.Memory.
func (m memory) ReadMemory(addr uint64, b []byte) error {
	_, err := m.View.ReadMemory(addr, b)
	return err
}
