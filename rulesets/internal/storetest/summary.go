package storetest

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// Lists and searches tell what follows from the text and the front matter, also after
// an update.
func summaries(t *testing.T, s ruleset.Store, _ *Clock, again func() ruleset.Store) {
	create(t, s, ruleset.Draft{Name: "a", Markdown: "one", Extra: "prompt: true\n"})
	create(t, s, ruleset.Draft{Name: "b", Markdown: "é", Extra: "arguments: [file]\nglobs: '*.go'\n"})
	create(t, s, ruleset.Draft{Name: "c", Extra: "prompt: false\nactivation: manual\n"})
	want := map[ruleset.Name]ruleset.Summary{
		"a": {Bytes: 3, Prompt: true, Activation: "always"},
		"b": {Bytes: 2, Prompt: true, Activation: "glob"},
		"c": {Activation: "manual"},
	}
	check := func(what string, s ruleset.Store) {
		t.Helper()
		all, _, err := s.List(t.Context(), ruleset.Page{})
		found, searchErr := ruleset.Search(t.Context(), s, "?")
		if err != nil || searchErr != nil {
			t.Fatalf("%s: %v, %v", what, err, searchErr)
		}
		for _, metas := range [][]ruleset.Meta{all, found} {
			got := map[ruleset.Name]ruleset.Summary{}
			for _, m := range metas {
				got[m.Name] = m.Summary
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", what, diff)
			}
		}
	}
	check("created", s)
	text, none := "longer", ""
	if _, err := ruleset.Update(t.Context(), s, "a", ruleset.Patch{Markdown: &text, Extra: &none}); err != nil {
		t.Fatal(err)
	}
	want["a"] = ruleset.Summary{Bytes: 6, Activation: "always"}
	check("updated", s)
	check("read by another handle", again())
}
