package pattern

import (
	"cmp"
	"slices"
	"unicode"
)

// A runeRange is a range of characters, ends included.
type runeRange struct{ low, high rune }

// A set is a set of characters: ranges in ascending order that neither overlap nor
// touch. It is not modified after it was made.
type set []runeRange

// newSet returns the set of the characters in ranges. It sorts the argument.
func newSet(ranges []runeRange) set {
	slices.SortFunc(ranges, func(a, b runeRange) int { return cmp.Compare(a.low, b.low) })
	var s set
	for _, r := range ranges {
		if n := len(s); n > 0 && r.low <= s[n-1].high+1 {
			s[n-1].high = max(s[n-1].high, r.high)
			continue
		}
		s = append(s, r)
	}
	return s
}

// union returns the characters of s and t.
func (s set) union(t set) set { return newSet(slices.Concat(s, t)) }

// complement returns the characters that are not in s.
func (s set) complement() set {
	made := make(set, 0, len(s)+1)
	next := rune(0)
	for _, r := range s {
		if r.low > next {
			made = append(made, runeRange{next, r.low - 1})
		}
		next = r.high + 1
	}
	if next <= unicode.MaxRune {
		made = append(made, runeRange{next, unicode.MaxRune})
	}
	return made
}

// minus returns the characters of s that are not in t.
func (s set) minus(t set) set { return s.complement().union(t).complement() }

// has reports whether r is in s.
func (s set) has(r rune) bool {
	_, found := slices.BinarySearchFunc(s, r, func(at runeRange, r rune) int {
		switch {
		case at.high < r:
			return -1
		case at.low > r:
			return 1
		}
		return 0
	})
	return found
}

// ofTables returns the characters of tables of Unicode.
func ofTables(tables ...*unicode.RangeTable) set {
	var all []runeRange
	for _, t := range tables {
		for _, r := range t.R16 {
			all = appendStride(all, rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
		for _, r := range t.R32 {
			all = appendStride(all, rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
	}
	return newSet(all)
}

func appendStride(all []runeRange, low, high, stride rune) []runeRange {
	if stride == 1 {
		return append(all, runeRange{low, high})
	}
	for r := low; r <= high; r += stride {
		all = append(all, runeRange{r, r})
	}
	return all
}

// ofPredicate returns the characters that has reports.
func ofPredicate(has func(rune) bool) set {
	var s set
	for r := rune(0); r <= unicode.MaxRune; r++ {
		switch {
		case !has(r):
		case len(s) > 0 && s[len(s)-1].high == r-1:
			s[len(s)-1].high = r
		default:
			s = append(s, runeRange{r, r})
		}
	}
	return s
}
