package rulesets

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// negotiated is a client that has negotiated a revision.
func (h *house) negotiated() *house {
	h.t.Helper()
	if got := h.ask("initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}`); !strings.Contains(got, `"2025-11-25"`) {
		h.t.Fatal(got)
	}
	return h
}

// fill creates rulesets with front matter.
func (h *house) fill() *house {
	h.t.Helper()
	for _, d := range []ruleset.Draft{
		{Name: "go_errors", Description: "How we handle errors", Tags: []string{"go", "style"}, Markdown: "# Errors\n\nWrap them with %w.\n", Extra: "globs: ['**/*.go']\n"},
		{Name: "react_hooks", Description: "Hooks", Tags: []string{"style"}, Markdown: "Catch errors in hooks.\n", Extra: "globs: '**/*.tsx'\n"},
		{Name: "security", Description: "For all", Tags: []string{"org/"}, Markdown: "Never log secrets.\n"},
	} {
		if _, err := ruleset.Create(h.t.Context(), h.store, d); err != nil {
			h.t.Fatal(err)
		}
	}
	return h
}

func TestFindTool(t *testing.T) {
	h := open(t).fill()
	h.expect("find_rulesets", `{"text":"wrapping errors"}`, `Found 2 of 3 ruleset(s), best first:

- **go_errors**: How we handle errors
  Tags: [go style]
  1: # Errors

- **react_hooks**: Hooks
  Tags: [style]
  1: Catch errors in hooks.

Tags: style (2), go (1)
`, false)
	h.expect("find_rulesets", `{"path":"src/x.go"}`, `2 of 3 ruleset(s) apply to src/x.go, read in this order:

- **security**: For all
  Tags: [org/]
  org: always

- **go_errors**: How we handle errors
  Tags: [go style]
  project: the file matches "**/*.go"

These do not apply:

- **react_hooks**: Hooks
  Tags: [style]
  project: the file does not match "**/*.tsx"

Tags: style (2), go (1), org/ (1)
`, false)
	h.expect("find_rulesets", `{"regexp":"(?i)NEVER .*secrets","limit":1}`, `Found 1 of 3 ruleset(s):

- **security**: For all
  Tags: [org/]
  1: Never log secrets.

Tags: org/ (1)
`, false)
	h.expect("find_rulesets", `{"limit":1}`, `Found 3 of 3 ruleset(s):

- **go_errors**: How we handle errors
  Tags: [go style]

Tags: style (2), go (1), org/ (1)
There are more: call again with cursor "800000006901eca8.go_errors"
`, false)
	h.expect("find_rulesets", `{"text":"haskell"}`, "No rulesets found; there are 3", false)
	h.expect("find_rulesets", `{"path":"/x"}`, `failed to find rulesets: path: "/x" is not a path from the root of a project, such as src/api/x.go`, true)
	h.expect("find_rulesets", `{"regexp":"("}`, "failed to find rulesets: regexp: error parsing regexp: missing closing ): `(`", true)
	h.expect("find_rulesets", `{"limit":0}`, "failed to find rulesets: limit must be at least 1", true)
}

// A client that named a revision pages through lists, selects by tags, and is told so
// when a list is long. The documented answer stays for all others.
func TestListPages(t *testing.T) {
	h := open(t)
	for i := range 210 {
		tags := []string{"x"}
		if i%100 == 7 {
			tags = append(tags, "rare")
		}
		if _, err := ruleset.Create(t.Context(), h.store, ruleset.Draft{Name: ruleset.Name(fmt.Sprintf("r%03d", i)), Tags: tags}); err != nil {
			t.Fatal(err)
		}
	}
	documented, _ := h.call("list_rulesets", `{}`)
	h.negotiated()
	if n := strings.Count(documented, "- **"); n != 210 {
		t.Errorf("the documented answer has %d rulesets", n)
	}
	texts := h.texts("list_rulesets", `{}`)
	if len(texts) != 2 || strings.Count(texts[0], "- **") != 50 || texts[1] != `There are more: call again with cursor "1761733800:r049"` {
		t.Errorf("without a limit: %q", texts)
	}
	texts = h.texts("list_rulesets", `{"limit":1000}`)
	if diff := cmp.Diff([]string{documented}, texts); diff != "" {
		t.Errorf("whole list (-want +got):\n%s", diff)
	}
	texts = h.texts("list_rulesets", `{"limit":2,"cursor":"1761733800:r200"}`)
	if len(texts) != 2 || !strings.HasPrefix(texts[0], "Found 2 ruleset(s):\n\n- **r201**") || texts[1] != `There are more: call again with cursor "1761733800:r202"` {
		t.Errorf("a page: %q", texts)
	}
	texts = h.texts("list_rulesets", `{"limit":3,"cursor":"1761733800:r206"}`)
	if len(texts) != 1 || strings.Count(texts[0], "- **") != 3 {
		t.Errorf("the last page: %q", texts)
	}
	texts = h.texts("list_rulesets", `{"limit":2,"tags":["rare"]}`)
	if len(texts) != 2 || !strings.Contains(texts[0], "- **r007**") || !strings.Contains(texts[0], "- **r107**") || texts[1] != `There are more: call again with cursor "1761733800:r107"` {
		t.Errorf("by tag: %q", texts)
	}
	texts = h.texts("list_rulesets", `{"tags":["rare","x"]}`)
	if len(texts) != 1 || strings.Count(texts[0], "- **") != 3 {
		t.Errorf("by tags: %q", texts)
	}
	h.expect("list_rulesets", `{"cursor":"x"}`, "failed to list rulesets: cursor: it is not the cursor of an earlier answer", true)
}

// A pattern that is a word finds nothing, and the client is told what it may have meant;
// the documented text stays as it is.
func TestSearchHint(t *testing.T) {
	for _, tc := range []struct {
		pattern string
		hint    bool
	}{{"errors", true}, {"x*", false}, {"{a,b}", false}, {"go_errors", false}} {
		texts := open(t).fill().negotiated().texts("search_rulesets", `{"pattern":"`+tc.pattern+`"}`)
		if hint := len(texts) > 1 && strings.Contains(texts[1], "'*"+tc.pattern+"*'"); hint != tc.hint || hint != (len(texts) == 2) {
			t.Errorf("%s: %q", tc.pattern, texts)
		}
	}
	open(t).fill().expect("search_rulesets", `{"pattern":"errors"}`, "No rulesets found matching pattern 'errors'", false)
}
