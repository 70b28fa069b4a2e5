package expr

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxLength is the maximum length of an expression in bytes.
const MaxLength = 4096

// A SyntaxError reports where and why an expression cannot be parsed.
type SyntaxError struct {
	Offset int // in bytes
	Cause  string
}

// Error tells where and why.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("%s at character %d", e.Cause, e.Offset+1)
}

type tokenKind uint8

const (
	endToken tokenKind = iota
	nameToken
	registerToken
	intToken
	floatToken
	charToken
	textToken // with its quotation marks
	signToken // an operator or bracket
)

// A token is a word of an expression.
type token struct {
	kind   tokenKind
	text   string
	offset int

	number   uint64
	float    float64
	unsigned bool // a number written with u
	long     bool // or with l
}

// signs are the operators and brackets, longer ones before their prefixes.
var signs = []string{
	"<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "->",
	"(", ")", "[", "]", ".", "+", "-", "*", "/", "%", "<", ">", "!", "~", "&", "|", "^", "?", ":", "@", ",",
}

// lex splits a text into tokens; the last one is the end.
func lex(text string) ([]token, error) {
	if len(text) > MaxLength {
		return nil, &SyntaxError{MaxLength, fmt.Sprintf("longer than %d bytes", MaxLength)}
	}
	if !utf8.ValidString(text) {
		return nil, &SyntaxError{0, "not UTF-8"}
	}
	var tokens []token
	for at := 0; ; {
		at += len(text[at:]) - len(strings.TrimLeftFunc(text[at:], unicode.IsSpace))
		if at == len(text) {
			return append(tokens, token{kind: endToken, offset: at}), nil
		}
		t, n, err := next(text[at:], isMember(tokens))
		if err != nil {
			return nil, &SyntaxError{at, err.Error()}
		}
		t.offset = at
		tokens = append(tokens, t)
		at += n
	}
}

// isMember reports whether a number that follows a point is a tuple's member.
func isMember(tokens []token) bool {
	if len(tokens) == 0 {
		return false
	}
	last := tokens[len(tokens)-1]
	return last.kind == nameToken || last.text == ")" || last.text == "]"
}

// next returns the token at the beginning of a text, and its length.
func next(text string, member bool) (token, int, error) {
	r, _ := utf8.DecodeRuneInString(text)
	switch {
	case r == '$':
		n := 1 + nameLength(text[1:])
		return token{kind: registerToken, text: text[1:n]}, n, nil
	case isNameStart(r):
		n := qualifiedLength(text)
		return token{kind: nameToken, text: text[:n]}, n, nil
	case r >= '0' && r <= '9', r == '.' && !member && len(text) > 1 && text[1] >= '0' && text[1] <= '9':
		return lexNumber(text)
	case r == '\'':
		return character(text)
	case r == '"':
		return quoted(text)
	}
	for _, sign := range signs {
		if strings.HasPrefix(text, sign) {
			return token{kind: signToken, text: sign}, len(sign), nil
		}
	}
	return token{}, 0, fmt.Errorf("unexpected %q", r)
}

func isNameStart(r rune) bool { return r == '_' || unicode.IsLetter(r) }

func isNamePart(r rune) bool { return isNameStart(r) || unicode.IsDigit(r) }

func nameLength(text string) int {
	return len(text) - len(strings.TrimLeftFunc(text, isNamePart))
}

// qualifiedLength returns the length of a name that may contain ::.
func qualifiedLength(text string) int {
	n := nameLength(text)
	for strings.HasPrefix(text[n:], "::") {
		more := nameLength(text[n+2:])
		if more == 0 {
			break
		}
		n += 2 + more
	}
	return n
}

// lexNumber parses a number with its suffixes.
func lexNumber(text string) (token, int, error) {
	n := numberLength(text)
	digits := text[:n]
	if isFloat(digits) {
		f, err := strconv.ParseFloat(digits, 64)
		if err != nil || math.IsInf(f, 0) {
			return token{}, 0, fmt.Errorf("%q is no number", digits)
		}
		return token{kind: floatToken, text: digits, float: f}, n, nil
	}
	t := token{kind: intToken, text: digits}
	bare := strings.TrimRight(digits, "uUlL")
	suffix := strings.ToLower(digits[len(bare):])
	t.unsigned, t.long = strings.Contains(suffix, "u"), strings.Contains(suffix, "l")
	value, err := strconv.ParseUint(bare, 0, 64)
	if err != nil || len(suffix) > 3 {
		return token{}, 0, fmt.Errorf("%q is no number of 64 bits", digits)
	}
	t.number = value
	return t, n, nil
}

// numberLength returns the length of the number at the beginning of a text.
func numberLength(text string) int {
	hex := strings.HasPrefix(text, "0x") || strings.HasPrefix(text, "0X")
	for i := range len(text) {
		c := text[i]
		sign := (c == '+' || c == '-') && i > 0 && !hex && (text[i-1] == 'e' || text[i-1] == 'E')
		if !sign && c != '.' && c != '_' && !isNamePart(rune(c)) || c >= utf8.RuneSelf {
			return i
		}
	}
	return len(text)
}

func isFloat(digits string) bool {
	if strings.HasPrefix(strings.ToLower(digits), "0x") {
		return false
	}
	return strings.ContainsAny(digits, ".eE")
}

// character parses a character literal.
func character(text string) (token, int, error) {
	r, _, tail, err := strconv.UnquoteChar(text[1:], '\'')
	if err != nil || !strings.HasPrefix(tail, "'") {
		return token{}, 0, errors.New("unfinished character")
	}
	n := len(text) - len(tail) + 1
	return token{kind: charToken, text: text[:n], number: uint64(r)}, n, nil
}

// quoted parses a string literal with the escapes of Go and C.
func quoted(text string) (token, int, error) {
	prefix, err := strconv.QuotedPrefix(text)
	if err != nil {
		return token{}, 0, errors.New("unfinished text")
	}
	return token{kind: textToken, text: prefix}, len(prefix), nil
}
