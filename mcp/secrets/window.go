package secrets

import (
	"slices"
	"strings"
)

const (
	// maxWhole is the size up to which a prose is searched as a whole. In larger
	// ones, and in other texts, only the surroundings of keywords are.
	maxWhole = 64 << 10
	// windowBefore and windowAfter are the surroundings of a keyword in a prose,
	// in bytes.
	windowBefore, windowAfter = 512, 4 << 10
	// maskBefore and maskAfter are the surroundings in other texts. A secret that
	// reaches their end makes them larger.
	maskBefore, maskAfter = 128, 512
)

// windows returns the parts of the text that are searched for the secrets of the rule
// with the keywords, in order.
func (s *search) windows(keywords *finder) [][2]int {
	before, after := maskBefore, maskAfter
	if s.kind == Prose {
		if len(s.text) <= maxWhole {
			return [][2]int{{0, len(s.text)}}
		}
		before, after = windowBefore, windowAfter
	}
	after = max(after, keywords.reach)
	var parts [][2]int
	for {
		next := keywords.next()
		if next < 0 {
			return parts
		}
		from, to := lineBefore(s.text, next, before), min(len(s.text), next+after)
		if n := len(parts); n > 0 && parts[n-1][1] >= from {
			parts[n-1][1] = to
		} else {
			parts = append(parts, [2]int{from, to})
		}
		keywords.skip(next + after/2) // those before have half of the surroundings at least
	}
}

// A finder finds the keywords of a rule in a text, in order.
type finder struct {
	text     string
	keywords []string
	places   []int // the next place of each keyword; len(text) if there is none
	reach    int   // of the rule
}

func (r *rule) find(s *search) *finder {
	f := &finder{text: s.lower, keywords: r.keywords, reach: r.reach, places: make([]int, len(r.keywords))}
	if r.exact {
		f.text = s.text
	}
	for i := range f.places {
		f.places[i] = -1
	}
	f.skip(0)
	return f
}

// skip moves on to keywords from a place on, and at least by one byte.
func (f *finder) skip(to int) {
	to = max(to, f.next()+1)
	for i, k := range f.keywords {
		if f.places[i] >= to {
			continue
		}
		f.places[i] = len(f.text)
		if at := strings.Index(f.text[min(to, len(f.text)):], k); at >= 0 {
			f.places[i] = to + at
		}
	}
}

// next returns the place of the next keyword, or -1.
func (f *finder) next() int {
	if first := slices.Min(f.places); first < len(f.text) {
		return first
	}
	return -1
}

// lineBefore returns a place before another at which a window begins: where a line does,
// if one does within so many bytes.
func lineBefore(s string, at, before int) int {
	from := max(0, at-before)
	if from == 0 {
		return 0
	}
	if i := strings.IndexByte(s[from:at], '\n'); i >= 0 {
		return from + i + 1
	}
	return from
}

// smallLetters returns a text with the letters of ASCII in small. Its bytes have the places of
// the bytes of the text, which need not be UTF-8.
func smallLetters(s string) string {
	lower := []byte(s)
	for i, c := range lower {
		if 'A' <= c && c <= 'Z' {
			lower[i] = c + 'a' - 'A'
		}
	}
	return string(lower)
}
