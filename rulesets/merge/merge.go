// Package merge makes the changes of two people in one ruleset.
//
//	merged, contested := merge.Rulesets(base, mine, current)
//	if contested != "" {
//		return fmt.Errorf("both changed the %s", contested)
//	}
//
// Texts are merged by lines, everything else as a whole. What both changed in different
// ways is for a person to decide: nothing is guessed.
package merge

import (
	"slices"

	"github.com/aymanbagabas/go-udiff"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// Rulesets returns theirs with the changes from base to ours. contested names a part that
// both changed in different ways, "" if there is none; then merged is of no use.
func Rulesets(base, ours, theirs ruleset.Ruleset) (merged ruleset.Ruleset, contested string) {
	merged = theirs
	for _, part := range []struct {
		name               string
		base, ours, theirs string
		set                *string
	}{
		{"description", base.Description, ours.Description, theirs.Description, &merged.Description},
		{"front matter", base.Extra, ours.Extra, theirs.Extra, &merged.Extra},
	} {
		switch {
		case part.ours == part.base, part.ours == part.theirs:
		case part.theirs == part.base:
			*part.set = part.ours
		default:
			return merged, part.name
		}
	}
	switch {
	case slices.Equal(ours.Tags, base.Tags), slices.Equal(ours.Tags, theirs.Tags):
	case slices.Equal(theirs.Tags, base.Tags):
		merged.Tags = slices.Clone(ours.Tags)
	default:
		return merged, "tags"
	}
	var ok bool
	if merged.Markdown, ok = Text(base.Markdown, ours.Markdown, theirs.Markdown); !ok {
		return merged, "text"
	}
	return merged, ""
}

// Text makes the changes of two texts in the one that both were made of. It
// reports false if they changed the same lines, or neighbouring ones, in different
// ways.
func Text(base, a, b string) (string, bool) {
	edits, others := udiff.Lines(base, a), udiff.Lines(base, b)
	all := slices.Clone(edits)
	for _, other := range others {
		if slices.Contains(edits, other) {
			continue
		}
		if slices.ContainsFunc(edits, func(e udiff.Edit) bool { return e.Start <= other.End && other.Start <= e.End }) {
			return a, false
		}
		all = append(all, other)
	}
	udiff.SortEdits(all)
	merged, err := udiff.Apply(base, all)
	return merged, err == nil
}
