package filestore_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/rulesets/internal/filestore"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// git runs git in a folder, as ann.
func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(),
		"GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull,
		"GIT_AUTHOR_NAME=Ann", "GIT_AUTHOR_EMAIL=ann@example.com", "GIT_COMMITTER_NAME=Bob", "GIT_COMMITTER_EMAIL=bob@example.com")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v: %s", args, err, out)
	}
}

func needGit(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
}

// commitAll commits all files of a folder.
func commitAll(t *testing.T, dir, message string) {
	t.Helper()
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", message)
}

// revisionLines renders the revisions of a ruleset with their authors, newest first.
func revisionLines(t *testing.T, s *filestore.Store, name ruleset.Name) (all []string) {
	t.Helper()
	history, err := s.History(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range history {
		all = append(all, fmt.Sprintf("%d %s/%s/%s: %s", r.Number, r.By.Author, r.By.Client, r.By.Message, r.Content.Markdown))
	}
	return all
}

// What comes by git has the author and the subject of its commit; what is edited after
// that has not.
func TestAuthorsFromGit(t *testing.T) {
	needGit(t)
	top := t.TempDir()
	dir := filepath.Join(top, "rules") // below the root of the work tree
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	git(t, top, "init", "-q")
	for i, text := range []string{"one", "two", "three\r\n"} {
		put(t, dir, "a.md", "---\n---\n"+text)
		commitAll(t, top, fmt.Sprintf("Change %d\n\nThe reason.", i+1))
	}
	git(t, top, "checkout", "-q", "HEAD~2")
	s := filestore.Open(dir, quiet, time.Now)
	if _, err := s.Get(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	git(t, top, "checkout", "-q", "-") // two commits at once
	if _, err := s.Get(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	put(t, dir, "a.md", "---\n---\nmine")
	if _, err := s.Get(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	git(t, top, "checkout", "-q", "HEAD~1", "--", "rules/a.md") // a content that HEAD does not have
	text := "by a tool"
	if _, err := ruleset.Update(t.Context(), s, "a", ruleset.Patch{Markdown: &text, By: ruleset.By{Author: "local"}}); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"5 local//: by a tool", "4 edited by hand//: two", "3 edited by hand//: mine",
		"2 Ann <ann@example.com>/git/Change 3: three\r\n", "1 //: one",
	}
	if diff := cmp.Diff(want, revisionLines(t, s, "a")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// Files beside a text and folders have the author of the newest commit that changed one of
// them, unless one of them is not as a commit has it.
func TestAuthorsOfFilesFromGit(t *testing.T) {
	needGit(t)
	dir := t.TempDir()
	git(t, dir, "init", "-q")
	for _, folder := range []string{"go-style", "pdf-forms/sub"} {
		if err := os.MkdirAll(filepath.Join(dir, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	skill := func(text string) string { return "---\nname: pdf-forms\ndescription: d\n---\n\n" + text }
	put(t, dir, "go_style.md", "---\n---\nText")
	put(t, dir, "go-style/a [1].txt", "one")
	put(t, dir, "pdf-forms/SKILL.md", skill("one"))
	put(t, dir, "pdf-forms/sub/ü.py", "one")
	commitAll(t, dir, "first")
	s := filestore.Open(dir, quiet, time.Now)
	see := func() {
		t.Helper()
		for _, name := range []ruleset.Name{"go_style", "pdf_forms"} {
			if _, err := s.Get(t.Context(), name); err != nil {
				t.Fatal(err)
			}
		}
	}
	see()
	put(t, dir, "go-style/a [1].txt", "two")
	put(t, dir, "pdf-forms/SKILL.md", skill("two"))
	commitAll(t, dir, "second")
	put(t, dir, "pdf-forms/sub/ü.py", "two")
	commitAll(t, dir, "third")
	see()
	git(t, dir, "rm", "-q", "go-style/a [1].txt")
	put(t, dir, "pdf-forms/sub/ü.py", "three")
	commitAll(t, dir, "fourth")
	put(t, dir, "pdf-forms/SKILL.md", skill("mine"))
	see()
	const ann = " Ann <ann@example.com>/git/"
	for name, want := range map[ruleset.Name][]string{
		"go_style":  {"3" + ann + "fourth: Text", "2" + ann + "second: Text", "1 //: Text"},
		"pdf_forms": {"3 edited by hand//: mine", "2" + ann + "third: two", "1 //: one"},
	} {
		if diff := cmp.Diff(want, revisionLines(t, s, name)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// A repository may come from a stranger: nothing that its configuration names is run.
func TestGitRunsNothingOfTheRepository(t *testing.T) {
	needGit(t)
	dir := t.TempDir()
	mark := filepath.Join(t.TempDir(), "ran")
	trap := filepath.Join(t.TempDir(), "trap")
	if err := os.WriteFile(trap, []byte("#!/bin/sh\ntouch "+mark+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	git(t, dir, "init", "-q")
	put(t, dir, "a.md", "---\n---\none")
	put(t, dir, ".gitattributes", "*.md diff=trap filter=trap\n")
	commitAll(t, dir, "first")
	s := filestore.Open(dir, quiet, time.Now)
	if _, err := s.Get(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	put(t, dir, "a.md", "---\n---\ntwo")
	commitAll(t, dir, "second")
	for _, key := range []string{
		"core.fsmonitor", "core.pager", "pager.log", "diff.external", "diff.trap.textconv", "diff.trap.command", "gpg.program",
		"filter.trap.smudge", "filter.trap.clean", "core.sshCommand", "core.editor", "alias.log",
	} {
		git(t, dir, "config", key, trap)
	}
	git(t, dir, "config", "log.showSignature", "true")
	_ = os.Remove(mark) // git config may have run the monitor
	if want := "2 Ann <ann@example.com>/git/second: two"; revisionLines(t, s, "a")[0] != want {
		t.Errorf("got %q, want %q", revisionLines(t, s, "a")[0], want)
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("a program that the repository names was run")
	}
}

// A checkout changes many files while several servers watch: each change is one
// revision by the author of the commit, and each watch tells of it once.
func TestCheckoutWhileServersWatch(t *testing.T) {
	needGit(t)
	const files, servers = 500, 3
	dir := t.TempDir()
	name := func(i int) ruleset.Name { return ruleset.Name(fmt.Sprintf("n%d", i)) }
	git(t, dir, "init", "-q", "-b", "main")
	for _, text := range []string{"one", "two"} {
		for i := range files {
			put(t, dir, string(name(i))+".md", "---\n---\n"+text+strings.Repeat(" word", 300))
		}
		commitAll(t, dir, "write "+text)
	}
	git(t, dir, "checkout", "-q", "HEAD~1")

	var mu sync.Mutex
	heard := [servers]map[ruleset.Name]int{}
	var stores []*filestore.Store
	ctx, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	for i := range servers {
		s := filestore.Open(dir, quiet, time.Now)
		stores, heard[i] = append(stores, s), map[ruleset.Name]int{}
		wg.Go(func() {
			_ = s.Watch(ctx, func(c ruleset.Change) {
				mu.Lock()
				defer mu.Unlock()
				heard[i][c.Name]++
			})
		})
	}
	defer wg.Wait()
	defer stop()
	all := func(n int, names ...ruleset.Name) func() bool {
		return func() bool {
			mu.Lock()
			defer mu.Unlock()
			for i := range servers {
				for _, name := range names {
					if heard[i][name] < n {
						return false
					}
				}
			}
			return true
		}
	}
	for i := range files { // their first revisions
		if _, err := stores[i%servers].Get(ctx, name(i)); err != nil {
			t.Fatal(err)
		}
	}
	put(t, dir, "begun.md", "---\n---\n")
	awaitUntil(t, "the watches have begun", func() bool {
		put(t, dir, "begun.md", fmt.Sprintf("---\n---\n%d", time.Now().UnixNano()))
		return all(1, "begun")()
	})
	git(t, dir, "checkout", "-q", "-f", "main")
	var names []ruleset.Name
	for i := range files {
		names = append(names, name(i))
	}
	awaitUntil(t, "all changes are told", all(1, names...))
	awaitUntil(t, "all changes are recorded", func() bool {
		for i := range files {
			data, err := os.ReadFile(filepath.Join(dir, ".history", string(name(i))+".jsonl"))
			if err != nil || strings.Count(string(data), "\n") < 2 {
				return false
			}
		}
		return true
	})
	put(t, dir, "fence.md", "---\n---\n") // comes after all events of the checkout
	awaitUntil(t, "a later change is told", all(1, "fence"))
	mu.Lock()
	defer mu.Unlock()
	for i := range files {
		for server := range servers {
			if n := heard[server][name(i)]; n != 1 {
				t.Errorf("server %d told %d times of %s", server, n, name(i))
			}
		}
		lines := revisionLines(t, stores[0], name(i))
		if len(lines) != 2 || !strings.HasPrefix(lines[0], "2 Ann <ann@example.com>/git/write two: two") {
			t.Errorf("%s has %d revisions, %.60q", name(i), len(lines), lines[0])
		}
	}
}

// awaitUntil polls what other goroutines and the system decide.
func awaitUntil(t *testing.T, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !is(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not in a minute: %s", what)
		}
	}
}
