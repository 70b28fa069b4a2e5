package rulesets

import (
	"strings"
	"testing"
)

// A model changes several rulesets after it has seen the difference.
func TestApply(t *testing.T) {
	h := open(t)
	h.expect("create_ruleset", `{"name":"a","description":"d","markdown":"one\n"}`, "Successfully created ruleset 'a'", false)
	h.expect("create_ruleset", `{"name":"b","description":"d","markdown":"one\n"}`, "Successfully created ruleset 'b'", false)
	operations := `"operations":[
		{"op":"update","name":"a","markdown":"two\n","if_rev":1},
		{"op":"label","name":"a","label":"production"},
		{"op":"delete","name":"b"},
		{"op":"create","name":"c","description":"new","markdown":"one\n","tags":["x"]},
		{"op":"put","name":"d","markdown":"one\n"}]`
	h.expect("apply_rulesets", `{"dry_run":true,`+operations+`}`, `Dry run, nothing was changed. 5 operation(s) would be applied:

- a: updated, revision 2
- a: production is at revision 2
- b: deleted, revision 2
- c: created, revision 1
- d: created, revision 1

--- a@1
+++ a@2
@@ -1,4 +1,4 @@
 description: d
 tags: []
 ---
-one
+two

--- b@1
+++ b@0
@@ -1,4 +0,0 @@
-description: d
-tags: []
----
-one

--- c@0
+++ c@1
@@ -0,0 +1,4 @@
+description: new
+tags: [x]
+---
+one

--- d@0
+++ d@1
@@ -0,0 +1,4 @@
+description: 
+tags: []
+---
+one
`, false)
	h.expect("search_rulesets", `{"pattern":"c"}`, "No rulesets found matching pattern 'c'", false)
	h.expect("apply_rulesets", `{"message":"all",`+operations+`}`, "Applied 5 operation(s):\n\n- a: updated, revision 2\n- a: production is at revision 2\n- b: deleted, revision 2\n- c: created, revision 1\n- d: created, revision 1\n", false)
	h.expect("ruleset_history", `{"name":"b"}`, "'b' has 2 revision(s):\n\n- 2: 2025-10-29 10:30:00, local, deleted: all\n- 1: 2025-10-29 10:30:00, local\n", false)
	h.expect("apply_rulesets", `{"operations":[{"op":"put","name":"d","markdown":"one\n"},{"op":"label","name":"a","label":"production","rev":1},{"op":"label","name":"a","label":"production","remove":true}]}`,
		"Applied 3 operation(s):\n\n- d: unchanged, revision 1\n- a: moved production from revision 2 to 1\n- a: removed production from revision 1\n", false)
}

// A revision is restored, also after a deletion.
func TestApplyRestores(t *testing.T) {
	h := open(t)
	restore := func(members string) string {
		return `{"message":"back","operations":[{"op":"restore",` + members + `}]}`
	}
	h.expect("create_ruleset", `{"name":"a","description":"d","markdown":"one"}`, "Successfully created ruleset 'a'", false)
	h.expect("update_ruleset", `{"name":"a","markdown":"two"}`, "Successfully updated ruleset 'a'", false)
	h.expect("apply_rulesets", restore(`"name":"a","rev":1`), "Applied 1 operation(s):\n\n- a: restored, revision 3\n", false)
	h.expect("delete_ruleset", `{"name":"a"}`, "Successfully deleted ruleset 'a'", false)
	h.expect("apply_rulesets", restore(`"name":"a","rev":4`), "failed to apply rulesets: operation 1 (restore a): revision 4 is a deletion and has no content", true)
	h.expect("apply_rulesets", restore(`"name":"a","rev":2`), "Applied 1 operation(s):\n\n- a: restored, revision 5\n", false)
	text, _ := h.call("ruleset_history", `{"name":"a"}`)
	want := "'a' has 5 revision(s):\n\n- 5: 2025-10-29 10:30:00, local, restores 2: back\n- 4: 2025-10-29 10:30:00, local, deleted\n- 3: 2025-10-29 10:30:00, local, restores 1: back\n"
	if !strings.HasPrefix(text, want) {
		t.Errorf("got %s, want it to begin with %s", text, want)
	}
	h.expect("apply_rulesets", restore(`"name":"b","rev":1`), "failed to apply rulesets: operation 1 (restore b): ruleset 'b' not found", true)
}

