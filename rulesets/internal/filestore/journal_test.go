package filestore

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// crash applies a batch that updates a, deletes b and creates c up to a step, and leaves
// the folder as a process that is killed there.
func crash(t *testing.T, dir string, made bool) {
	t.Helper()
	s := openAt(dir)
	for _, name := range []ruleset.Name{"a", "b"} {
		if _, err := ruleset.Create(t.Context(), s, ruleset.Draft{Name: name, Markdown: "one"}); err != nil {
			t.Fatal(err)
		}
	}
	two := "two"
	ops := []ruleset.Operation{
		{Name: "a", Update: &ruleset.Patch{Markdown: &two}},
		{Name: "b", Delete: &ruleset.Removal{}},
		{Name: "c", Create: &ruleset.Draft{Name: "c", Markdown: "one"}},
	}
	docs := map[ruleset.Name]document{}
	batch, err := ruleset.Stage(ops, time.Now(), func(name ruleset.Name, labels bool) (ruleset.State, error) {
		d, state, err := s.stateOf(name, labels)
		docs[name] = d
		return state, err
	})
	if err != nil {
		t.Fatal(err)
	}
	j := &journal{}
	steps := []func() error{
		func() error { return s.stage(j, batch.Effects, docs, ruleset.ApplyOptions{}) },
		func() error { return s.batches.write(j) },
		func() error { return s.history.appendAll(batch.Effects) },
	}
	if made {
		steps = append(steps, func() error { return os.Rename(s.folder.inDir(undoName), s.folder.inDir(redoName)) })
	}
	for _, step := range steps {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
}

// state returns the text and the number of revisions of each ruleset.
func state(t *testing.T, s *Store) map[string]int {
	t.Helper()
	all := map[string]int{}
	for _, name := range []ruleset.Name{"a", "b", "c"} {
		r, err := s.Get(t.Context(), name)
		text := string(name) + " " + r.Markdown
		if err != nil {
			text = string(name) + " is missing"
		}
		history, _ := s.History(t.Context(), name) // none is none
		all[text] = len(history)
	}
	return all
}

func TestBatchAfterACrash(t *testing.T) {
	for _, test := range []struct {
		name string
		made bool
		edit string // what a person writes into a.md before the batch is finished
		want map[string]int
	}{
		{"undone", false, "", map[string]int{"a one": 1, "b one": 1, "c is missing": 0}},
		{"made", true, "", map[string]int{"a two": 2, "b is missing": 2, "c one": 1}},
		{"undone under an edit", false, "mine", map[string]int{"a mine": 2, "b one": 1, "c is missing": 0}},
		{"made under an edit", true, "mine", map[string]int{"a mine": 3, "b is missing": 2, "c one": 1}},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			crash(t, dir, test.made)
			if test.edit != "" {
				if err := os.WriteFile(filepath.Join(dir, "a.md"), []byte("---\n---\n"+test.edit), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(test.want, state(t, openAt(dir))); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			left, err := filepath.Glob(filepath.Join(dir, ".[bn]*"))
			if err != nil || len(left) > 0 {
				t.Errorf("left are %q, %v", left, err)
			}
		})
	}
}

// A watch finishes what a process leaves that is killed beside it.
func TestWatchFinishesABatch(t *testing.T) {
	dir := t.TempDir()
	s := openAt(dir)
	s.finishFirst(t.Context()) // there is nothing yet
	crash(t, dir, true)
	w := newWatch(s, s.watched.feeds.join(), func(ruleset.Change) {})
	w.begin()
	defer s.watched.index.leave()
	w.finish(t.Context())
	if diff := cmp.Diff(map[string]int{"a two": 2, "b is missing": 2, "c one": 1}, state(t, s)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// A journal that names files outside the store, as one from a stranger may, is refused,
// and reading goes on.
func TestJournalOfAStranger(t *testing.T) {
	for _, test := range []struct{ name, file, text string }{
		{"cuts", undoName, `{"ends":[{"file":"../../outside/x.jsonl","end":0}]}`},
		{"cuts a rest", undoName, `{"ends":[{"file":"a.jsonl","end":-1}]}`},
		{"cuts through a link", undoName, `{"ends":[{"file":"link.jsonl","end":0}]}`},
		{"cuts another file", undoName, `{"ends":[{"file":"a.md","end":0}]}`},
		{"removes", undoName, `{"files":[{"name":"a","temp":"../outside/x.jsonl"}]}`},
		{"removes a ruleset", undoName, `{"files":[{"name":"a","temp":"a.md"}]}`},
		{"removes behind a prefix", undoName, `{"files":[{"name":"a","temp":".new-1/../../outside/x.jsonl"}]}`},
		{"moves from", redoName, `{"files":[{"name":"b","temp":"../outside/x.jsonl"}]}`},
		{"moves to", redoName, `{"files":[{"name":"../outside/y","temp":".new-1"}]}`},
		{"announces", redoName, `{"moves":[{"name":"a\nb","label":"x"}]}`},
		{"is no JSON", redoName, `{`},
	} {
		t.Run(test.name, func(t *testing.T) {
			top := t.TempDir()
			dir, victim := filepath.Join(top, "store"), filepath.Join(top, "outside", "x.jsonl")
			made, err := ruleset.Create(t.Context(), openAt(dir), ruleset.Draft{Name: "a", Markdown: "one"})
			if err != nil {
				t.Fatal(err)
			}
			for _, err := range []error{
				os.Mkdir(filepath.Dir(victim), 0o755), os.WriteFile(victim, []byte("precious"), 0o644),
				os.Symlink(victim, filepath.Join(dir, historyDir, "link.jsonl")),
				os.WriteFile(filepath.Join(dir, ".new-1"), []byte("evil"), 0o644),
				os.WriteFile(filepath.Join(dir, test.file), []byte(test.text), 0o644),
			} {
				if err != nil {
					t.Fatal(err)
				}
			}
			s := openAt(dir)
			if got, err := s.Get(t.Context(), "a"); err != nil || !cmp.Equal(got, made) {
				t.Errorf("Get: %v, %v; want %v", got, err, made)
			}
			_, err = ruleset.Create(t.Context(), s, ruleset.Draft{Name: "c"})
			if err == nil || !strings.Contains(err.Error(), "the journal "+test.file+" is refused") || !strings.Contains(err.Error(), "remove the file "+test.file) {
				t.Errorf("Create: %v, want that the journal is refused", err)
			}
			if data, err := os.ReadFile(victim); err != nil || string(data) != "precious" {
				t.Errorf("the file outside is %q, %v", data, err)
			}
			if _, err := os.Lstat(filepath.Join(top, "outside", "y.md")); err == nil {
				t.Error("a file outside was made")
			}
			if err := os.Remove(filepath.Join(dir, test.file)); err != nil {
				t.Fatal(err)
			}
			if _, err := ruleset.Create(t.Context(), s, ruleset.Draft{Name: "c"}); err != nil {
				t.Errorf("without the journal: %v", err)
			}
		})
	}
}

// While a batch cannot be undone nothing is changed: a revision behind what must be cut
// off would be lost later. Reading goes on.
func TestBatchThatCannotBeUndone(t *testing.T) {
	dir := t.TempDir()
	crash(t, dir, false)
	s := openAt(dir)
	blocked, aside := s.history.path("b"), filepath.Join(dir, "aside")
	if err := errors.Join(os.Rename(blocked, aside), os.Mkdir(blocked, 0o755)); err != nil { // cannot be cut
		t.Fatal(err)
	}
	three := "three"
	if _, err := s.Get(t.Context(), "a"); err != nil {
		t.Errorf("Get: %v", err)
	}
	_, update := ruleset.Update(t.Context(), s, "a", ruleset.Patch{Markdown: &three})
	_, apply := s.Apply(t.Context(), []ruleset.Operation{{Name: "a", Update: &ruleset.Patch{Markdown: &three}}}, ruleset.ApplyOptions{})
	if update == nil || apply == nil || !s.batches.unfinished() {
		t.Errorf("Update: %v, Apply: %v, unfinished: %t; want errors until the batch is undone", update, apply, s.batches.unfinished())
	}
	if err := errors.Join(os.Remove(blocked), os.Rename(aside, blocked)); err != nil {
		t.Fatal(err)
	}
	if _, err := ruleset.Update(t.Context(), s, "a", ruleset.Patch{Markdown: &three}); err != nil {
		t.Errorf("Update: %v", err)
	}
	if diff := cmp.Diff(map[string]int{"a three": 2, "b one": 1, "c is missing": 0}, state(t, s)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// What a person writes into a file after a batch has read it is not overwritten.
func TestEditWhileABatchIsStaged(t *testing.T) {
	dir := t.TempDir()
	s := openAt(dir)
	if _, err := ruleset.Create(t.Context(), s, ruleset.Draft{Name: "a", Markdown: "one"}); err != nil {
		t.Fatal(err)
	}
	two, docs := "two", map[ruleset.Name]document{}
	batch, err := ruleset.Stage([]ruleset.Operation{{Name: "a", Update: &ruleset.Patch{Markdown: &two}}}, time.Now(), func(name ruleset.Name, labels bool) (ruleset.State, error) {
		d, state, err := s.stateOf(name, labels)
		docs[name] = d
		return state, err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.folder.path("a"), []byte("---\n---\nmine"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := s.commit(batch.Effects, docs, ruleset.ApplyOptions{}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]int{"a mine": 3, "b is missing": 0, "c is missing": 0}, state(t, s)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
