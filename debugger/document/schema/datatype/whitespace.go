package datatype

import "strings"

// A whiteSpace is a value of the facet of this name (part 2, section 4.3.6). Derived types
// can only have greater ones.
type whiteSpace uint8

const (
	preserve whiteSpace = iota
	replace
	collapse
)

var whiteSpaces = map[string]whiteSpace{"preserve": preserve, "replace": replace, "collapse": collapse}

func isSpace(b byte) bool { return b == ' ' || b == '\t' || b == '\n' || b == '\r' }

// normalize returns text with its white space replaced or collapsed. It copies only what
// it changes.
func (w whiteSpace) normalize(text string) string {
	switch w {
	case replace:
		if strings.ContainsAny(text, "\t\n\r") {
			return strings.Map(blank, text)
		}
	case collapse:
		text = trim(text)
		if !collapsed(text) {
			return join(text)
		}
	}
	return text
}

func blank(r rune) rune {
	if r == '\t' || r == '\n' || r == '\r' {
		return ' '
	}
	return r
}

func trim(text string) string {
	for text != "" && isSpace(text[0]) {
		text = text[1:]
	}
	for text != "" && isSpace(text[len(text)-1]) {
		text = text[:len(text)-1]
	}
	return text
}

// collapsed reports whether all white space in a text is single blanks.
func collapsed(text string) bool {
	for i := range len(text) {
		if b := text[i]; b <= ' ' && isSpace(b) && (b != ' ' || i > 0 && text[i-1] == ' ') {
			return false
		}
	}
	return true
}

// join returns the words of a text with blanks between them.
func join(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	for word, rest := nextWord(text); word != ""; word, rest = nextWord(rest) {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(word)
	}
	return b.String()
}

// nextWord returns the first word of a list, and what follows it. The word is empty if
// there is none.
func nextWord(text string) (word, rest string) {
	start := 0
	for start < len(text) && isSpace(text[start]) {
		start++
	}
	end := start
	for end < len(text) && !isSpace(text[end]) {
		end++
	}
	return text[start:end], text[end:]
}
