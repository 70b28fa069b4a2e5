package syntax

import "strings"

// A quote is one way to write strings, characters or names that are no words.
type quote struct {
	before string // words of which one may stand directly in front, anyWord for all
	open   string
	close  string // empty where it ends with its line
	flags  quoteFlags
	code   string                                      // what begins code within
	made   func(text string) (opening int, end string) // for open and close where one depends on the other
}

// quoteFlags say what happens within a quote.
type quoteFlags uint8

const (
	escapes   quoteFlags = 1 << iota // a backslash takes the next character's meaning
	manyLines                        // it may go on behind the end of its line
	doubled                          // its end, written twice, is part of it
	atLine                           // it ends where its end is the first word of a line
	naming                           // it is a name
	bound                            // one of the words in front has to be there
)

// An innerCode is code within a string.
type innerCode struct {
	quote *quote
	end   string // where the string ends
	depth int    // brackets open in it
}

// innerLimit is the greatest depth of strings in code in strings.
const innerLimit = 32

// prefixed reads the string that a word of n bytes belongs to, if there is one.
func (s *scanner) prefixed(n int) bool {
	switch s.peek(n) {
	case '"', '\'', '#', '`':
	default:
		return false
	}
	word := strings.ToLower(s.text[s.at : s.at+n])
	for i := range s.grammar.quotes {
		q := &s.grammar.quotes[i]
		if (q.before == anyWord || hasWord(q.before, word)) && s.read(q, n) {
			return true
		}
	}
	return false
}

// quoteBytes are the first bytes of the quotes of all languages.
const quoteBytes = "\"'`#@$<\\"

// quoted reads the string that is next, if there is one.
func (s *scanner) quoted(c byte) bool {
	if strings.IndexByte(quoteBytes, c) < 0 {
		return false
	}
	for i := range s.grammar.quotes {
		if q := &s.grammar.quotes[i]; q.flags&bound == 0 && s.read(q, 0) {
			return true
		}
	}
	return false
}

// read reads a string of form q whose quote is n bytes away, if there is one.
func (s *scanner) read(q *quote, n int) bool {
	opening, end := q.opening(s.text[s.at+n:])
	if opening == 0 {
		return false
	}
	length, code := q.body(s.text[s.at+n+opening:], end)
	kind := StringToken
	if q.flags&naming != 0 {
		kind = NameToken
	}
	s.emit(n+opening+length, kind)
	if code && len(s.inner) < innerLimit {
		s.inner = append(s.inner, innerCode{quote: q, end: end})
	}
	return true
}

// opening returns the length of the opening of the string that text begins with, 0
// when it begins with none of this form, and where it ends.
func (q *quote) opening(text string) (n int, end string) {
	switch {
	case q.made != nil:
		return q.made(text)
	case strings.HasPrefix(text, q.open):
		return len(q.open), q.close
	default:
		return 0, ""
	}
}

// body returns the length of the string that text begins with, behind its opening, and
// whether code within it is next.
func (q *quote) body(text, end string) (n int, code bool) {
	for n < len(text) {
		switch c := text[n]; {
		case c == '\n' && q.flags&manyLines == 0:
			return n, false
		case q.code != "" && c == q.code[0] && strings.HasPrefix(text[n:], q.code):
			n += len(q.code)
			if q.code != "{" || byteAt(text, n) != '{' {
				return n, true
			}
			n++
		case c == '\\' && q.flags&escapes != 0:
			n = min(len(text), n+escapeLength(text[n:]))
		case end != "" && c == end[0] && q.ends(text, n, end):
			n += len(end)
			if q.flags&doubled == 0 || !strings.HasPrefix(text[n:], end) {
				return n, false
			}
			n += len(end)
		default:
			n++
		}
	}
	return n, false
}

// ends reports whether the string ends at position n of text.
func (q *quote) ends(text string, n int, end string) bool {
	if !strings.HasPrefix(text[n:], end) {
		return false
	}
	return q.flags&atLine == 0 || firstWord(text, n) && !wordByte(byteAt(text, n+len(end)))
}

// firstWord reports whether nothing but blanks is in front of position i on its
// line.
func firstWord(text string, i int) bool {
	for i > 0 && (text[i-1] == ' ' || text[i-1] == '\t') {
		i--
	}
	return i > 0 && text[i-1] == '\n'
}

// escapeLength returns the length in bytes of the escape that begins with a backslash.
func escapeLength(text string) int {
	if lineEnds(text, 1) && byteAt(text, 1) == '\r' {
		return len("\\\r\n")
	}
	return 2
}

// endsInner reports whether the code within a string ends with c, and counts the
// brackets that are open in it.
func (s *scanner) endsInner(c byte) bool {
	in := &s.inner[len(s.inner)-1]
	switch c {
	case '(', '[', '{':
		in.depth++
	case ')', ']', '}':
		in.depth--
		return in.depth < 0
	case ':':
		return in.depth == 0 && in.quote.code == "{" // how a value is to be written
	case '!':
		return in.depth == 0 && in.quote.code == "{" && (s.peek(2) == '}' || s.peek(2) == ':')
	}
	return false
}

// resume reads on in the string that the code here lies within, as a string of
// its own: its text is the opening of strings of this form.
func (s *scanner) resume() {
	in := &s.inner[len(s.inner)-1]
	n, code := in.quote.body(s.text[s.at+1:], in.end)
	s.tokens = append(s.tokens, s.tokenHere(in.quote.open, StringToken))
	s.fresh = false
	s.skip(1 + n)
	in.depth = 0
	if !code {
		s.inner = s.inner[:len(s.inner)-1]
	}
}
