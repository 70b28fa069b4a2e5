package filestore

import (
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// FuzzDocument has every file that is a ruleset stay one, with the same ruleset
// in it, when it is written again.
func FuzzDocument(f *testing.F) {
	for _, text := range []string{
		"---\nname: a\ndescription: Go style\ntags: [go, style]\ncreated_at: 2025-10-29 10:30:00\nlast_modified: 2025-10-29 15:45:00\n---\n\n# Go\n",
		"---\n---\n", "---\r\ndescription: \"two\\nlines\"\r\n---\r\n\r\ntext", "\ufeff---\ntags: # none\n---\nx\n---\n",
		"---\n# a comment\nowner: me\ntags:\n  - a # first\n  - 'b, c'\ncreated_at: 2025-10-29T12:30:00+02:00\n---\n",
		"---\ncreated_at: 9999-12-31T23:59:59-01:00\n---\n", "---\ncreated_at: 0000-01-01T00:00:00+01:00\n---\n",
		"---\ndescription: &d text\nother: *d\n---\n", "---\ntags: [&t x]\nother: *t\n---\n", "---\n<<: {a: b}\n---\n",
		"---\ndescription: |\n  block\n  text\n---\n", "---\ndescription: one\ndescription: two\n---\n", "---\n{description: flow, tags: [x]}\n---\n",
	} {
		f.Add([]byte(text))
	}
	modified := time.Date(2025, 10, 29, 10, 30, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, data []byte) {
		first, err := parse("a", false, data, modified)
		if err != nil {
			return
		}
		want := first.ruleset
		written, err := first.render()
		if err != nil {
			return // nothing is written then
		}
		second, err := parse("a", false, written, modified)
		if err != nil {
			t.Fatalf("written anew it is no ruleset: %v\n%s", err, written)
		}
		if diff := cmp.Diff(want, second.ruleset); diff != "" {
			t.Errorf("written anew it is another (-want +got):\n%s\n%s", diff, written)
		}
	})
}

// FuzzTexts has every text come back from its file as it was, YAML or not.
func FuzzTexts(f *testing.F) {
	for _, s := range []string{"", "plain", "- a: [b]", "\u0085\u2028", "\x00\x7f\ufeff", "---\n", "'\"\\", "2025-10-29", "~", " # ", "é 🎉", "\r\n"} {
		f.Add(s, s, s)
	}
	f.Fuzz(func(t *testing.T, description, tag, markdown string) {
		for _, s := range []string{description, tag, markdown} {
			if !utf8.ValidString(s) {
				return // JSON carries none
			}
		}
		at := time.Date(2025, 10, 29, 10, 30, 0, 0, time.UTC)
		draft := ruleset.Draft{Name: "a", Description: description, Tags: []string{tag}, Markdown: markdown}
		want := draft.At(at)
		written, err := (&document{ruleset: want, front: mapping(&yaml.Node{})}).render()
		if err != nil {
			t.Fatal(err)
		}
		got, err := parse("a", false, written, at)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got.ruleset); diff != "" {
			t.Errorf("(-want +got):\n%s\n%q", diff, written)
		}
	})
}
