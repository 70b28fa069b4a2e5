package jsonrpc

import (
	"fmt"
	"math/bits"
)

// DefaultDepth is the nesting of arrays and objects that is accepted by default.
const DefaultDepth = 512

// A SyntaxError reports the byte at which a text stops being JSON, and what was expected
// there.
type SyntaxError struct {
	Offset int
	What   string
}

// The reasons for which a text is refused although its brackets and quotes may be right:
// then the id of the message can be read ([idFinder]).
const (
	tooDeep = "expected no further nesting"
	notUTF8 = "expected UTF-8"
)

// afterValue is the reason to refuse a text that goes on.
const afterValue = "expected nothing after the value"

// Error returns what is wrong, and at which byte. It has nothing of the text itself.
func (e *SyntaxError) Error() string { return fmt.Sprintf("%s at byte %d", e.What, e.Offset) }

// Valid checks that b is one JSON text by RFC 8259, in UTF-8, nested at most
// maxDepth deep. Escaped halves of surrogate pairs are let through, as the RFC
// does; [Unquote] replaces them.
func Valid(b []byte, maxDepth int) error {
	end, err := scanValue(b, skipSpace(b, 0), maxDepth)
	if err != nil {
		return err
	}
	if end = skipSpace(b, end); end != len(b) {
		return &SyntaxError{end, afterValue}
	}
	return nil
}

// skipSpace returns the index of the first byte from i on that is no white space of
// JSON (RFC 8259, section 2), len(b) if there is none.
func skipSpace(b []byte, i int) int {
	for i < len(b) && b[i] <= ' ' && (b[i] == ' ' || b[i] == '\t' || b[i] == '\r' || b[i] == '\n') {
		i++
	}
	return i
}

// scanValue checks the value that begins at b[i] and returns the index after it. depth is
// the nesting that is still allowed: the recursion is bounded by it, so a hostile text
// cannot exhaust the stack.
func scanValue(b []byte, i, depth int) (int, error) {
	if i >= len(b) {
		return 0, &SyntaxError{i, "expected a value"}
	}
	switch c := b[i]; {
	case c == '"':
		return scanString(b, i)
	case c == '{':
		return scanObject(b, i, depth)
	case c == '[':
		return scanArray(b, i, depth)
	case c == '-' || c >= '0' && c <= '9':
		return scanNumber(b, i)
	case c == 't':
		return scanWord(b, i, "true")
	case c == 'f':
		return scanWord(b, i, "false")
	case c == 'n':
		return scanWord(b, i, "null")
	}
	return 0, &SyntaxError{i, "expected a value"}
}

// scanWord returns the end of the word true, false or null that begins at i.
func scanWord(b []byte, i int, word string) (int, error) {
	if len(b)-i < len(word) || string(b[i:i+len(word)]) != word {
		return 0, &SyntaxError{i, "expected " + word}
	}
	return i + len(word), nil
}

// scanObject returns the end of the object that begins at i. Names may repeat in it: RFC
// 8259, section 4, leaves open which one counts.
func scanObject(b []byte, i, depth int) (int, error) {
	if depth == 0 {
		return 0, &SyntaxError{i, tooDeep}
	}
	i = skipSpace(b, i+1)
	if i < len(b) && b[i] == '}' {
		return i + 1, nil
	}
	for {
		value, _, err := scanKey(b, i)
		if err != nil {
			return 0, err
		}
		if i, err = scanValue(b, value, depth-1); err != nil {
			return 0, err
		}
		i = skipSpace(b, i)
		if i < len(b) && b[i] == '}' {
			return i + 1, nil
		}
		if i >= len(b) || b[i] != ',' {
			return 0, &SyntaxError{i, "expected a comma or the end of the object"}
		}
		i = skipSpace(b, i+1)
	}
}

