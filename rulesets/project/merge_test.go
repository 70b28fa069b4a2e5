package project

import (
	"fmt"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// An edit here and one in the store, of different lines, become one revision; those of
// the same line are left as they are.
func TestPushMergesWithNewerRevisions(t *testing.T) {
	b := newBench(t, "cursor", "gemini")
	b.create("a", "", "One\n\nTwo\n\nThree\n")
	b.mustPull()
	edit := func(name, old, text string) { b.write(name, strings.Replace(b.read(name), old, text, 1)) }
	b.update("a", "One\n\nTwo\n\nDrei\n")
	edit(".cursor/rules/a.mdc", "One", "Eins")
	edit(".cursor/rules/a.mdc", "About a", "All about a")
	edit("GEMINI.md", "Two\n", "Two\nand a half\n")
	pushed := b.push()
	if fmt.Sprint(pushed.Updated, pushed.Merged, pushed.Left) != "[a@3] [a@2] []" {
		t.Errorf("%+v", pushed)
	}
	got, err := b.store.Get(t.Context(), "a")
	if err != nil || got.Markdown != "Eins\n\nTwo\nand a half\n\nDrei\n" || got.Description != "All about a" {
		t.Errorf("%+v, %v", got, err)
	}
	b.mustPull()
	if !strings.Contains(b.read("GEMINI.md"), got.Markdown) || len(b.states()) > 0 {
		t.Errorf("%v\n%s", b.states(), b.read("GEMINI.md"))
	}

	b.update("a", "Uno\n\nTwo\nand a half\n\nDrei\n")
	edit("GEMINI.md", "Eins", "Un")
	before := b.files()
	pushed = b.push()
	if len(pushed.Updated) > 0 || len(pushed.Left) != 1 || !strings.Contains(pushed.Left[0].Error(), "is at revision 4; both changed the same (body)") {
		t.Errorf("%+v", pushed)
	}
	if got := b.files(); got["GEMINI.md"] != before["GEMINI.md"] {
		t.Error("a push that left an edit changed its file")
	}
}

// A ruleset that was deleted meanwhile stops no other edit.
func TestPushOfADeletedRuleset(t *testing.T) {
	b := newBench(t, "cursor")
	b.create("a", "", "One\n")
	b.create("b", "", "One\n")
	b.mustPull()
	for _, name := range []string{"a", "b"} {
		b.write(".cursor/rules/"+name+".mdc", strings.Replace(b.read(".cursor/rules/"+name+".mdc"), "One", "Two", 1))
	}
	if err := ruleset.Delete(t.Context(), b.store, "a", ruleset.Removal{}); err != nil {
		t.Fatal(err)
	}
	pushed := b.push()
	if fmt.Sprint(pushed.Updated) != "[b@2]" || len(pushed.Left) != 1 {
		t.Errorf("%+v", pushed)
	}
}
