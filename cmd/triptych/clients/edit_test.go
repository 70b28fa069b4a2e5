package clients_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/triptych-mcp/triptych/cmd/triptych/clients"
)

func replaceBy(text string) func([]byte) ([]byte, error) {
	return func([]byte) ([]byte, error) { return []byte(text), nil }
}

func TestEditCreatesFoldersAndFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "b.json")
	changed, err := clients.Edit(path, func(old []byte) ([]byte, error) {
		if old != nil {
			t.Errorf("old = %q, want nil", old)
		}
		return []byte("{}"), nil
	})
	if err != nil || !changed {
		t.Fatalf("changed %v, %v", changed, err)
	}
	wantFile(t, path, "{}")
}

func TestEditKeepsModeAndLink(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target.json"), filepath.Join(dir, "link.json")
	if err := os.WriteFile(target, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, link); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	if changed, err := clients.Edit(link, replaceBy("new")); err != nil || !changed {
		t.Fatalf("changed %v, %v", changed, err)
	}
	wantFile(t, target, "new")
	info, err := os.Lstat(target)
	if err != nil || info.Mode() != 0o640 {
		t.Errorf("mode %v, %v, want -rw-r-----", info.Mode(), err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link became %v, %v", info.Mode(), err)
	}
}

func TestEditLeavesTheFileWhenChangeFailsOrChangesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.json")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	before, _ := os.Stat(path)
	broken := errors.New("broken")
	_, err := clients.Edit(path, func([]byte) ([]byte, error) { return nil, broken })
	if !errors.Is(err, broken) {
		t.Errorf("got %v, want %v", err, broken)
	}
	if changed, err := clients.Edit(path, replaceBy("old")); changed || err != nil {
		t.Errorf("changed %v, %v, want nothing", changed, err)
	}
	after, _ := os.Stat(path)
	if !os.SameFile(before, after) {
		t.Error("the file was replaced")
	}
	wantFile(t, path, "old")
	if left, _ := os.ReadDir(filepath.Dir(path)); len(left) != 1 {
		t.Errorf("%d files are left, want 1", len(left))
	}
}

func wantFile(t *testing.T, path, want string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil || string(got) != want {
		t.Errorf("%s holds %q, %v, want %q", path, got, err, want)
	}
}
