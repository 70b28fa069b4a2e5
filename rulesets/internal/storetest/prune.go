package storetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// aged makes a ruleset with five revisions, a day apart, and a label at the second.
func aged(t *testing.T, s ruleset.Store, clock *Clock) {
	t.Helper()
	create(t, s, ruleset.Draft{Name: "a", Markdown: "1"})
	for i := 2; i <= 5; i++ {
		clock.Set(start.Add(time.Duration(i-1) * 24 * time.Hour))
		text := fmt.Sprint(i)
		update(t, s, "a", ruleset.Patch{Markdown: &text})
	}
	if _, err := ruleset.MoveLabel(t.Context(), s, "a", ruleset.LabelMove{Label: "production", To: 2}); err != nil {
		t.Fatal(err)
	}
}

// numbers returns the numbers of the revisions of a ruleset, oldest first.
func numbers(t *testing.T, s ruleset.Store, name ruleset.Name) (all []int) {
	t.Helper()
	history, err := s.History(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range history {
		all = append([]int{r.Number}, all...)
	}
	return all
}

// prunes removes revisions by number, by age and by both, but never a labelled one.
func prunes(t *testing.T, s ruleset.Store, clock *Clock, again func() ruleset.Store) {
	aged(t, s, clock)
	clock.Set(start.Add(4 * 24 * time.Hour))
	for _, test := range []struct {
		name string
		keep ruleset.Retention
		dry  bool
		want []int
	}{
		{"all", ruleset.Retention{}, false, []int{1, 2, 3, 4, 5}},
		{"a dry run", ruleset.Retention{Revisions: 1}, true, []int{1, 2, 3, 4, 5}},
		{"either limit", ruleset.Retention{Revisions: 1, Age: 73 * time.Hour}, false, []int{2, 3, 4, 5}},
		{"by age", ruleset.Retention{Age: 25 * time.Hour}, false, []int{2, 4, 5}},
		{"by number", ruleset.Retention{Revisions: 1}, false, []int{2, 5}},
	} {
		before := len(numbers(t, s, "a"))
		pruned, err := ruleset.Prune(t.Context(), again(), test.keep, test.dry)
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		if diff := cmp.Diff(test.want, numbers(t, s, "a")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
		gone := before - len(test.want)
		if test.dry {
			gone = 3 // all but the newest and the labelled one
		}
		if pruned.Revisions != gone || (pruned.Bytes > 0) != (gone > 0) {
			t.Errorf("%s: pruned %+v, want %d revisions", test.name, pruned, gone)
		}
	}
	goesOn(t, s)
}

// goesOn changes a ruleset after its history was pruned.
func goesOn(t *testing.T, s ruleset.Store) {
	t.Helper()
	text := "6"
	if r := update(t, s, "a", ruleset.Patch{Markdown: &text, IfRev: 5}); r.Rev != 6 {
		t.Errorf("the next revision is %d", r.Rev)
	}
	if err := ruleset.Delete(t.Context(), s, "a", ruleset.Removal{}); err != nil {
		t.Fatal(err)
	}
	if _, err := ruleset.Prune(t.Context(), s, ruleset.Retention{Revisions: 1}, false); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int{2, 7}, numbers(t, s, "a")); diff != "" {
		t.Errorf("after a deletion (-want +got):\n%s", diff)
	}
	if r := create(t, s, ruleset.Draft{Name: "a"}); r.Rev != 8 {
		t.Errorf("created again at revision %d", r.Rev)
	}
	_, err := ruleset.MoveLabel(t.Context(), s, "a", ruleset.LabelMove{Label: "production", To: 3})
	if err == nil || err.Error() != "ruleset 'a' has no revision 3: its revisions are 2 to 8" {
		t.Errorf("a label at a pruned revision: %v", err)
	}
}
