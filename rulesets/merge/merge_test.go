package merge_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/rulesets/merge"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// git merge-file (git 2.39) gives these results: where it finds no conflict, the merged
// text, else "conflict".
func TestTextAsGitDoes(t *testing.T) {
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
		got, ok := merge.Text(base, c.ours, c.theirs)
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
		got, ok := merge.Text(base, ours, theirs)
		again, okAgain := merge.Text(base, theirs, ours)
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

// What one side changed is in the merged ruleset; what both changed in different ways is
// named.
func TestRulesets(t *testing.T) {
	of := func(description, tag, markdown, extra string, rev int) ruleset.Ruleset {
		return ruleset.Ruleset{Meta: ruleset.Meta{Name: "a", Description: description, Tags: []string{tag}}, Markdown: markdown, Extra: extra, Rev: rev}
	}
	base := of("d", "t", "1\n2\n3\n", "order: 1\n", 1)
	for name, c := range map[string]struct {
		ours, theirs, want ruleset.Ruleset
		contested          string
	}{
		"different parts": {of("D", "t", "1\n2\nC\n", "order: 1\n", 1), of("d", "T", "A\n2\n3\n", "order: 2\n", 2), of("D", "T", "A\n2\nC\n", "order: 2\n", 2), ""},
		"ours alone":      {of("D", "T", "x\n", "order: 2\n", 1), of("d", "t", "1\n2\n3\n", "order: 1\n", 2), of("D", "T", "x\n", "order: 2\n", 2), ""},
		"the same":        {of("D", "T", "x\n", "", 1), of("D", "T", "x\n", "", 2), of("D", "T", "x\n", "", 2), ""},
		"descriptions":    {ours: of("D", "t", "", "", 1), theirs: of("E", "t", "", "", 2), contested: "description"},
		"front matter":    {ours: of("d", "t", "", "order: 2\n", 1), theirs: of("d", "t", "", "order: 3\n", 2), contested: "front matter"},
		"tags":            {ours: of("d", "x", "1\n", "order: 1\n", 1), theirs: of("d", "y", "1\n", "order: 1\n", 2), contested: "tags"},
		"lines":           {ours: of("d", "t", "x\n2\n3\n", "order: 1\n", 1), theirs: of("d", "t", "y\n2\n3\n", "order: 1\n", 2), contested: "text"},
	} {
		got, contested := merge.Rulesets(base, c.ours, c.theirs)
		if contested != c.contested {
			t.Errorf("%s: contested %q, want %q", name, contested, c.contested)
		}
		if diff := cmp.Diff(c.want, got); contested == "" && diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
