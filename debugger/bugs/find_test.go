package bugs_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/bugs"
)

// write makes files below a folder and returns it.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for name, text := range files {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func finder(t *testing.T, config bugs.Config) *bugs.Finder {
	t.Helper()
	f, err := bugs.New(config)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func find(t *testing.T, f *bugs.Finder, req bugs.Request) *bugs.Report {
	t.Helper()
	r, err := f.Find(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

