package filestore

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// A file that people change is a revision, by hand, and its bytes stay in the history when
// they remove it.
func TestFilesEditedByHandAreRevisions(t *testing.T) {
	dir := t.TempDir()
	s := Open(dir, slog.New(slog.DiscardHandler), time.Now)
	files := []ruleset.FileChange{{Path: "scripts/a.py", Data: []byte("ours")}}
	if _, err := ruleset.Create(t.Context(), s, ruleset.Draft{Name: "go_style", Markdown: "text", Files: files}); err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(dir, "go-style", "scripts", "a.py")
	edits := []func() error{
		func() error { return os.WriteFile(script, []byte("by hand"), 0o644) },
		func() error { return os.RemoveAll(filepath.Join(dir, "go-style")) },
	}
	for i, edit := range edits {
		if err := edit(); err != nil {
			t.Fatal(err)
		}
		if r, err := s.Get(t.Context(), "go_style"); err != nil || r.Rev != i+2 || r.Markdown != "text" {
			t.Errorf("after edit %d: %+v, %v", i+1, r, err)
		}
	}
	history, err := s.History(t.Context(), "go_style")
	if err != nil || len(history) != 3 {
		t.Fatalf("%d revisions, %v", len(history), err)
	}
	for i, want := range []string{"", "by hand", "ours"} {
		got, content := "", history[i].Content
		if len(content.Files) > 0 {
			data, err := s.ReadRevised(t.Context(), "go_style", content.Files[0])
			if err != nil {
				t.Error(err)
			}
			got = string(data)
		}
		if isByHand := history[i].By.Author == ruleset.ByHand; got != want || isByHand != (i < 2) {
			t.Errorf("revision %d has %q by %q, want %q", history[i].Number, got, history[i].By.Author, want)
		}
	}
}

// A folder with more files than a skill has is not followed: the text changes all the same.
func TestLargeFoldersAreNotFollowed(t *testing.T) {
	dir := t.TempDir()
	s := Open(dir, slog.New(slog.DiscardHandler), time.Now)
	if _, err := ruleset.Create(t.Context(), s, ruleset.Draft{Name: "go_style"}); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "go-style"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "go-style", "large"), make([]byte, ruleset.MaxFileBytes+1), 0o644); err != nil {
		t.Fatal(err)
	}
	text := "new"
	r, err := ruleset.Update(t.Context(), s, "go_style", ruleset.Patch{Markdown: &text})
	if err != nil || r.Rev != 2 || len(r.Files) != 0 {
		t.Errorf("got %+v, %v", r, err)
	}
}

// A journal that a stranger wrote names no file outside of the folders of rulesets.
func TestForeignPartsOfJournalsAreRefused(t *testing.T) {
	for _, c := range []partChange{
		{Name: "../x", Path: "a"}, {Name: "x", Path: "../a"}, {Name: "x", Path: "SKILL.md"}, {Name: "x", Path: ".git/config"}, {Name: "x", Path: "a", Temp: "../a"}, {Name: "x", Path: "/a"},
	} {
		if c.check() == nil {
			t.Errorf("%+v is accepted", c)
		}
	}
	if err := (&partChange{Name: "x", Path: "a/b", Temp: ".new-1"}).check(); err != nil {
		t.Error(err)
	}
}

// A file of a batch that people are in the way of is not made and is told; nothing else is held up.
func TestFilesInTheWay(t *testing.T) {
	dir := t.TempDir()
	s := Open(dir, slog.New(slog.DiscardHandler), time.Now)
	if _, err := ruleset.Create(t.Context(), s, ruleset.Draft{Name: "go_style", Markdown: "one"}); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "go-style", "a", ".hidden"), 0o755); err != nil { // which no revision has
		t.Fatal(err)
	}
	two := "two"
	_, err := ruleset.Update(t.Context(), s, "go_style", ruleset.Patch{Markdown: &two, Files: []ruleset.FileChange{{Path: "a", Data: []byte("x")}, {Path: "b", Data: []byte("y")}}})
	if err == nil {
		t.Error("no error although the file is a folder")
	}
	if _, err := ruleset.Create(t.Context(), s, ruleset.Draft{Name: "other"}); err != nil {
		t.Errorf("the next change: %v", err)
	}
	r, err := s.Get(t.Context(), "go_style")
	if want := []ruleset.File{ruleset.FileOf("b", []byte("y"))}; err != nil || r.Markdown != two || !ruleset.SameFiles(r.Files, want) {
		t.Errorf("got %+v, %v", r, err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "go-style", tempName)); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
}

// Pruning removes what the store has written, nothing that a link leads to or a person has
// put there.
func TestPruneKeepsFilesOfPeople(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	s := Open(dir, slog.New(slog.DiscardHandler), time.Now)
	note := filepath.Join(s.history.contentsDir("go_style"), "note.txt")
	digest := filepath.Join(elsewhere, ruleset.FileOf("", []byte("x")).SHA256.String())
	_, err := ruleset.Create(t.Context(), s, ruleset.Draft{Name: "go_style", Files: []ruleset.FileChange{{Path: "a", Data: []byte("x")}}})
	for _, file := range []string{note, digest} {
		err = errors.Join(err, os.WriteFile(file, []byte("thesis"), 0o644))
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ruleset.Prune(t.Context(), s, ruleset.Retention{Revisions: 1}, false); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(note); err != nil {
		t.Error(err)
	}
	err = errors.Join(os.RemoveAll(s.history.contentsDir("go_style")), os.Symlink(elsewhere, s.history.contentsDir("go_style")))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ruleset.Prune(t.Context(), s, ruleset.Retention{Revisions: 1}, false); err == nil {
		t.Error("a link is followed")
	}
	if _, err := os.Stat(digest); err != nil {
		t.Error(err)
	}
	_, err = ruleset.Update(t.Context(), s, "go_style", ruleset.Patch{Files: []ruleset.FileChange{{Path: "a", Data: []byte("y")}}})
	if err == nil {
		t.Error("bytes are written through a link")
	}
}
