package rulesets

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

func revisionOf(number int, markdown string, tags ...string) ruleset.Revision {
	return ruleset.Revision{Number: number, Content: ruleset.Ruleset{Meta: ruleset.Meta{Name: "a", Description: "d", Tags: tags}, Markdown: markdown}}
}

// Prose is compared by words. git diff --word-diff has the same marks.
func TestWordDiff(t *testing.T) {
	const head = "--- a@1\n+++ a@2\n"
	for name, test := range map[string]struct{ before, after, want string }{
		"a word":         {"Write plain code.\n", "Write simple code.\n", head + "…\ntags: []\n---\nWrite [-plain-]{+simple+} code.\n"},
		"none":           {"Same.\n", "Same.\n", ""},
		"a line":         {"one\ntwo\n", "one\nadded\ntwo\n", head + "…\ntags: []\n---\none\n{+added+}\ntwo\n"},
		"words at ends":  {"a b c\n", "b c d\n", head + "…\ntags: []\n---\n[-a -]b c{+ d+}\n"},
		"far lines":      {strings.Repeat("x\n", 9) + "old\n", strings.Repeat("x\n", 9) + "new\n", head + "…\nx\nx\n[-old-]{+new+}\n"},
		"other letters":  {"schön\n", "schöner\n", head + "…\ntags: []\n---\n[-schön-]{+schöner+}\n"},
		"no end of line": {"a", "b", head + "…\ntags: []\n---\n[-a-]{+b+}\n"},
	} {
		if diff := cmp.Diff(test.want, WordDiff(revisionOf(1, test.before), revisionOf(2, test.after))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// FuzzWordDiff takes the marks away: without the added words it is the old text, without
// the deleted ones the new text.
func FuzzWordDiff(f *testing.F) {
	f.Add("a b c\nd", "a c\n\nd e")
	f.Add("", "x")
	f.Fuzz(func(t *testing.T, before, after string) {
		if strings.ContainsAny(before+after, "[]{}+-\r") || !strings.HasSuffix(before, "\n") || !strings.HasSuffix(after, "\n") {
			return
		}
		var all []string
		for _, line := range markWords(words(before), words(after)) {
			all = append(all, line.text)
		}
		marked := strings.Join(all, "\n")
		for what, pair := range map[string][3]string{"before": {"{+", "+}", before}, "after": {"[-", "-]", after}} {
			got := without(marked, pair[0], pair[1])
			got = strings.NewReplacer("[-", "", "-]", "", "{+", "", "+}", "").Replace(got)
			if strings.ReplaceAll(got, "\n", "") != strings.ReplaceAll(pair[2], "\n", "") {
				t.Errorf("%s: %q is not %q; marked %q", what, got, pair[2], marked)
			}
		}
	})
}

// without removes what is between two marks.
func without(text, begin, end string) string {
	for {
		before, rest, found := strings.Cut(text, begin)
		if !found {
			return text
		}
		_, after, _ := strings.Cut(rest, end)
		text = before + after
	}
}

func TestCompare(t *testing.T) {
	from, to := revisionOf(1, "one\n", "x", "y"), revisionOf(2, "one\n", "y", "z")
	to.Content.Description = "e"
	got := Compare(from, to)
	want := Comparison{Name: "a", From: 1, To: 2, Description: &[2]string{"d", "e"}, TagsAdded: []string{"z"}, TagsRemoved: []string{"x"}}
	got.Unified, got.Words = "", ""
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got := Compare(from, from); !got.Same || got.Unified != "" || got.Words != "" {
		t.Errorf("the same: %+v", got)
	}
}
