package project

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// git merge-file (git 2.39) gives these results: where it finds no conflict, the merged
// text, else "conflict".
func TestMergeTextAsGitDoes(t *testing.T) {
	const base = "a\nb\nc\nd\ne\n"
	for name, c := range map[string]struct{ ours, theirs, want string }{
		"different lines":     {"A\nb\nc\nd\ne\n", "a\nb\nc\nd\nE\n", "A\nb\nc\nd\nE\n"},
		"the same change":     {"a\nB\nc\nd\ne\n", "a\nB\nc\nd\ne\n", "a\nB\nc\nd\ne\n"},
		"only ours":           {"a\nc\nd\ne\n", base, "a\nc\nd\ne\n"},
		"only theirs":         {base, "a\nb\nc\nd\ne\nf\n", "a\nb\nc\nd\ne\nf\n"},
		"a deletion and more": {"b\nc\nd\ne\n", "a\nb\nc\nx\nd\ne\n", "b\nc\nx\nd\ne\n"},
		"the same line":       {"a\nB\nc\nd\ne\n", "a\nX\nc\nd\ne\n", "conflict"},
		"neighbours":          {"a\nB\nc\nd\ne\n", "a\nb\nC\nd\ne\n", "conflict"},
		"two at the end":      {base + "x\n", base + "y\n", "conflict"},
		"change of a deleted": {"a\nb\nd\ne\n", "a\nb\nC\nd\ne\n", "conflict"},
		"no end of line":      {"a\nb\nc\nd\ne", "A\nb\nc\nd\ne\n", "A\nb\nc\nd\ne"},
	} {
		got, ok := mergeText(base, c.ours, c.theirs)
		if !ok {
			got = "conflict"
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// A merge is the same in either order, and has the new lines of both sides.
func TestMergedTextLosesNoLine(t *testing.T) {
	random := rand.New(rand.NewPCG(16, 3))
	merged := 0
	for range 2000 {
		var lines []string
		for n := range 3 + random.IntN(20) {
			lines = append(lines, fmt.Sprint("line ", n%7))
		}
		base := strings.Join(lines, "\n") + "\n"
		ours, ourLines := changeLines(random, lines, "ours")
		theirs, theirLines := changeLines(random, lines, "theirs")
		got, ok := mergeText(base, ours, theirs)
		again, okAgain := mergeText(base, theirs, ours)
		if ok != okAgain || ok && got != again {
			t.Fatalf("%q, %q of %q: %q or %q", ours, theirs, base, got, again)
		}
		if !ok {
			continue
		}
		merged++
		for _, line := range slices.Concat(ourLines, theirLines) {
			if !strings.Contains(got, line) {
				t.Fatalf("%q, %q of %q: %q without %q", ours, theirs, base, got, line)
			}
		}
	}
	if merged < 200 {
		t.Errorf("only %d of 2000 were merged", merged)
	}
}

// changeLines inserts, replaces or removes lines, and returns the new ones.
func changeLines(random *rand.Rand, lines []string, who string) (text string, fresh []string) {
	lines = slices.Clone(lines)
	for n := range 1 + random.IntN(2) {
		at := random.IntN(len(lines))
		line := fmt.Sprintf("%s %d", who, n)
		switch random.IntN(3) {
		case 0:
			lines = slices.Insert(lines, at, line)
		case 1:
			if strings.HasPrefix(lines[at], who) {
				continue
			}
			lines[at] = line
		case 2:
			if strings.HasPrefix(lines[at], who) || len(lines) == 1 {
				continue
			}
			lines = slices.Delete(lines, at, at+1)
			continue
		}
		fresh = append(fresh, line)
	}
	return strings.Join(lines, "\n") + "\n", fresh
}

// An edit here and one in the store, of different lines, become one revision; those of
// the same line are left as they are.
func TestPushMergesWithNewerRevisions(t *testing.T) {
	b := newBench(t, "cursor", "agents")
	b.create("a", "", "One\n\nTwo\n\nThree\n")
	b.mustPull()
	edit := func(name, old, text string) { b.write(name, strings.Replace(b.read(name), old, text, 1)) }
	b.update("a", "One\n\nTwo\n\nDrei\n")
	edit(".cursor/rules/a.mdc", "One", "Eins")
	edit(".cursor/rules/a.mdc", "About a", "All about a")
	edit("AGENTS.md", "Two\n", "Two\nand a half\n")
	pushed := b.push()
	if fmt.Sprint(pushed.Updated, pushed.Merged, pushed.Left) != "[a@3] [a@2] []" {
		t.Errorf("%+v", pushed)
	}
	got, err := b.store.Get(t.Context(), "a")
	if err != nil || got.Markdown != "Eins\n\nTwo\nand a half\n\nDrei\n" || got.Description != "All about a" {
		t.Errorf("%+v, %v", got, err)
	}
	b.mustPull()
	if !strings.Contains(b.read("AGENTS.md"), got.Markdown) || len(b.states()) > 0 {
		t.Errorf("%v\n%s", b.states(), b.read("AGENTS.md"))
	}

	b.update("a", "Uno\n\nTwo\nand a half\n\nDrei\n")
	edit("AGENTS.md", "Eins", "Un")
	before := b.files()
	pushed = b.push()
	if len(pushed.Updated) > 0 || len(pushed.Left) != 1 || !strings.Contains(pushed.Left[0].Error(), "is at revision 4; both changed the same (body)") {
		t.Errorf("%+v", pushed)
	}
	if got := b.files(); got["AGENTS.md"] != before["AGENTS.md"] {
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
	if err := b.store.Delete(t.Context(), "a", ruleset.Removal{}); err != nil {
		t.Fatal(err)
	}
	pushed := b.push()
	if fmt.Sprint(pushed.Updated) != "[b@2]" || len(pushed.Left) != 1 {
		t.Errorf("%+v", pushed)
	}
}
