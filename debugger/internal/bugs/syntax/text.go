package syntax

import "strings"

// sees reports whether word is next.
func (s *scanner) sees(word string) bool {
	return strings.HasPrefix(s.text[s.at:], word)
}

// peek is the byte n behind the next one, 0 when there is none.
func (s *scanner) peek(n int) byte {
	return byteAt(s.text, s.at+n)
}

// byteAt is a byte of a text, 0 behind its end.
func byteAt(text string, i int) byte {
	if i < len(text) {
		return text[i]
	}
	return 0
}

// skip goes n bytes on, or to the end of the text, and counts lines.
func (s *scanner) skip(n int) {
	passed := s.text[s.at:min(s.at+n, len(s.text))]
	if lines := strings.Count(passed, "\n"); lines > 0 {
		s.line += int32(lines)
		s.margin = s.at + strings.LastIndexByte(passed, '\n') + 1
		s.fresh = true
	}
	s.at += len(passed)
}

// newLine goes over the end of a line, and with it of a string that may not go
// on behind it.
func (s *scanner) newLine() {
	for n := len(s.inner); n > 0 && s.inner[n-1].quote.flags&manyLines == 0; n-- {
		s.inner = s.inner[:n-1]
	}
	s.skip(1)
}

// lineEnd returns the end of the line that position i is on.
func lineEnd(text string, i int) int {
	if n := strings.IndexByte(text[i:], '\n'); n >= 0 {
		return i + n
	}
	return len(text)
}

// lineEnds reports whether a line ends at position i.
func lineEnds(text string, i int) bool {
	return byteAt(text, i) == '\n' || byteAt(text, i) == '\r' && byteAt(text, i+1) == '\n'
}

// spliced reports whether the line that ends at position i goes on with the next
// one, for a backslash is last on it.
func spliced(text string, i int) bool {
	if i > 0 && text[i-1] == '\r' {
		i--
	}
	return i > 0 && text[i-1] == '\\'
}

// wordLength is the length of the word that text begins with.
func wordLength(text string) int {
	n := 0
	for n < len(text) && wordByte(text[n]) {
		n++
	}
	return n
}

// wordByte reports whether c may stand in a word. Letters beyond ASCII may.
func wordByte(c byte) bool {
	return c == '_' || c >= 0x80 || digit(c) || c|0x20 >= 'a' && c|0x20 <= 'z'
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

func hexDigit(c byte) bool { return digit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }

// wordSet is the words of a list, which are separated by blanks.
func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(list) {
		set[word] = true
	}
	return set
}
