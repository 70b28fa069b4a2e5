package storetest

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// revisions returns the history of a ruleset, oldest first.
func revisions(t *testing.T, s ruleset.Store, name ruleset.Name) []ruleset.Revision {
	t.Helper()
	all, err := s.History(t.Context(), name)
	if err != nil {
		t.Fatalf("History(%s): %v", name, err)
	}
	for i, r := range all { // newest first, without gaps
		if r.Number != len(all)-i {
			t.Errorf("revision %d stands at place %d of %d", r.Number, i, len(all))
		}
	}
	oldestFirst := make([]ruleset.Revision, len(all))
	for i, r := range all {
		oldestFirst[len(all)-1-i] = r
	}
	return oldestFirst
}

func update(t *testing.T, s ruleset.Store, name ruleset.Name, p ruleset.Patch) ruleset.Ruleset {
	t.Helper()
	r, err := ruleset.Update(t.Context(), s, name, p)
	if err != nil {
		t.Fatalf("Update(%s): %v", name, err)
	}
	return r
}

// history follows a ruleset from its creation to its deletion, through two handles.
func history(t *testing.T, s ruleset.Store, clock *Clock, again func() ruleset.Store) {
	ann, bob := ruleset.By{Author: "ann", Client: "editor", Message: "first"}, ruleset.By{Author: "bob"}
	create(t, s, ruleset.Draft{Name: "a", Description: "d", Tags: []string{"x"}, Markdown: "one", Extra: "globs: a\n", By: ann})
	later := start.Add(time.Hour)
	clock.Set(later)
	text := "two \u00e9 <\n"
	if r := update(t, again(), "a", ruleset.Patch{Markdown: &text, By: bob}); r.Rev != 2 {
		t.Errorf("the update is revision %d", r.Rev)
	}
	if r := get(t, s, "a"); r.Rev != 2 {
		t.Errorf("read at revision %d", r.Rev)
	}
	if err := ruleset.Delete(t.Context(), s, "a", ruleset.Removal{By: ann, IfRev: 2}); err != nil {
		t.Fatal(err)
	}
	meta := ruleset.Meta{Name: "a", Description: "d", Tags: []string{"x"}}
	want := []ruleset.Revision{
		{Number: 1, At: start, By: ann, Content: ruleset.Ruleset{Meta: meta, Markdown: "one", Extra: "globs: a\n"}},
		{Number: 2, At: later, By: bob, Content: ruleset.Ruleset{Meta: meta, Markdown: text, Extra: "globs: a\n"}},
		{Number: 3, At: later, By: ann, Deleted: true, Content: ruleset.Ruleset{Meta: ruleset.Meta{Name: "a", Tags: []string{}}}},
	}
	if diff := cmp.Diff(want, revisions(t, again(), "a")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if r := create(t, s, ruleset.Draft{Name: "a"}); r.Rev != 4 {
		t.Errorf("created again at revision %d", r.Rev)
	}
	if _, err := s.History(t.Context(), "nobody"); err == nil {
		t.Error("nobody has a history")
	} else if _, ok := errors.AsType[*ruleset.NotFoundError](err); !ok {
		t.Errorf("history of nobody: %v", err)
	}
}

func unchangedSave(t *testing.T, s ruleset.Store, clock *Clock, _ func() ruleset.Store) {
	create(t, s, ruleset.Draft{Name: "a", Description: "d", Tags: []string{"x"}, Markdown: "one"})
	clock.Set(start.Add(time.Hour))
	text, tags := "one", []string{"x"}
	if r := update(t, s, "a", ruleset.Patch{Markdown: &text, Tags: &tags}); r.Rev != 1 || !r.LastModified.Equal(start.Add(time.Hour)) {
		t.Errorf("revision %d, changed %v", r.Rev, r.LastModified)
	}
	if all := revisions(t, s, "a"); len(all) != 1 {
		t.Errorf("there are %d revisions", len(all))
	}
}

func restores(t *testing.T, s ruleset.Store, _ *Clock, _ func() ruleset.Store) {
	create(t, s, ruleset.Draft{Name: "a", Description: "d", Tags: []string{"x"}, Markdown: "one", Extra: "globs: a\n"})
	text, none, description := "two", "", "e"
	update(t, s, "a", ruleset.Patch{Markdown: &text, Extra: &none, Tags: &[]string{}, Description: &description})
	first := revisions(t, s, "a")[0]
	r := update(t, s, "a", first.Patch(ruleset.By{Author: "ann"}))
	if r.Rev != 3 || r.Markdown != "one" || r.Description != "d" || r.Extra != "globs: a\n" || !cmp.Equal(r.Tags, []string{"x"}) {
		t.Errorf("restored %+v", r)
	}
	if last := revisions(t, s, "a")[2]; last.By.Restores != 1 || last.By.Author != "ann" {
		t.Errorf("the last revision is by %+v", last.By)
	}
}

func undeletes(t *testing.T, s ruleset.Store, _ *Clock, _ func() ruleset.Store) {
	create(t, s, ruleset.Draft{Name: "a", Markdown: "one"})
	if err := ruleset.Delete(t.Context(), s, "a", ruleset.Removal{}); err != nil {
		t.Fatal(err)
	}
	r := create(t, s, revisions(t, s, "a")[0].Draft(ruleset.By{}))
	if r.Rev != 3 || r.Markdown != "one" || revisions(t, s, "a")[2].By.Restores != 1 {
		t.Errorf("restored %+v", r)
	}
}

func revisionsConflict(t *testing.T, s ruleset.Store, _ *Clock, again func() ruleset.Store) {
	create(t, s, ruleset.Draft{Name: "a", Markdown: "one"})
	theirs, mine := "theirs", "mine"
	update(t, again(), "a", ruleset.Patch{Markdown: &theirs, IfRev: 1})
	_, updateErr := ruleset.Update(t.Context(), s, "a", ruleset.Patch{Markdown: &mine, IfRev: 1})
	for what, err := range map[string]error{"Update": updateErr, "Delete": ruleset.Delete(t.Context(), s, "a", ruleset.Removal{IfRev: 1})} {
		conflict, ok := errors.AsType[*ruleset.ConflictError](err)
		if !ok || conflict.Current.Rev != 2 || conflict.Current.Markdown != "theirs" {
			t.Errorf("%s: %v, want a conflict with revision 2", what, err)
		}
	}
	if r := get(t, s, "a"); r.Markdown != "theirs" || r.Rev != 2 {
		t.Errorf("left is %+v", r)
	}
	update(t, s, "a", ruleset.Patch{Markdown: &mine, IfRev: 2})
	if err := ruleset.Delete(t.Context(), s, "a", ruleset.Removal{IfRev: 3}); err != nil {
		t.Error(err)
	}
}

// revisionsAreWonOnce has writers add lines; each change names the revision that it was
// made from, so that all lines are in the last text and each revision has one winner.
func revisionsAreWonOnce(t *testing.T, s ruleset.Store, _ *Clock, again func() ruleset.Store) {
	const n, steps = 6, 8
	create(t, s, ruleset.Draft{Name: "a"})
	var mu sync.Mutex
	winners := map[int]int{}
	writers(t, n, steps, again, "a", func(s ruleset.Store, base ruleset.Ruleset, text string) (ruleset.Ruleset, error) {
		r, err := ruleset.Update(t.Context(), s, "a", ruleset.Patch{Markdown: &text, IfRev: base.Rev})
		if err == nil {
			mu.Lock()
			defer mu.Unlock()
			winners[r.Rev]++
		}
		return r, err
	})
	for rev := 2; rev <= 1+n*steps; rev++ {
		if winners[rev] != 1 {
			t.Errorf("revision %d was won %d times", rev, winners[rev])
		}
	}
	if all := revisions(t, s, "a"); len(all) != 1+n*steps {
		t.Errorf("there are %d revisions", len(all))
	}
}
