package dataformat_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/dataformat"
)

func TestMark(t *testing.T) {
	dir := t.TempDir()
	if err := dataformat.Check(dir); err != nil {
		t.Errorf("a folder without a mark: %v", err)
	}
	for range 2 {
		if err := dataformat.Mark(dir, "1.2.3"); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(filepath.Join(dir, "format.json"))
	if want := `{"format":1,"program":"1.2.3"}` + "\n"; err != nil || string(got) != want {
		t.Errorf("the mark is %q %v, want %q", got, err, want)
	}
	if err := dataformat.Check(dir); err != nil {
		t.Errorf("a folder of this format: %v", err)
	}
	missing := filepath.Join(dir, "missing")
	if err := dataformat.Mark(missing, "1"); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(missing); err == nil {
		t.Error("a folder was made for the mark")
	}
}

func TestNewer(t *testing.T) {
	for text, newer := range map[string]bool{`{"format":2,"program":"9.0.0"}`: true, `{"format":0}`: false, `{}`: false, `x`: false} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "format.json"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		err := dataformat.Check(dir)
		e, ok := errors.AsType[*dataformat.NewerError](err)
		if err == nil || ok != newer || newer && (e.Format != 2 || e.Program != "9.0.0") {
			t.Errorf("%s: %v", text, err)
		}
		if err := dataformat.Mark(dir, "1"); (err == nil) != newer {
			t.Errorf("marking %s: %v", text, err)
		}
		if got, err := os.ReadFile(filepath.Join(dir, "format.json")); err != nil || string(got) != text {
			t.Errorf("the mark %s was replaced by %s %v", text, got, err)
		}
	}
}
