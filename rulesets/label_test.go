package rulesets

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/host"
)

// withLabelRules opens the family with protected and immutable labels.
func withLabelRules(t *testing.T, scopes ...mcp.Scope) *house {
	t.Helper()
	h := open(t)
	tools := newTools(h.store, LabelRules{protected: []string{"production"}, immutable: []string{"v*"}}, Scan{mode: "warn"}, slog.New(slog.DiscardHandler))
	server, err := mcp.New(mcp.Config{Name: "test", Version: "1"}, tools.table())
	if err != nil {
		t.Fatal(err)
	}
	h.handler = server.Bind(host.Caller{Principal: host.Principal{ID: "key1", Scopes: scopes}, Connection: true}, nil)
	return h
}

func TestLabels(t *testing.T) {
	h := withLabelRules(t, scopeRead, scopeWrite, scopeAdmin)
	h.expect("create_ruleset", `{"name":"a","description":"d","markdown":"one"}`, "Successfully created ruleset 'a'", false)
	h.expect("label_ruleset", `{"name":"a","label":"production"}`, "The label 'production' of ruleset 'a' is at revision 1", false)
	h.expect("update_ruleset", `{"name":"a","markdown":"two"}`, "Successfully updated ruleset 'a'", false)
	front := "---\nname: a\ndescription: d\ntags: []\ncreated_at: 2025-10-29 10:30:00\nlast_modified: 2025-10-29 10:30:00\n---\n\n"
	h.expect("get_ruleset", `{"name":"a","label":"production"}`, front+"one", false)
	h.expect("get_ruleset", `{"name":"a"}`, front+"two", false)
	h.expect("label_ruleset", `{"name":"a","label":"production","rev":2}`, "Moved the label 'production' of ruleset 'a' from revision 1 to 2", false)
	h.expect("get_ruleset", `{"name":"a","label":"production"}`, front+"two", false)
	h.expect("ruleset_history", `{"name":"a","limit":1}`, "'a' has 2 revision(s):\n\n- 2: 2025-10-29 10:30:00, key1, labels production\n… and 1 older\n", false)
	h.expect("label_ruleset", `{"name":"a","label":"v1.0","rev":1}`, "The label 'v1.0' of ruleset 'a' is at revision 1", false)
	for arguments, want := range map[string]string{
		`{"name":"a","label":"v1.0","rev":2}`:       "failed to label ruleset: the label 'v1.0' of ruleset 'a' stays at revision 1: it is immutable",
		`{"name":"a","label":"v1.0","remove":true}`: "failed to label ruleset: the label 'v1.0' of ruleset 'a' stays at revision 1: it is immutable",
		`{"name":"a","label":"x","remove":true}`:    "failed to label ruleset: ruleset 'a' has no label 'x'",
		`{"name":"a","label":"x","rev":9}`:          "failed to label ruleset: ruleset 'a' has no revision 9: its revisions are 1 to 2",
		`{"name":"a","label":"9"}`:                  "failed to label ruleset: invalid label '9': must begin with a letter and have only lowercase letters, digits and _ . -",
		`{"name":"b","label":"x"}`:                  "failed to label ruleset: ruleset 'b' not found",
	} {
		h.expect("label_ruleset", arguments, want, true)
	}
	h.expect("get_ruleset", `{"name":"a","label":"nope"}`, "failed to retrieve ruleset: ruleset 'a' has no label 'nope'", true)
	h.expect("get_ruleset", `{"name":"a","label":"x","rev":1}`, "failed to retrieve ruleset: give rev or label, not both", true)
	h.expect("label_ruleset", `{"name":"a","label":"production","remove":true}`, "Removed the label 'production' of ruleset 'a', which was at revision 2", false)
}

// A caller who reads a label has the revision checked that it is at, and no other ruleset.
func TestLintAtALabel(t *testing.T) {
	h := open(t)
	h.expect("create_ruleset", `{"name":"a","description":"d","markdown":"plain"}`, "Successfully created ruleset 'a'", false)
	h.expect("label_ruleset", `{"name":"a","label":"production"}`, "The label 'production' of ruleset 'a' is at revision 1", false)
	h.expect("update_ruleset", `{"name":"a","markdown":"hid\u200bden"}`, "Successfully updated ruleset 'a'", false)
	h.expect("create_ruleset", `{"name":"b","description":"d","markdown":"hid\u200bden"}`, "Successfully created ruleset 'b'", false)
	if got := h.ask("tools/call", `{"name":"lint_ruleset","arguments":{}}`); !strings.Contains(got, "2 finding(s) in 2 ruleset(s)") {
		t.Errorf("without a label: %s", got)
	}
	tools := newTools(h.store, LabelRules{}, Scan{mode: "warn"}, slog.New(slog.DiscardHandler))
	tools.bound = "production"
	server, err := mcp.New(mcp.Config{Name: "test", Version: "1"}, tools.table())
	if err != nil {
		t.Fatal(err)
	}
	h.handler = server.Bind(host.Caller{Principal: host.Local(), Connection: true}, nil)
	for _, arguments := range []string{`{}`, `{"name":"a"}`} {
		h.expect("lint_ruleset", arguments, "Nothing found in 1 ruleset(s)", false)
	}
	h.expect("lint_ruleset", `{"name":"b"}`, "failed to lint ruleset: ruleset 'b' not found", true)
}

// A key without the scope does not move a protected label.
func TestProtectedLabel(t *testing.T) {
	h := withLabelRules(t, scopeRead, scopeWrite)
	h.expect("create_ruleset", `{"name":"a","description":"d","markdown":"one"}`, "Successfully created ruleset 'a'", false)
	h.expect("label_ruleset", `{"name":"a","label":"production"}`, "failed to label ruleset: the label 'production' is protected: moving it takes the scope rulesets:admin", true)
	h.expect("label_ruleset", `{"name":"a","label":"staging"}`, "The label 'staging' of ruleset 'a' is at revision 1", false)
}

// The resource of a label is the revision that it is at.
func TestResourceOfALabel(t *testing.T) {
	h := withLabelRules(t)
	h.handler = bindLocal(t, h)
	h.expect("create_ruleset", `{"name":"a","description":"d","markdown":"one"}`, "Successfully created ruleset 'a'", false)
	h.expect("label_ruleset", `{"name":"a","label":"staging"}`, "The label 'staging' of ruleset 'a' is at revision 1", false)
	h.expect("update_ruleset", `{"name":"a","markdown":"two"}`, "Successfully updated ruleset 'a'", false)
	for uri, want := range map[string]string{"ruleset://a@staging": `\n\none"`, "ruleset://a": `\n\ntwo"`, "ruleset://a@nope": `"error"`, "ruleset://a@No": `"error"`} {
		if got := h.ask("resources/read", `{"uri":"`+uri+`"}`); !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", uri, got, want)
		}
	}
}

func bindLocal(t *testing.T, h *house) *mcp.Handler {
	t.Helper()
	server, err := mcp.New(mcp.Config{Name: "test", Version: "1"}, newTools(h.store, LabelRules{}, Scan{mode: "warn"}, slog.New(slog.DiscardHandler)).table())
	if err != nil {
		t.Fatal(err)
	}
	return server.Bind(host.Caller{Principal: host.Local(), Connection: true}, nil)
}
