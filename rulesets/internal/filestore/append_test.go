package filestore

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// A history that cannot be read when a line is to be added stays as it is.
func TestUnreadableHistoryIsNotCut(t *testing.T) {
	s := openAt(t.TempDir())
	if _, err := ruleset.Create(t.Context(), s, ruleset.Draft{Name: "a", Markdown: "text"}); err != nil {
		t.Fatal(err)
	}
	path := s.history.path("a")
	before, err := os.ReadFile(path)
	if err != nil || len(before) == 0 {
		t.Fatalf("the history has %q, %v", before, err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0) // reading from it fails, writing does not
	if err != nil {
		t.Fatal(err)
	}
	if _, err := addTo(f, []byte("{}\n")); err == nil {
		t.Error("a line was added behind an end that cannot be known")
	}
	if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
		t.Errorf("the history became %q, %v; want %q", after, err, before)
	}
}

// A revision is not in the history when the name of the history cannot be synced: the
// change that it records is not made. The next change syncs the name.
func TestHistoryWhoseNameIsNotSynced(t *testing.T) {
	s := openAt(t.TempDir())
	if _, err := ruleset.Create(t.Context(), s, ruleset.Draft{Name: "other"}); err != nil { // makes the folders
		t.Fatal(err)
	}
	history, broken, synced := filepath.Dir(s.history.path("a")), errors.New("input/output error"), 0
	s.history.syncDir = func(path string) error {
		if path == history && broken != nil {
			return broken
		}
		if path == history {
			synced++
		}
		return syncDir(path)
	}
	if _, err := ruleset.Create(t.Context(), s, ruleset.Draft{Name: "a", Markdown: "lost"}); !errors.Is(err, broken) {
		t.Errorf("Create: %v, want %v", err, broken)
	}
	_, missing := errors.AsType[*ruleset.NotFoundError](errorOf(s.History(t.Context(), "a")))
	if !missing {
		t.Error("the history has a revision of a ruleset that was not made")
	}
	broken = nil
	if r, err := ruleset.Create(t.Context(), s, ruleset.Draft{Name: "a", Markdown: "made"}); err != nil || r.Rev != 1 || synced != 1 {
		t.Errorf("then revision %d, %v, after %d syncs of the folder; want revision 1 after one", r.Rev, err, synced)
	}
}

func errorOf[T any](_ T, err error) error { return err }
