package bugs

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A file that could not be read counts as left out, and is read by the next search.
func TestUnreadableFileIsReadAgain(t *testing.T) {
	folder, text := t.TempDir(), "int f(int *p) {\n\treturn *p;\n}\n"
	if err := os.WriteFile(filepath.Join(folder, "a.c"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	a, err := newAnalyst()
	if err != nil {
		t.Fatal(err)
	}
	r := &reader{analyst: a, workers: 1, maxFiles: 10, maxBytes: 1 << 20, maxMemory: 1 << 20, maxTime: time.Hour}
	tr := newTree(treeKey{folder: folder})
	root, err := os.OpenRoot(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = root.Close() }() // it was only read
	found, err := tr.list(t.Context(), root, r)
	if err != nil {
		t.Fatal(err)
	}
	empty, err := os.OpenRoot(t.TempDir()) // in which reading fails
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = empty.Close() }() // it was only read
	if err := tr.read(t.Context(), empty, tr.forget(found.files), r); err != nil {
		t.Fatal(err)
	}
	if v := tr.view(found, true); v.left != 1 || len(v.files) != 0 || !v.complete || len(tr.files) != 0 {
		t.Errorf("unreadable: %d left out, %d of %d files, complete %v", v.left, len(v.files), len(tr.files), v.complete)
	}
	v, err := tr.update(t.Context(), r)
	if err != nil || v.left != 0 || len(v.files) != 1 || v.lines != 3 {
		t.Errorf("afterwards: %d left out, %d files, %d lines, %v", v.left, len(v.files), v.lines, err)
	}
}
