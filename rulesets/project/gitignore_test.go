package project

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// ignore pulls and keeps the section of .gitignore.
func (b *bench) ignore(add bool) (written bool, err error) {
	b.t.Helper()
	b.mustPull()
	p, err := Open(b.dir)
	if err != nil {
		b.t.Fatal(err)
	}
	defer p.Close()
	return p.IgnoreFiles(add)
}

// Files that are written as a whole are ignored once that was asked for, and the section
// follows what is pulled. Other lines stay byte for byte, and git agrees.
func TestIgnoreFiles(t *testing.T) {
	b := newBench(t, "agents", "cursor")
	b.create("go_style", "globs: '**/*.go'\n", "Use gofmt.\n")
	b.create("all", "", "Be kind.\n")
	const mine = "*.log\r\n!keep.log"
	b.write(".gitignore", mine)
	if written, err := b.ignore(false); written || err != nil || b.read(".gitignore") != mine {
		t.Fatalf("without a request: %v, %v, %q", written, err, b.read(".gitignore"))
	}
	if written, err := b.ignore(true); !written || err != nil {
		t.Fatal(written, err)
	}
	got := b.read(".gitignore")
	if !strings.HasPrefix(got, mine+"\n"+ignoreBegin+"\n") || !strings.HasSuffix(got, "\n"+ignoreEnd+"\n") || strings.Contains(got, "AGENTS.md") {
		t.Errorf("got %q", got)
	}
	if !strings.Contains(got, "\n/.cursor/rules/go-style.mdc\n") {
		t.Errorf("the rule file is missing in %q", got)
	}
	b.gitIgnores(t, ".cursor/rules/go-style.mdc", true)
	b.gitIgnores(t, "AGENTS.md", false)
	b.gitIgnores(t, "sub/.cursor/rules/go-style.mdc", false)
	if written, err := b.ignore(true); written || err != nil {
		t.Errorf("a second time: %v, %v", written, err)
	}
	b.write(".gitignore", got+"after\n")
	b.delete("go_style")
	if written, err := b.ignore(false); !written || err != nil {
		t.Fatal(written, err)
	}
	got = b.read(".gitignore")
	if strings.Contains(got, "go-style") || !strings.HasPrefix(got, mine+"\n") || !strings.HasSuffix(got, ignoreEnd+"\nafter\n") {
		t.Errorf("after the ruleset was deleted: %q", got)
	}
}

// A clone has the lock, and no file that git ignores: pull writes them, and status does not
// say that a person has deleted them.
func TestIgnoredFilesOfClone(t *testing.T) {
	b := newBench(t, "agents", "cursor")
	b.create("go_style", "globs: '**/*.go'\n", "Use gofmt.\n")
	if _, err := b.ignore(true); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(b.dir, ".cursor")); err != nil {
		t.Fatal(err)
	}
	_, plan := b.open()
	for _, i := range plan.Items {
		if want := map[bool]State{true: Clean, false: New}[i.Shared]; i.State != want {
			t.Errorf("%s is %s, want %s", i.Path, i.State, want)
		}
	}
	b.mustPull()
	if !strings.Contains(b.read(".cursor/rules/go-style.mdc"), "Use gofmt.") {
		t.Error("the rule file is not there")
	}
}

// gitIgnores fails unless git ignores a path, or does not.
func (b *bench) gitIgnores(t *testing.T, path string, want bool) {
	t.Helper()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is missing")
	}
	if _, err := os.Stat(filepath.Join(b.dir, ".git")); err != nil {
		if out, err := exec.CommandContext(t.Context(), git, "-C", b.dir, "init", "-q").CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	err = exec.CommandContext(t.Context(), git, "-C", b.dir, "check-ignore", "-q", "--no-index", path).Run()
	if (err == nil) != want {
		t.Errorf("git ignores %s: %v, want %v", path, err == nil, want)
	}
}

// A section without an end is an error, and a link is left.
func TestIgnoreFilesOfOthers(t *testing.T) {
	b := newBench(t, "cursor")
	b.create("all", "", "Be kind.\n")
	b.write(".gitignore", "x\n"+ignoreBegin+"\n/old\n")
	if written, err := b.ignore(true); written || err == nil || !strings.Contains(err.Error(), ignoreEnd) {
		t.Errorf("without an end: %v, %v", written, err)
	}
	if runtime.GOOS == "windows" {
		return // links need rights there
	}
	if err := os.Remove(filepath.Join(b.dir, ".gitignore")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("other", filepath.Join(b.dir, ".gitignore")); err != nil {
		t.Fatal(err)
	}
	if written, err := b.ignore(true); written || err == nil {
		t.Errorf("a link: %v, %v", written, err)
	}
}

func TestIgnoreEscaped(t *testing.T) {
	for path, want := range map[string]string{
		"a/b.md": "a/b.md", "a/[x]*.md": `a/\[x]\*.md`, `a\b?`: `a\\b\?`, "a ": `a\ `, "#a": "#a", "a b": "a b",
	} {
		if got := ignoreEscaped(path); got != want {
			t.Errorf("%q is %q, want %q", path, got, want)
		}
	}
}
