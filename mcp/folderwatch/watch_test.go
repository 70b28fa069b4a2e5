package folderwatch_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/triptych-mcp/triptych/mcp/folderwatch"
)

// A folder is watched that appears, goes, and is replaced by another.
func TestFollow(t *testing.T) {
	top := t.TempDir()
	dir := filepath.Join(top, "data", "folder")
	w := folderwatch.New(dir)
	defer w.Close()
	write := func(file string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	await := func(file string) { // each event is followed, so that the last one is of the file
		for e := range w.Events {
			if w.Follow(); e.Name == file {
				return
			}
		}
	}
	file := filepath.Join(dir, "file")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	await(filepath.Join(top, "data")) // and what is in it is there already
	write(file)
	await(file)
	if err := os.Rename(dir, filepath.Join(top, "old")); err != nil {
		t.Fatal(err)
	}
	await(dir)
	write(filepath.Join(top, "new", "other"))
	if err := os.Rename(filepath.Join(top, "new"), dir); err != nil {
		t.Fatal(err)
	}
	await(dir)
	write(file)
	await(file)
}

// The zero Watcher has no events, as one of a system without watches.
func TestZero(t *testing.T) {
	var w folderwatch.Watcher
	w.Follow()
	w.Close()
	if w.Events != nil || w.Lost != nil {
		t.Error("it has events")
	}
}
