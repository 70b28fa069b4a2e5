package storetest

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

func newest(label ruleset.Label) *ruleset.LabelMove {
	return &ruleset.LabelMove{Label: label, Newest: true, By: ruleset.By{Author: "ann"}}
}

// applied applies a batch that must succeed.
func applied(t *testing.T, s ruleset.Store, ops []ruleset.Operation, o ruleset.ApplyOptions) []ruleset.Outcome {
	t.Helper()
	outcomes, err := s.Apply(t.Context(), ops, o)
	if err != nil {
		t.Fatalf("Apply: %v", err)
	}
	return outcomes
}

// batch changes four rulesets at once, after a dry run that says the same.
func batch(t *testing.T, s ruleset.Store, clock *Clock, again func() ruleset.Store) {
	for _, name := range []ruleset.Name{"changed", "gone", "same"} {
		create(t, s, ruleset.Draft{Name: name, Description: "d", Tags: []string{"x"}, Markdown: "one", Extra: "globs: a\n"})
	}
	later := start.Add(time.Hour)
	clock.Set(later)
	ann, two, one, none := ruleset.By{Author: "ann", Client: "editor", Message: "all"}, "two é <\n", "one", ""
	ops := []ruleset.Operation{
		{Name: "fresh", Create: &ruleset.Draft{Name: "fresh", Description: "new", Tags: []string{"y"}, Markdown: "text", Extra: "globs: b\n", By: ann}},
		{Name: "changed", Update: &ruleset.Patch{Markdown: &two, Extra: &none, By: ann, IfRev: 1}},
		{Name: "fresh", Move: newest("production")},
		{Name: "gone", Delete: &ruleset.Removal{By: ann, IfRev: 1}},
		{Name: "same", Update: &ruleset.Patch{Markdown: &one, By: ann}},
		{Name: "changed", Move: &ruleset.LabelMove{Label: "production", To: 1}},
	}
	type effect struct {
		Name ruleset.Name
		Kind ruleset.ChangeKind
		Rev  int
	}
	want := []effect{
		{"fresh", ruleset.Created, 1}, {"changed", ruleset.Updated, 2}, {"fresh", ruleset.Labelled, 1},
		{"gone", ruleset.Deleted, 2}, {"same", 0, 1}, {"changed", ruleset.Labelled, 2},
	}
	for _, dry := range []bool{true, false} {
		var got []effect
		for _, o := range applied(t, again(), ops, ruleset.ApplyOptions{DryRun: dry}) {
			got = append(got, effect{o.Name, o.Kind, o.Rev})
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("dry run %t (-want +got):\n%s", dry, diff)
		}
		if _, err := s.Get(t.Context(), "fresh"); (err == nil) == dry {
			t.Errorf("after a dry run %t: %v", dry, err)
		}
	}
	checkBatch(t, s, later, ann, two)
}

// checkBatch compares the store with what the batch must leave.
func checkBatch(t *testing.T, s ruleset.Store, later time.Time, ann ruleset.By, text string) {
	t.Helper()
	all := map[ruleset.Name]ruleset.Ruleset{}
	metas, _, err := s.List(t.Context(), ruleset.Page{})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range metas {
		all[m.Name] = get(t, s, m.Name)
	}
	meta := func(name ruleset.Name, description, tag string, created, modified time.Time) ruleset.Meta {
		return ruleset.Meta{Name: name, Description: description, Tags: []string{tag}, CreatedAt: created, LastModified: modified}
	}
	want := map[ruleset.Name]ruleset.Ruleset{
		"fresh":   {Meta: meta("fresh", "new", "y", later, later), Markdown: "text", Extra: "globs: b\n", Rev: 1},
		"changed": {Meta: meta("changed", "d", "x", start, later), Markdown: text, Rev: 2},
		"same":    {Meta: meta("same", "d", "x", start, start), Markdown: "one", Extra: "globs: a\n", Rev: 1},
	}
	if diff := cmp.Diff(want, all); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}
	last := ruleset.Revision{Number: 2, At: later, By: ann, Deleted: true, Content: ruleset.Ruleset{Meta: ruleset.Meta{Name: "gone", Tags: []string{}}}}
	if diff := cmp.Diff(last, revisions(t, s, "gone")[1]); diff != "" {
		t.Errorf("the deletion (-want +got):\n%s", diff)
	}
	for name, rev := range map[ruleset.Name]int{"fresh": 1, "changed": 1} {
		moves, err := s.LabelMoves(t.Context(), name)
		if err != nil || ruleset.Labels(moves)["production"] != rev || len(moves) != 1 || !moves[0].At.Equal(later) {
			t.Errorf("labels of %s: %+v, %v", name, moves, err)
		}
	}
}

