package private_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/triptych-mcp/triptych/transport/internal/private"
)

// Git offers nothing of such a folder, and a .gitignore of people stays.
func TestGitOffersNothing(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	top := t.TempDir()
	keys, own := filepath.Join(top, "keys"), filepath.Join(top, "own")
	if err := os.Mkdir(own, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(own, private.IgnoreFile), []byte("mine\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{keys, keys, own} {
		if err := private.MakeDir(dir); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(keys, "key.pem"), []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) string {
		cmd := exec.CommandContext(t.Context(), git, append([]string{"-C", top}, args...)...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
		return string(out)
	}
	run("init", "-q")
	if got := run("status", "--porcelain", "--untracked-files=all"); got != "?? own/.gitignore\n" {
		t.Errorf("git offers %q", got)
	}
	if got, err := os.ReadFile(filepath.Join(own, private.IgnoreFile)); err != nil || string(got) != "mine\n" {
		t.Errorf("the own file is %q, %v", got, err)
	}
}

// A folder that is there and takes no files is no error.
func TestReadOnly(t *testing.T) {
	dir := "/proc/self" // takes no files of root either
	if _, err := os.Stat(dir); err != nil {
		dir = t.TempDir()
		if err := os.Chmod(dir, 0o500); err != nil {
			t.Fatal(err)
		}
	}
	if err := private.MakeDir(dir); err != nil {
		t.Error(err)
	}
}