// scanKey checks the key at b[i] and its colon; it returns where the value
// begins and where the key ended.
func scanKey(b []byte, i int) (value, end int, err error) {
	if i >= len(b) || b[i] != '"' {
		return 0, 0, &SyntaxError{i, "expected the name of a member in quotes"}
	}
	if end, err = scanString(b, i); err != nil {
		return 0, 0, err
	}
	if i = skipSpace(b, end); i >= len(b) || b[i] != ':' {
		return 0, 0, &SyntaxError{i, "expected a colon"}
	}
	return skipSpace(b, i+1), end, nil
}

// scanArray returns the end of the array that begins at i (RFC 8259, section 5).
func scanArray(b []byte, i, depth int) (int, error) {
	if depth == 0 {
		return 0, &SyntaxError{i, tooDeep}
	}
	i = skipSpace(b, i+1)
	if i < len(b) && b[i] == ']' {
		return i + 1, nil
	}
	for {
		var err error
		if i, err = scanValue(b, i, depth-1); err != nil {
			return 0, err
		}
		i = skipSpace(b, i)
		if i < len(b) && b[i] == ']' {
			return i + 1, nil
		}
		if i >= len(b) || b[i] != ',' {
			return 0, &SyntaxError{i, "expected a comma or the end of the array"}
		}
		i = skipSpace(b, i+1)
	}
}

// scanString checks the literal whose opening quote is b[i] and returns the
// index after its closing quote.
func scanString(b []byte, i int) (int, error) {
	if i+9 <= len(b) { // most are short and plain
		if marks := unplain(load8(b, i+1)) & highs; marks != 0 {
			if end := i + 1 + bits.TrailingZeros64(marks)/8; b[end] == '"' {
				return end + 1, nil
			}
		}
	}
	return scanLong(b, i)
}

// scanLong is [scanString] for any string.
func scanLong(b []byte, i int) (int, error) {
	start := i
	for i = skipPlain(b, i+1); i < len(b); {
		c := b[i]
		if c == '"' {
			return i + 1, nil
		}
		next := skipWide(b, i)
		if c == '\\' {
			next = i + escapeLen(b[i:])
		}
		if next == i {
			return 0, &SyntaxError{i, expectedInString(c)}
		}
		if i = next; i < len(b) && isPlain(b[i]) {
			i = skipPlain(b, i)
		}
	}
	return 0, &SyntaxError{start, "expected an end of the string that begins"}
}

// expectedInString returns what was expected in place of a byte of a string.
func expectedInString(c byte) string {
	switch {
	case c == '\\':
		return "expected an escape that JSON has"
	case c < ' ':
		return "expected an escape in place of a control character"
	}
	return notUTF8
}

// escapeLen is the length of the escape that b begins with, 0 if it is none.
func escapeLen(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	if b[1] != 'u' {
		return 2 * int(min(unescaped[b[1]], 1))
	}
	if len(b) < 6 {
		return 0
	}
	for _, c := range b[2:6] {
		if !isDigit(c) && (c|0x20 < 'a' || c|0x20 > 'f') {
			return 0
		}
	}
	return 6
}

// isDigit reports whether a byte is a decimal digit.
func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// skipDigits returns the index of the first byte from i on that is no digit.
func skipDigits(b []byte, i int) int {
	for i < len(b) && isDigit(b[i]) {
		i++
	}
	return i
}

// scanNumber returns the end of the number that begins at i: an optional minus, digits
// without a leading zero, a fraction, an exponent (RFC 8259, section 6). What follows
// the number is for the caller to check.
func scanNumber(b []byte, i int) (int, error) {
	start := i
	if b[i] == '-' {
		i++
	}
	whole := i
	i = skipDigits(b, i)
	if i == whole || b[whole] == '0' && i > whole+1 {
		return 0, &SyntaxError{start, "expected a number as JSON writes it"}
	}
	if i < len(b) && b[i] == '.' {
		fraction := i + 1
		if i = skipDigits(b, fraction); i == fraction {
			return 0, &SyntaxError{start, "expected a number as JSON writes it"}
		}
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		exponent := i
		if i = skipDigits(b, exponent); i == exponent {
			return 0, &SyntaxError{start, "expected a number as JSON writes it"}
		}
	}
	return i, nil
}