// batchFails has each of the operations of a batch fail in turn: nothing is done.
func batchFails(t *testing.T, s ruleset.Store, _ *Clock, again func() ruleset.Store) {
	create(t, s, ruleset.Draft{Name: "a", Markdown: "one"})
	create(t, s, ruleset.Draft{Name: "b", Markdown: "one"})
	two, bad := "two", "\xff"
	good := []ruleset.Operation{
		{Name: "a", Update: &ruleset.Patch{Markdown: &two}},
		{Name: "c", Create: &ruleset.Draft{Name: "c", Markdown: "new"}},
		{Name: "b", Delete: &ruleset.Removal{}},
		{Name: "a", Move: newest("production")},
	}
	for what, op := range map[string]ruleset.Operation{
		"taken":       {Name: "a", Create: &ruleset.Draft{Name: "a"}},
		"missing":     {Name: "nobody", Update: &ruleset.Patch{Markdown: &two}},
		"gone":        {Name: "nobody", Delete: &ruleset.Removal{}},
		"conflict":    {Name: "a", Update: &ruleset.Patch{Description: &two, IfRev: 7}},
		"no revision": {Name: "a", Move: &ruleset.LabelMove{Label: "production", To: 9}},
		"not UTF-8":   {Name: "d", Create: &ruleset.Draft{Name: "d", Markdown: bad}},
	} {
		for at := range len(good) + 1 {
			ops := append(append(append([]ruleset.Operation{}, good[:at]...), op), good[at:]...)
			_, err := again().Apply(t.Context(), ops, ruleset.ApplyOptions{})
			if failed, ok := errors.AsType[*ruleset.OperationError](err); !ok || failed.Index != at {
				t.Errorf("%s at %d: %v", what, at, err)
			}
		}
	}
	for _, name := range []ruleset.Name{"a", "b"} {
		if r := get(t, s, name); r.Markdown != "one" || r.Rev != 1 || len(revisions(t, s, name)) != 1 {
			t.Errorf("%s became %+v", name, r)
		}
	}
	if _, err := s.Get(t.Context(), "c"); err == nil {
		t.Error("c was created")
	}
	if moves, err := s.LabelMoves(t.Context(), "a"); err != nil || len(moves) != 0 {
		t.Errorf("labels moved: %v, %v", moves, err)
	}
}

// batchesAreWonOnce has writers change three rulesets at once from the revision that
// they read of one: the three always have the same text.
func batchesAreWonOnce(t *testing.T, s ruleset.Store, _ *Clock, again func() ruleset.Store) {
	const n, steps = 5, 6
	names := []ruleset.Name{"a", "b", "c"}
	for _, name := range names {
		create(t, s, ruleset.Draft{Name: name})
	}
	writers(t, n, steps, again, "a", func(s ruleset.Store, base ruleset.Ruleset, text string) (ruleset.Ruleset, error) {
		var ops []ruleset.Operation
		for _, name := range names {
			ops = append(ops, ruleset.Operation{Name: name, Update: &ruleset.Patch{Markdown: &text, IfRev: base.Rev}})
		}
		_, err := s.Apply(t.Context(), ops, ruleset.ApplyOptions{})
		return base, err
	})
	first := get(t, s, "a")
	for _, name := range names {
		if r := get(t, s, name); r.Rev != 1+n*steps || r.Markdown != first.Markdown || len(revisions(t, s, name)) != r.Rev {
			t.Errorf("%s is at %d with %q, a has %q", name, r.Rev, r.Markdown, first.Markdown)
		}
	}
}

// movesAreHeard has a watch hear of labels that another handle moves.
func movesAreHeard(t *testing.T, s ruleset.Store, _ *Clock, again func() ruleset.Store) {
	create(t, s, ruleset.Draft{Name: "a"})
	other := again()
	heard, end := watch(t, s)
	defer end()
	if _, err := ruleset.MoveLabel(t.Context(), other, "a", *newest("production")); err != nil {
		t.Fatal(err)
	}
	got := next(t, heard)
	for got.Kind != ruleset.Labelled {
		got = next(t, heard)
	}
	if want := (ruleset.Change{Kind: ruleset.Labelled, Name: "a", Label: "production"}); got != want {
		t.Errorf("heard %+v, want %+v", got, want)
	}
}

// batchOverSlots has a cluster refuse a batch over two rulesets, apply one over a single
// ruleset, and both rulesets one by one.
func batchOverSlots(t *testing.T, s ruleset.Store, _ *Clock, _ func() ruleset.Store) {
	create(t, s, ruleset.Draft{Name: "a"})
	two := "two"
	ops := []ruleset.Operation{
		{Name: "a", Update: &ruleset.Patch{Markdown: &two}},
		{Name: "b", Create: &ruleset.Draft{Name: "b", Markdown: two}},
		{Name: "nobody", Delete: &ruleset.Removal{}},
		{Name: "a", Move: newest("production")},
	}
	_, err := s.Apply(t.Context(), ops, ruleset.ApplyOptions{})
	if _, ok := errors.AsType[*ruleset.SlotsError](err); !ok {
		t.Errorf("over slots: %v", err)
	}
	if r := get(t, s, "a"); r.Rev != 1 {
		t.Errorf("a is at revision %d after a refusal", r.Rev)
	}
	outcomes, err := ruleset.ApplyEach(ops, ruleset.ApplyOptions{}, func(own []ruleset.Operation, o ruleset.ApplyOptions) ([]ruleset.Outcome, error) {
		return s.Apply(t.Context(), own, o)
	})
	failed, ok := errors.AsType[*ruleset.OperationError](err)
	if !ok || failed.Index != 2 || outcomes[0].Rev != 2 || outcomes[1].Kind != ruleset.Created || outcomes[3].Move.To != 2 {
		t.Errorf("one by one: %+v, %v", outcomes, err)
	}
	for _, name := range []ruleset.Name{"a", "b"} {
		if r := get(t, s, name); r.Markdown != two {
			t.Errorf("%s has %q", name, r.Markdown)
		}
	}
	if metas, _, err := s.List(t.Context(), ruleset.Page{}); err != nil || len(metas) != 2 {
		t.Errorf("listed %v, %v", metas, err)
	}
}
