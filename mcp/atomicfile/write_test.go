package atomicfile_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/triptych-mcp/triptych/mcp/atomicfile"
)

func TestPermissions(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files have the permissions of their folder here")
	}
	for _, tt := range []struct {
		name string
		old  fs.FileMode // 0 for a new file
		want fs.FileMode
	}{
		{"new", 0, 0o600},
		{"old", 0o640, 0o640},
		{"old and read-only", 0o400, 0o400},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "file")
			if tt.old != 0 {
				if err := os.WriteFile(path, []byte("old"), tt.old); err != nil {
					t.Fatal(err)
				}
				if err := os.Chmod(path, tt.old); err != nil {
					t.Fatal(err)
				}
			}
			if err := atomicfile.Write(path, []byte("new"), 0o600); err != nil {
				t.Fatal(err)
			}
			info, err := os.Stat(path)
			if err != nil || info.Mode().Perm() != tt.want {
				t.Errorf("got %v, %v; want %v", info.Mode(), err, tt.want)
			}
			if text, err := os.ReadFile(path); string(text) != "new" {
				t.Errorf("got %q, %v", text, err)
			}
		})
	}
}

// Readers find one text or another, whole, while writers replace the file; and
// nothing else is left in the folder.
func TestReadersFindWholeTexts(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	text := func(i int) []byte { return []byte(strings.Repeat(string(rune('a'+i)), 100_000)) }
	if err := atomicfile.Write(path, text(0), 0o600); err != nil {
		t.Fatal(err)
	}
	var writers sync.WaitGroup
	for i := range 4 {
		writers.Go(func() {
			for range 20 {
				if err := atomicfile.Write(path, text(i), 0o600); err != nil && runtime.GOOS != "windows" { // it may be open there
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

// A file that cannot be replaced stays, and what was written beside it goes.
func TestFailureLeavesTheOldFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "folder")
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.Write(path, []byte("new"), 0o600); err == nil {
		t.Error("a folder was replaced by a file")
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 || !entries[0].IsDir() {
		t.Errorf("left are %v, %v", entries, err)
	}
	if err := atomicfile.Write(filepath.Join(dir, "nowhere", "file"), nil, 0o600); err == nil {
		t.Error("a file in a folder that is not there was written")
	}
}
