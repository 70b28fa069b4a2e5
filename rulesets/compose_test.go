package rulesets

import (
	"testing"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// A ruleset is read with its includes by those who ask for that, else as it is.
func TestGetComposed(t *testing.T) {
	h := open(t)
	for _, d := range []ruleset.Draft{
		{Name: "base", Markdown: "Base."}, {Name: "go", Markdown: "Go.", Extra: "include: [base]\n"},
		{Name: "broken", Markdown: "x", Extra: "include: [missing]\n"},
	} {
		if _, err := ruleset.Create(t.Context(), h.store, d); err != nil {
			t.Fatal(err)
		}
	}
	front := "---\nname: go\ndescription: \ntags: []\ncreated_at: 2025-10-29 10:30:00\nlast_modified: 2025-10-29 10:30:00\n---\n\n"
	h.expect("get_ruleset", `{"name":"go"}`, front+"Go.", false)
	h.expect("get_ruleset", `{"name":"go","composed":true}`, front+"Base.\n\nGo.\n", false)
	h.expect("get_ruleset", `{"name":"broken","composed":true}`, "failed to retrieve ruleset: broken includes missing: ruleset 'missing' not found", true)
}
