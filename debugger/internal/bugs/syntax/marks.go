package syntax

import (
	"strings"
	"unicode/utf8"
)

// What follows sees strings whose end depends on how they begin. Each looks a
// bounded number of bytes ahead, and answers with the length of the beginning, 0
// where none is, and with the end.

// markLimit is the most bytes of a beginning that an end may repeat.
const markLimit = 64

// parenthesized sees "mark( of C++, which )mark" ends.
func parenthesized(text string) (int, string) {
	if !strings.HasPrefix(text, `"`) {
		return 0, ""
	}
	n := strings.IndexAny(text[1:min(len(text), markLimit)], "() \\\t\n\"")
	if n < 0 || text[1+n] != '(' {
		return 0, ""
	}
	return n + 2, ")" + text[1:1+n] + `"`
}

// fenced sees ##", which "## ends, with any number of number signs.
func fenced(text string) (int, string) {
	n := repeated(text, '#')
	if n == markLimit || byteAt(text, n) != '"' {
		return 0, ""
	}
	return n + 1, `"` + text[:n]
}

// fencedOnce is fenced with at least one number sign, and with one quote or three.
func fencedOnce(text string) (int, string) {
	n := repeated(text, '#')
	if n == 0 {
		return 0, ""
	}
	if strings.HasPrefix(text[n:], `"""`) {
		return n + 3, `"""` + text[:n]
	}
	return fenced(text)
}

// tripled sees three quotes or more, which as many end. Dollar signs may stand in
// front.
func tripled(text string) (int, string) {
	dollars := repeated(text, '$')
	n := repeated(text[dollars:], '"')
	if n < 3 {
		return 0, ""
	}
	return dollars + n, text[dollars : dollars+n]
}

// repeated returns how often text begins with c, at most markLimit.
func repeated(text string, c byte) int {
	n := 0
	for n < markLimit && byteAt(text, n) == c {
		n++
	}
	return n
}

// bracketed sees "( of D, which )" ends, and "WORD, which WORD" ends.
func bracketed(text string) (int, string) {
	if !strings.HasPrefix(text, `"`) || len(text) < 2 {
		return 0, ""
	}
	if i := strings.IndexByte("([{<", text[1]); i >= 0 {
		return 2, ")]}>"[i:i+1] + `"`
	}
	n := wordLength(text[1:min(len(text), markLimit)])
	if n == 0 {
		return 2, text[1:2] + `"`
	}
	return 1 + n, text[1:1+n] + `"`
}

// hereDocument sees <<<WORD, which a line that begins with WORD ends.
func hereDocument(text string) (int, string) {
	rest, ok := strings.CutPrefix(text, "<<<")
	if !ok {
		return 0, ""
	}
	rest = strings.TrimLeft(rest[:min(len(rest), markLimit)], ` '"`+"\t")
	n := wordLength(rest)
	if n == 0 {
		return 0, ""
	}
	at := strings.Index(text, rest[:n])
	return at + n, rest[:n]
}

// character sees 'c' where a quote may be something else, too: 'static of Rust.
func character(text string) (int, string) {
	if !strings.HasPrefix(text, "'") || len(text) < 3 || text[1] == '\n' {
		return 0, ""
	}
	if text[1] == '\\' {
		return 1, "'"
	}
	if _, n := utf8.DecodeRuneInString(text[1:]); byteAt(text, 1+n) == '\'' {
		return 1, "'"
	}
	return 0, ""
}
