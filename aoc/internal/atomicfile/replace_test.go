package atomicfile

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// A file keeps its permissions when it is replaced; a new one gets those asked for.
func TestReplaceFileKeepsPermissions(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files have the permissions of their folder here")
	}
	path := filepath.Join(t.TempDir(), "file")
	for _, want := range []fs.FileMode{0o600, 0o640, 0o400} { // of the new file first
		if want != 0o600 {
			if err := os.Chmod(path, want); err != nil {
				t.Fatal(err)
			}
		}
		if err := Replace(path, []byte("new"), 0o600); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("got %v, %v; want %v", info.Mode(), err, want)
		}
	}
}

// Readers find whole contents while writers replace the file, and nothing else is
// left in the folder.
func TestReplaceFileIsAtomic(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	content := func(i int) []byte { return []byte(strings.Repeat(string(rune('a'+i)), 100_000)) }
	if err := Replace(path, content(0), 0o600); err != nil {
		t.Fatal(err)
	}
	var writers sync.WaitGroup
	for i := range 3 {
		writers.Go(func() {
			for range 10 {
				if err := Replace(path, content(i), 0o600); err != nil && runtime.GOOS != "windows" { // it may be open there
					t.Error(err)
				}
			}
		})
	}
	done := make(chan struct{})
	go func() { writers.Wait(); close(done) }()
	for reading := true; reading; {
		select {
		case <-done:
			reading = false
		default:
		}
		got, err := os.ReadFile(path)
		if err != nil || len(got) != 100_000 || strings.Trim(string(got), string(got[0])) != "" {
			t.Fatalf("read %d bytes, %v", len(got), err)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("left are %v, %v", entries, err)
	}
}

// A file that cannot be replaced stays, and the temporary file goes.
func TestReplaceFileFails(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "folder")
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := Replace(path, []byte("new"), 0o600); err == nil {
		t.Error("a folder was replaced by a file")
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 || !entries[0].IsDir() {
		t.Errorf("left are %v, %v", entries, err)
	}
	if err := Replace(filepath.Join(dir, "nowhere", "file"), nil, 0o600); err == nil {
		t.Error("a file in a missing folder was written")
	}
}
