package storetest

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// Reading many has the contents as getting each has them, but for the revision.
func reads(t *testing.T, s ruleset.Store, _ *Clock, again func() ruleset.Store) {
	var want []ruleset.Ruleset
	for _, d := range []ruleset.Draft{
		{Name: "a", Description: "A", Tags: []string{"x", "y"}, Markdown: "# A\n", Extra: "globs: ['*.go']\nmine: 1\n"},
		{Name: "b", Markdown: "b"}, {Name: "c"},
	} {
		r := create(t, s, d)
		r.Rev = 0
		want = append(want, r)
	}
	gather := func(names []ruleset.Name) []ruleset.Ruleset {
		var got []ruleset.Ruleset
		err := again().Read(t.Context(), names, func(r ruleset.Ruleset) error {
			got = append(got, r)
			return nil
		})
		if err != nil {
			t.Fatalf("Read(%v): %v", names, err)
		}
		slices.SortFunc(got, func(a, b ruleset.Ruleset) int { return strings.Compare(string(a.Name), string(b.Name)) })
		return got
	}
	if diff := cmp.Diff(want, gather(nil)); diff != "" {
		t.Errorf("all (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]ruleset.Ruleset{want[0], want[2]}, gather([]ruleset.Name{"c", "gone", "a"})); diff != "" {
		t.Errorf("some (-want +got):\n%s", diff)
	}
	if got := gather([]ruleset.Name{}); len(got) > 0 {
		t.Errorf("none has %v", got)
	}
	enough := errors.New("enough")
	if err := s.Read(t.Context(), nil, func(ruleset.Ruleset) error { return enough }); !errors.Is(err, enough) {
		t.Errorf("an error of the function became %v", err)
	}
}
