package filestore

import (
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
	if _, err := s.Create(t.Context(), ruleset.Draft{Name: "go_style", Markdown: "text", Files: files}); err != nil {
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
	if _, err := s.Create(t.Context(), ruleset.Draft{Name: "go_style"}); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "go-style"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "go-style", "large"), make([]byte, ruleset.MaxFileBytes+1), 0o644); err != nil {
		t.Fatal(err)
	}
	text := "new"
	r, err := s.Update(t.Context(), "go_style", ruleset.Patch{Markdown: &text})
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
