package secrets

import (
	"cmp"
	"slices"
	"strings"
)

// masked begins what stands in the place of a secret.
const masked = "<masked:"

// Mask returns a text with the name of the rule in the place of each secret, such as
// <masked:github-pat>. What the limits leave unsearched is masked as a whole.
func Mask(text string, kind Kind) string {
	parts := Masks(text, kind)
	if len(parts) == 0 {
		return text
	}
	var b strings.Builder
	at := 0
	for _, m := range parts {
		b.WriteString(text[at:m.From] + m.String())
		at = m.To
	}
	b.WriteString(text[at:])
	return b.String()
}

// MaskBytes overwrites each secret in a text, which keeps its length, and returns where
// it did. The name of the rule stands at the beginning of a secret, if there is room.
func MaskBytes(text []byte, kind Kind) []Match {
	parts := Masks(string(text), kind)
	for _, m := range parts {
		place := text[m.From:m.To]
		for i := range place {
			place[i] = '*'
		}
		if name := m.String(); len(name) <= len(place) {
			copy(place, name)
		}
	}
	return parts
}

// Unsearched is the rule of what the limits leave unsearched.
const Unsearched = "not-searched"

// A long text is searched in parts, each with limits of its own. They overlap, so that a
// secret is in one of them as a whole.
const (
	maskPart    = 64 << 10
	maskOverlap = 8 << 10
)

// String returns what stands in the place of the match in a masked text.
func (m Match) String() string { return masked + m.Rule + ">" }

// Masks returns what is to be masked in a text, in order and without overlaps.
func Masks(text string, kind Kind) []Match {
	var found []Match
	for from := 0; ; from += maskPart {
		part := text[from:min(len(text), from+maskPart+maskOverlap)]
		matches, rest := Find(part, kind)
		if rest != nil {
			matches = []Match{{0, len(part), Unsearched}}
		}
		for _, m := range matches {
			found = append(found, Match{from + m.From, from + m.To, m.Rule})
		}
		if from+len(part) == len(text) {
			return merged(found)
		}
	}
}

// merged sorts matches and joins those that overlap.
func merged(found []Match) (parts []Match) {
	slices.SortFunc(found, func(a, b Match) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(b.To, a.To)) })
	for _, m := range found {
		if n := len(parts); n > 0 && m.From < parts[n-1].To {
			parts[n-1].To = max(parts[n-1].To, m.To)
			continue
		}
		parts = append(parts, m)
	}
	return parts
}
