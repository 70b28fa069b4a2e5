package document_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/document"
)

// Opening a pipe would wait for a writer for ever.
func TestPipe(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Skipf("no named pipes here: %v", err)
	}
	lib := open(t, document.Config{Roots: []string{dir, "/dev"}})
	for _, name := range []string{"pipe", "/dev/zero"} {
		_, err := lib.Query(t.Context(), document.QueryRequest{Document: name, Query: "/"})
		if _, ok := errors.AsType[*document.PermissionError](err); !ok {
			t.Errorf("%s: got %v, want a PermissionError", name, err)
		}
	}
}

func TestUnreadable(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may read everything")
	}
	dir := write(t, t.TempDir(), map[string]string{"a.xml": "<a/>"})
	if err := os.Chmod(filepath.Join(dir, "a.xml"), 0); err != nil {
		t.Fatal(err)
	}
	lib := open(t, document.Config{Roots: []string{dir}})
	_, err := lib.Query(t.Context(), document.QueryRequest{Document: "a.xml", Query: "/"})
	if _, ok := errors.AsType[*document.PermissionError](err); !ok {
		t.Errorf("got %v, want a PermissionError", err)
	}
}