// What cannot be done is said with the number of the operation, and nothing is done,
// unless each ruleset is to be changed by itself.
func TestApplyRefuses(t *testing.T) {
	h := open(t)
	h.expect("create_ruleset", `{"name":"a","description":"d","markdown":"one\n"}`, "Successfully created ruleset 'a'", false)
	h.expect("update_ruleset", `{"name":"a","markdown":"theirs\n"}`, "Successfully updated ruleset 'a'", false)
	const good = `{"op":"create","name":"c","markdown":"new"},`
	for operation, want := range map[string]string{
		`{"op":"create","name":"a","markdown":""}`:                "operation 2 (create a): ruleset 'a' already exists",
		`{"op":"create","name":"d"}`:                              "operation 2 (create d): a new ruleset needs markdown",
		`{"op":"update","name":"a"}`:                              "operation 2 (update a): nothing to update: give at least one of description, tags and markdown",
		`{"op":"update","name":"nobody","markdown":""}`:           "operation 2 (update nobody): ruleset 'nobody' not found",
		`{"op":"delete","name":"No Name"}`:                        "operation 2 (delete No Name): invalid ruleset name 'No Name': must use snake_case (lowercase letters, numbers, and underscores only)",
		`{"op":"rename","name":"a"}`:                              "operation 2 (rename a): it is none of create, update, put, delete, restore and label",
		`{"op":"label","name":"a"}`:                               "operation 2 (label a): give the label",
		`{"op":"restore","name":"a"}`:                             "operation 2 (restore a): give the rev to restore",
		`{"op":"update","name":"a","markdown":"mine","if_rev":1}`: "operation 2 (update a): ruleset 'a' was changed in the meantime and is at revision 2, not 1. Read it, merge, and use if_rev 2. What changed since:\n--- a@1\n+++ a@2\n@@ -1,4 +1,4 @@\n description: d\n tags: []\n ---\n-one\n+theirs\n",
	} {
		h.expect("apply_rulesets", `{"operations":[`+good+operation+`]}`, "failed to apply rulesets: "+want, true)
	}
	h.expect("apply_rulesets", `{"operations":[{"op":"delete","nmae":"a"}]}`, `failed to apply rulesets: operation 1: json: unknown field "nmae"`, true)
	h.expect("apply_rulesets", `{"operations":[]}`, "failed to apply rulesets: there are no operations", true)
	h.expect("search_rulesets", `{"pattern":"c"}`, "No rulesets found matching pattern 'c'", false)
	h.expect("apply_rulesets", `{"each":true,"operations":[`+good+`{"op":"delete","name":"nobody"},{"op":"delete","name":"a"}]}`,
		"Applied 3 operation(s):\n\n- c: created, revision 1\n- nobody: failed: ruleset 'nobody' not found\n- a: deleted, revision 3\n", false)
}

// A batch moves protected labels with the scope only.
func TestApplyProtectedLabel(t *testing.T) {
	h := withLabelRules(t, scopeRead, scopeWrite)
	h.expect("apply_rulesets", `{"operations":[{"op":"create","name":"a","markdown":"x"},{"op":"label","name":"a","label":"production"}]}`,
		"failed to apply rulesets: operation 2 (label a): the label 'production' is protected: moving it takes the scope rulesets:admin", true)
	h.expect("get_ruleset", `{"name":"a"}`, "failed to retrieve ruleset: ruleset 'a' not found", true)
}
