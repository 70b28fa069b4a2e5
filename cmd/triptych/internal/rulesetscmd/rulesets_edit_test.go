package rulesetscmd

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/rulefiles"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

func rulesetOf(description, markdown string, tags ...string) ruleset.Ruleset {
	return ruleset.Ruleset{Meta: ruleset.Meta{Name: "x", Description: description, Tags: tags}, Markdown: markdown}
}

// An unchanged text changes nothing, whatever is in it.
func TestEditableRoundTrip(t *testing.T) {
	for _, old := range []ruleset.Ruleset{
		rulesetOf("How we write Go", "# Go\n", "go", "style"),
		rulesetOf("", ""),
		rulesetOf("colon: 'quoted' # no comment\nsecond line", "---\nbody\n---\n", "a, b", "true", "1", "[x]"),
		rulesetOf("no last newline", "\n\ntext"),
		{Meta: ruleset.Meta{Name: "x", Tags: []string{"a"}}, Markdown: "m\n", Extra: "# kept\nglobs: '**/*'\nalwaysApply: false\n"},
	} {
		text, err := rulefiles.Editable(old)
		if err != nil {
			t.Fatal(err)
		}
		for _, saved := range []string{string(text), string(text) + "\n"} { // editors end the last line
			fresh, err := edited([]byte(saved), old)
			if err != nil {
				t.Fatal(err)
			}
			if patch := difference(old, fresh); saved == string(text) && !patch.Empty() {
				t.Errorf("%q is changed: %s", text, cmp.Diff(old, fresh))
			}
		}
	}
}

func TestEditedReadsWhatWasChanged(t *testing.T) {
	old := rulesetOf("old", "# Old", "a")
	got, err := edited([]byte("---\r\ndescription: new\r\n---\r\n\r\n# New\r\n"), old)
	if err != nil {
		t.Fatal(err)
	}
	want := rulesetOf("new", "# New\n")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	patch := difference(old, got)
	if patch.Tags == nil || len(*patch.Tags) != 0 || patch.Description == nil || patch.Markdown == nil {
		t.Errorf("patch %+v, want all three, tags cleared", patch)
	}
}

func TestEditedRefuses(t *testing.T) {
	for _, text := range []string{"", "# only text", "---\ndescription: x\n# no end", "---\n[\n---\n"} {
		if _, err := edited([]byte(text), rulesetOf("", "")); err == nil {
			t.Errorf("%q was taken", text)
		}
	}
}
