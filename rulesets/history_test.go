package rulesets

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/host"
)

// Every change is a revision; a model reads, merges and changes with if_rev.
func TestHistoryTools(t *testing.T) {
	h := open(t)
	h.expect("create_ruleset", `{"name":"a","description":"d","tags":["x"],"markdown":"one\ntwo\n"}`, "Successfully created ruleset 'a'", false)
	h.now = h.now.Add(time.Minute)
	h.expect("update_ruleset", `{"name":"a","markdown":"one\ntheirs\n","if_rev":1}`, "Successfully updated ruleset 'a'", false)
	h.expect("update_ruleset", `{"name":"a","markdown":"mine\ntwo\n","if_rev":1}`, `failed to update ruleset: ruleset 'a' was changed in the meantime and is at revision 2, not 1. Read it, merge, and use if_rev 2. What changed since:
--- a@1
+++ a@2
@@ -2,4 +2,4 @@
 tags: [x]
 ---
 one
-two
+theirs
`, true)
	if text, isError := h.call("delete_ruleset", `{"name":"a","if_rev":1}`); !isError || !strings.Contains(text, "is at revision 2, not 1") {
		t.Errorf("delete at an old revision: %s", text)
	}
	h.expect("update_ruleset", `{"name":"a","markdown":"mine\ntheirs\n","if_rev":2,"message":"merged"}`, "Successfully updated ruleset 'a'", false)
	h.expect("ruleset_history", `{"name":"a"}`, "'a' has 3 revision(s):\n\n- 3: 2025-10-29 10:31:00, local: merged\n- 2: 2025-10-29 10:31:00, local\n- 1: 2025-10-29 10:30:00, local\n", false)
	h.expect("ruleset_history", `{"name":"a","limit":1}`, "'a' has 3 revision(s):\n\n- 3: 2025-10-29 10:31:00, local: merged\n… and 2 older\n", false)
	h.expect("ruleset_history", `{"name":"a","from":2}`, "--- a@2\n+++ a@3\n@@ -1,5 +1,5 @@\n description: d\n tags: [x]\n ---\n-one\n+mine\n theirs\n", false)
	h.expect("ruleset_history", `{"name":"a","from":9}`, "failed to retrieve ruleset: ruleset 'a' has no revision 9: its revisions are 1 to 3", true)
	h.expect("get_ruleset", `{"name":"a","rev":1}`, "---\nname: a\ndescription: d\ntags: [x]\ncreated_at: 2025-10-29 10:30:00\nlast_modified: 2025-10-29 10:30:00\n---\n\none\ntwo\n", false)
}

// The resource of a revision; its number is written in one way only.
func TestResourceOfARevision(t *testing.T) {
	h := open(t)
	h.expect("create_ruleset", `{"name":"a","description":"d","markdown":"one"}`, "Successfully created ruleset 'a'", false)
	h.expect("update_ruleset", `{"name":"a","markdown":"two"}`, "Successfully updated ruleset 'a'", false)
	for uri, want := range map[string]string{
		"ruleset://a": `\n\ntwo"`, "ruleset://a@2": `\n\ntwo"`, "ruleset://a@1": `\n\none"`,
		"ruleset://a@3": `"error"`, "ruleset://a@01": `"error"`, "ruleset://a@": `"error"`, "ruleset://a@-1": `"error"`, "ruleset://b@1": `"error"`,
	} {
		if got := h.ask("resources/read", `{"uri":"`+uri+`"}`); !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", uri, got, want)
		}
	}
}

// People read the names of keys; programs have the ids, too.
func TestHistoryNamesAuthors(t *testing.T) {
	h := open(t)
	tools := newTools(h.store, LabelRules{}, Scan{mode: "off"}, slog.New(slog.DiscardHandler))
	asked := 0
	tools.names = func(_ context.Context, ids []string) map[string]string {
		asked++
		if !slices.Equal(ids, []string{"key_ann0000000", "key_bob0000000"}) {
			t.Errorf("asked for %q", ids)
		}
		return map[string]string{"key_ann0000000": "Ann"}
	}
	server, err := mcp.New(mcp.Config{Name: "test", Version: "1"}, tools.table())
	if err != nil {
		t.Fatal(err)
	}
	ann := h.with(server, host.Caller{Principal: host.Principal{ID: "key_ann0000000"}, Connection: true})
	bob := h.with(server, host.Caller{Principal: host.Principal{ID: "key_bob0000000"}, Connection: true})
	ann.texts("create_ruleset", `{"name":"a","description":"d","markdown":"one"}`)
	bob.texts("update_ruleset", `{"name":"a","markdown":"two"}`)
	bob.texts("label_ruleset", `{"name":"a","label":"x"}`)
	ann.texts("label_ruleset", `{"name":"a","label":"y"}`)
	ann.expect("ruleset_history", `{"name":"a"}`, "'a' has 2 revision(s):\n\n- 2: 2025-10-29 10:30:00, key_bob0000000, labels x y\n- 1: 2025-10-29 10:30:00, Ann\n", false)
	ann.expect("ruleset_history", `{"name":"a","moves":true}`, "Moves of the labels of 'a', newest first:\n\n- 2025-10-29 10:30:00: y to 2, Ann\n- 2025-10-29 10:30:00: x to 2, key_bob0000000\n", false)
	if asked != 2 {
		t.Errorf("%d look-ups for two answers", asked)
	}
	ann.negotiate()
	answer := ann.ask("tools/call", `{"name":"ruleset_history","arguments":{"name":"a"}}`)
	if !strings.Contains(answer, `"author":"key_ann0000000","author_name":"Ann"`) || strings.Contains(answer, `"author":"key_bob0000000","author_name"`) {
		t.Error(answer)
	}
	history, err := h.store.History(t.Context(), "a")
	if err != nil || history[1].By.Name != "" {
		t.Errorf("the store has the name %q, %v", history[1].By.Name, err)
	}
}
