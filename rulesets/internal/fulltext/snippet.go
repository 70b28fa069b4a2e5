package fulltext

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// A Snippet is a line of a text that shows why the text was found.
type Snippet struct {
	Line int // from 1
	Text string
}

// maxSnippet is the length of a snippet in bytes.
const maxSnippet = 240

// Find returns the line of a text that has most of the terms, the first of several. ok is
// false if no line has one.
func Find(text string, terms []string) (best Snippet, ok bool) {
	most, at, line := 0, 0, 0
	for one := range strings.Lines(text) {
		line++
		if n, first := termsOf(one, terms); n > most {
			most, at = n, first
			best = Snippet{line, one}
		}
	}
	best.Text = Cut(best.Text, at)
	return best, most > 0
}

// termsOf returns how many different terms a line has, and where the first one is.
func termsOf(line string, terms []string) (n, first int) {
	seen := make([]bool, len(terms))
	Words(line, func(w Word) bool {
		if !slices.ContainsFunc(terms, func(term string) bool { return term[0] == w.Text[0] }) {
			return true // its stem begins with the same letter
		}
		stem := Stem(w.Text)
		for i, term := range terms {
			if !seen[i] && (stem == term || len(term) >= minPrefix && strings.HasPrefix(stem, term)) {
				if n == 0 {
					first = w.From
				}
				seen[i] = true
				n++
			}
		}
		return n < len(terms)
	})
	return n, first
}

// Cut returns the part of a line around a place, for a snippet.
func Cut(line string, at int) string {
	line = strings.TrimRight(line, "\r\n \t")
	if len(line) <= maxSnippet {
		return strings.TrimSpace(line)
	}
	from := max(0, at-maxSnippet/3)
	to := min(len(line), from+maxSnippet)
	for from > 0 && !utf8.RuneStart(line[from]) {
		from--
	}
	for to < len(line) && !utf8.RuneStart(line[to]) {
		to--
	}
	text := strings.TrimSpace(line[from:to])
	if from > 0 {
		text = "…" + text
	}
	if to < len(line) {
		text += "…"
	}
	return text
}
