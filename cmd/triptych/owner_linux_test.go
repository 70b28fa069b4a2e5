package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// service is a user that neither runs the tests nor has an account.
const service = 54321

// TestRootLeavesFilesToTheOwner runs commands as an administrator does, on the data folder
// of a service: the service can read all that they made.
func TestRootLeavesFilesToTheOwner(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can give a folder away")
	}
	dir, err := os.MkdirTemp("", "triptych-owner-*") // t.TempDir has parents that are closed to others
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if closed := closedFolder(t, filepath.Dir(dir)); closed != "" {
		t.Skipf("the folder %s, in which TMPDIR is, is closed to other users", closed)
	}
	data, saved := filepath.Join(dir, "data"), filepath.Join(t.TempDir(), "saved.tar.gz")
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(data, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(data, service, service); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"key", "create", "--name", "ann"},
		{"call", "create_ruleset", "name=go_style", "description=d", "markdown=m"},
		{"rulesets", "label", "go_style", "production", "1"},
		{"aoc", "record", "1", "1", "gpt", "1500"},
		{"audit", "verify"},
		{"backup", saved}, // into a folder that the service may not enter
		{"doctor"},
	} {
		cmd := program(t, append(args, "--data", data)...)
		cmd.Dir = "/" // which the service may enter, unlike perhaps the folder of the sources
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v: %v\n%s", args, err, out)
		}
	}
	owned(t, data)
}

// closedFolder returns a folder on the way to a path that other users may not enter, "" if there
// is none.
func closedFolder(t *testing.T, path string) string {
	t.Helper()
	for ; ; path = filepath.Dir(path) {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode()&0o001 == 0 {
			return path
		}
		if path == filepath.Dir(path) {
			return ""
		}
	}
}

// owned checks that every file of a folder belongs to the service.
func owned(t *testing.T, folder string) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		files++
		if s := info.Sys().(*syscall.Stat_t); s.Uid != service || s.Gid != service {
			t.Errorf("%s belongs to %d:%d", path, s.Uid, s.Gid)
		}
		return nil
	})
	if err != nil || files < 10 {
		t.Errorf("%d files: %v", files, err)
	}
}
