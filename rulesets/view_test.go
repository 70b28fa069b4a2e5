package rulesets

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// boundTo opens the family for a key and a server with labels.
func boundTo(t *testing.T, h *house, key string, server ruleset.Label, fallback bool) *house {
	t.Helper()
	tools := newTools(h.store, LabelRules{}, Scan{}, slog.New(slog.DiscardHandler))
	tools.bound, tools.fallback = server, fallback
	s, err := mcp.New(mcp.Config{Name: "test", Version: "1"}, tools.table())
	if err != nil {
		t.Fatal(err)
	}
	other := *h
	other.handler = s.Bind(host.Caller{Principal: host.Principal{ID: "key1", Label: key}, Connection: true}, nil)
	return &other
}

// A server or a key that is bound to a label serves what the label is at, and the rest
// only when told to.
func TestBoundToALabel(t *testing.T) {
	h := open(t)
	h.expect("apply_rulesets", `{"operations":[
		{"op":"create","name":"a","description":"old","markdown":"one","tags":["x"]},{"op":"label","name":"a","label":"production"},
		{"op":"update","name":"a","description":"new","markdown":"two","tags":["y"]},{"op":"label","name":"a","label":"staging"},
		{"op":"create","name":"b","description":"other","markdown":"three"}]}`,
		"Applied 5 operation(s):\n\n- a: created, revision 1\n- a: production is at revision 1\n- a: updated, revision 2\n- a: staging is at revision 2\n- b: created, revision 1\n", false)
	page := func(name, description, tags, text string) string {
		return "---\nname: " + name + "\ndescription: " + description + "\ntags: [" + tags + "]\ncreated_at: 2025-10-29 10:30:00\nlast_modified: 2025-10-29 10:30:00\n---\n\n" + text
	}
	entry := func(name, description, tags string) string {
		return "- **" + name + "**: " + description + "\n  Tags: [" + tags + "]\n  Created: 2025-10-29 10:30:00, Modified: 2025-10-29 10:30:00\n\n"
	}
	for name, test := range map[string]struct {
		key      string
		server   ruleset.Label
		fallback bool
		text     string // of a
		list     string
		hasB     bool
	}{
		"server":              {"", "production", false, page("a", "old", "x", "one"), entry("a", "old", "x"), false},
		"key":                 {"production", "", false, page("a", "old", "x", "one"), entry("a", "old", "x"), false},
		"key before server":   {"staging", "production", false, page("a", "new", "y", "two"), entry("a", "new", "y"), false},
		"server and the rest": {"", "production", true, page("a", "old", "x", "one"), entry("a", "old", "x") + entry("b", "other", ""), true},
		"neither":             {"", "", false, page("a", "new", "y", "two"), entry("a", "new", "y") + entry("b", "other", ""), true},
	} {
		t.Run(name, func(t *testing.T) {
			h := boundTo(t, h, test.key, test.server, test.fallback)
			h.expect("get_ruleset", `{"name":"a"}`, test.text, false)
			h.expect("get_ruleset", `{"name":"a","rev":2}`, page("a", "new", "y", "two"), false)
			number := "1"
			if test.hasB {
				number = "2"
			} else {
				h.expect("get_ruleset", `{"name":"b"}`, "failed to retrieve ruleset: ruleset 'b' not found", true)
			}
			h.expect("list_rulesets", `{}`, "Found "+number+" ruleset(s):\n\n"+test.list, false)
			h.expect("search_rulesets", `{"pattern":"*"}`, "Found "+number+" ruleset(s) matching '*':\n\n"+test.list, false)
			if got, _ := h.call("find_rulesets", `{"text":"three"}`); strings.Contains(got, "**b**") != test.hasB {
				t.Errorf("found: %s", got)
			}
			if got, _ := h.call("find_rulesets", `{"text":"two"}`); strings.Contains(got, "**a**") != strings.Contains(test.text, "two") {
				t.Errorf("found: %s", got)
			}
			if got := h.ask("resources/list", `{}`); strings.Contains(got, "ruleset://b") != test.hasB {
				t.Errorf("resources: %s", got)
			}
			if got := h.ask("resources/read", `{"uri":"ruleset://b"}`); strings.Contains(got, "three") != test.hasB {
				t.Errorf("b reads as %s", got)
			}
		})
	}
}

// A client that is bound to a label does not overwrite what it has not seen.
func TestBoundClientConflicts(t *testing.T) {
	h := open(t)
	h.expect("create_ruleset", `{"name":"a","description":"d","markdown":"one"}`, "Successfully created ruleset 'a'", false)
	h.expect("label_ruleset", `{"name":"a","label":"production"}`, "The label 'production' of ruleset 'a' is at revision 1", false)
	h.expect("update_ruleset", `{"name":"a","markdown":"two"}`, "Successfully updated ruleset 'a'", false)
	h = boundTo(t, h, "production", "", false)
	if text, failed := h.call("update_ruleset", `{"name":"a","markdown":"three","if_rev":1}`); !failed || !strings.Contains(text, "is at revision 2, not 1") {
		t.Errorf("got %s", text)
	}
}
