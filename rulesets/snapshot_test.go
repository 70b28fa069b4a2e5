package rulesets

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// One resource has all rulesets, at a label too, and the same bytes until one changes.
func TestSnapshot(t *testing.T) {
	h := withLabelRules(t)
	h.handler = bindLocal(t, h)
	for _, name := range []string{"b", "a"} {
		h.expect("create_ruleset", `{"name":"`+name+`","description":"d","markdown":"one"}`, "Successfully created ruleset '"+name+"'", false)
	}
	h.expect("label_ruleset", `{"name":"a","label":"staging"}`, "The label 'staging' of ruleset 'a' is at revision 1", false)
	h.expect("update_ruleset", `{"name":"a","markdown":"two"}`, "Successfully updated ruleset 'a'", false)
	for uri, want := range map[string]map[string]string{
		"ruleset://*":         {"a": "two", "b": "one"},
		"ruleset://*@staging": {"a": "one", "b": "-"},
		"ruleset://*@nope":    {"a": "-", "b": "-"},
	} {
		answer := h.ask("resources/read", `{"uri":"`+uri+`"}`)
		var got struct {
			Result struct{ Contents []struct{ Text string } }
		}
		var all snapshot
		if err := json.Unmarshal([]byte(answer), &got); err != nil || len(got.Result.Contents) != 1 || json.Unmarshal([]byte(got.Result.Contents[0].Text), &all) != nil {
			t.Fatalf("%s: %s", uri, answer)
		}
		texts := map[string]string{}
		for _, r := range all.Rulesets {
			texts[r.Name] = r.Markdown
		}
		for _, name := range all.Unlabelled {
			texts[string(name)] = "-"
		}
		if diff := cmp.Diff(want, texts); diff != "" {
			t.Errorf("%s, -want +got:\n%s", uri, diff)
		}
		if again := h.ask("resources/read", `{"uri":"`+uri+`"}`); again != answer {
			t.Errorf("%s differs when it is read again", uri)
		}
	}
	for _, uri := range []string{"ruleset://*a", "ruleset://*@", "ruleset://*@No"} {
		if got := h.ask("resources/read", `{"uri":"`+uri+`"}`); !strings.Contains(got, `"error"`) {
			t.Errorf("%s: %s", uri, got)
		}
	}
}
