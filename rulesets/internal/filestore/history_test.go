package filestore_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/rulesets/internal/filestore"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// lines renders a history, newest first.
func lines(t *testing.T, s *filestore.Store, name ruleset.Name) (all []string) {
	t.Helper()
	history, err := s.History(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range history {
		text := r.Content.Markdown
		if r.Deleted {
			text = "deleted"
		}
		all = append(all, fmt.Sprintf("%d %s: %s", r.Number, r.By.Author, text))
	}
	return all
}

func expectLines(t *testing.T, s *filestore.Store, name ruleset.Name, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, lines(t, s, name)); diff != "" {
		t.Errorf("history of %s (-want +got):\n%s", name, diff)
	}
}

// What people do to a file is recorded before it is replaced, and only once.
func TestEditsByHandAreRevisions(t *testing.T) {
	dir := t.TempDir()
	s := filestore.Open(dir, quiet, time.Now)
	if _, err := ruleset.Create(t.Context(), s, ruleset.Draft{Name: "a", Markdown: "one", By: ruleset.By{Author: "ann"}}); err != nil {
		t.Fatal(err)
	}
	put(t, dir, "a.md", "---\n---\ntwo")
	text := "three"
	if _, err := ruleset.Update(t.Context(), s, "a", ruleset.Patch{Markdown: &text, IfRev: 1}); err == nil {
		t.Error("an edit that nobody had read was overwritten")
	}
	if r, err := ruleset.Update(t.Context(), s, "a", ruleset.Patch{Markdown: &text, IfRev: 2}); err != nil || r.Rev != 3 {
		t.Errorf("updated to revision %d, %v", r.Rev, err)
	}
	put(t, dir, "a.md", "---\n---\nfour")
	for range 2 {
		if r, err := s.Get(t.Context(), "a"); err != nil || r.Rev != 4 {
			t.Errorf("read at revision %d, %v", r.Rev, err)
		}
	}
	if err := os.Remove(filepath.Join(dir, "a.md")); err != nil {
		t.Fatal(err)
	}
	if r, err := ruleset.Create(t.Context(), s, ruleset.Draft{Name: "a", Markdown: "six"}); err != nil || r.Rev != 6 {
		t.Errorf("created again at revision %d, %v", r.Rev, err)
	}
	expectLines(t, s, "a", "6 : six", "5 edited by hand: deleted", "4 edited by hand: four", "3 : three", "2 edited by hand: two", "1 ann: one")
}

// A file that was there before its history is the first revision, at its own time.
func TestFirstSeen(t *testing.T) {
	dir := t.TempDir()
	s := filestore.Open(dir, quiet, time.Now)
	put(t, dir, "a.md", "---\ncreated_at: 2025-10-29 10:30:00\nlast_modified: 2025-10-29 10:31:00\n---\nold")
	if r, err := s.Get(t.Context(), "a"); err != nil || r.Rev != 1 || r.LastModified.Minute() != 31 {
		t.Errorf("got %+v, %v", r, err)
	}
	history, err := s.History(t.Context(), "a")
	if err != nil || len(history) != 1 || history[0].By.Author != "" || !history[0].At.Equal(time.Date(2025, 10, 29, 10, 31, 0, 0, time.UTC)) {
		t.Errorf("got %+v, %v", history, err)
	}
}

// An edit by hand moves the time of the last change, in answers and in lists.
func TestEditByHandMovesLastModified(t *testing.T) {
	dir := t.TempDir()
	created := time.Now().Add(-time.Hour).UTC().Truncate(time.Second)
	s := filestore.Open(dir, quiet, func() time.Time { return created })
	if _, err := ruleset.Create(t.Context(), s, ruleset.Draft{Name: "a", Markdown: "one\n"}); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "a.md")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	put(t, dir, "a.md", string(data)+"two\n")
	edited := created.Add(30 * time.Minute)
	if err := os.Chtimes(path, edited, edited); err != nil {
		t.Fatal(err)
	}
	for range 2 { // before and after it is recorded
		metas, _, err := filestore.Open(dir, quiet, time.Now).List(t.Context(), ruleset.Page{})
		if err != nil || len(metas) != 1 || !metas[0].LastModified.Equal(edited) || !metas[0].CreatedAt.Equal(created) {
			t.Errorf("listed %+v, %v; want the time %v", metas, err, edited)
		}
		if r, err := s.Get(t.Context(), "a"); err != nil || !r.LastModified.Equal(edited) {
			t.Errorf("read %+v, %v; want the time %v", r, err, edited)
		}
	}
}

// What a killed writer left of a record is not read and does not stop the next one.
func TestTornHistory(t *testing.T) {
	dir := t.TempDir()
	s := filestore.Open(dir, quiet, time.Now)
	long := strings.Repeat("long ", 20_000)
	if _, err := ruleset.Create(t.Context(), s, ruleset.Draft{Name: "a", Markdown: long}); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, ".history", "a.jsonl")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, cut := range []int{1, 100, len(whole) / 2, len(whole) - 1} {
		if err := os.WriteFile(path, append(append([]byte{}, whole...), whole[:cut]...), 0o644); err != nil {
			t.Fatal(err)
		}
		expectLines(t, s, "a", "1 : "+long)
		text := fmt.Sprint("after ", cut)
		if r, err := ruleset.Update(t.Context(), s, "a", ruleset.Patch{Markdown: &text}); err != nil || r.Rev != 2 {
			t.Fatalf("cut at %d: revision %d, %v", cut, r.Rev, err)
		}
		expectLines(t, s, "a", "2 : "+text, "1 : "+long)
		if _, err := ruleset.Update(t.Context(), s, "a", ruleset.Patch{Markdown: &long}); err != nil {
			t.Fatal(err)
		}
	}
}

// Git leaves out what is not rulesets; a .gitignore of people stays.
func TestGitignore(t *testing.T) {
	for _, old := range []string{"", "mine\n"} {
		dir := t.TempDir()
		if old != "" {
			put(t, dir, ".gitignore", old)
		}
		if _, err := ruleset.Create(t.Context(), filestore.Open(dir, quiet, time.Now), ruleset.Draft{Name: "a"}); err != nil {
			t.Fatal(err)
		}
		want := old
		if old == "" {
			want = ".gitignore\n.lock\n.new-*\n.batch*\n.moves\n.history/\n"
		}
		if got, err := os.ReadFile(filepath.Join(dir, ".gitignore")); err != nil || string(got) != want {
			t.Errorf("got %q, %v; want %q", got, err, want)
		}
	}
}

// A folder that cannot be written is read all the same.
func TestReadOnlyFolder(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may write everywhere")
	}
	dir := t.TempDir()
	put(t, dir, "a.md", "---\n---\nText")
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.Chmod(dir, 0o755) }() // so that it can be removed
	s := filestore.Open(dir, quiet, time.Now)
	if r, err := s.Get(t.Context(), "a"); err != nil || r.Rev != 1 || r.Markdown != "Text" {
		t.Errorf("got %+v, %v", r, err)
	}
	if _, err := s.History(t.Context(), "a"); err == nil || errors.As(err, new(*ruleset.UnavailableError)) {
		t.Errorf("history: %v", err)
	}
}
