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
	if errors.Is(err, fs.ErrPermission) {
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
}
