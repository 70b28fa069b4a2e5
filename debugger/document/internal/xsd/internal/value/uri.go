package value

import (
	"errors"
	"strings"
	"unicode/utf8"
)

var errAnyURI = errors.New("invalid anyURI")

// validateAnyURI accepts what XML Schema 1.0 Part 2 (3.2.17) calls an anyURI: a text
// that is a URI reference of RFC 2396, as amended by RFC 2732, once the characters
// that XLink (5.4) names are escaped. Version 1.1 accepts every text.
func validateAnyURI(value string, version Version) error {
	if version == Version11 || value == "" {
		return nil
	}
	if !escapesAreWhole(value) {
		return errAnyURI
	}
	reference, fragment, _ := strings.Cut(value, "#")
	if strings.Contains(fragment, "#") {
		return errAnyURI
	}
	// A colon before any slash ends a scheme: the first segment of a relative
	// reference has none.
	if at := strings.IndexAny(reference, ":/?"); at >= 0 && reference[at] == ':' {
		if !isScheme(reference[:at]) || at+1 == len(reference) {
			return errAnyURI
		}
		reference = reference[at+1:]
	}
	return validateBrackets(reference)
}

// escapesAreWhole reports whether two hexadecimal digits follow each percent sign, and
// there is no control character: none that XML permits is left when blanks are collapsed.
func escapesAreWhole(value string) bool {
	for i := range len(value) {
		switch ch := value[i]; {
		case ch >= utf8.RuneSelf:
		case ch < ' ' || ch == 0x7f:
			return false
		case ch == '%' && (i+2 >= len(value) || !isHexDigit(value[i+1]) || !isHexDigit(value[i+2])):
			return false
		}
	}
	return true
}

func isScheme(text string) bool {
	for i := range len(text) {
		ch := text[i] | 0x20
		letter := 'a' <= ch && ch <= 'z'
		if !letter && (i == 0 || !strings.ContainsRune("0123456789+-.", rune(text[i]))) {
			return false
		}
	}
	return text != ""
}

// validateBrackets accepts brackets around the IPv6 address of a host, and in a query: RFC
// 2732 has made them reserved characters, which queries and fragments may have.
func validateBrackets(reference string) error {
	reference, _, _ = strings.Cut(reference, "?")
	if !strings.ContainsAny(reference, "[]") {
		return nil
	}
	host, ok := strings.CutPrefix(reference, "//")
	if !ok {
		return errAnyURI
	}
	rest := ""
	if end := strings.IndexByte(host, '/'); end >= 0 {
		host, rest = host[:end], host[end:]
	}
	if _, after, found := strings.Cut(host, "@"); found {
		host = after
	}
	address, port, closed := strings.Cut(strings.TrimPrefix(host, "["), "]")
	if host == "" || host[0] != '[' || !closed || strings.Trim(address, "0123456789abcdefABCDEF:.") != "" || address == "" ||
		strings.Trim(strings.TrimPrefix(port, ":"), "0123456789") != "" || strings.ContainsAny(rest, "[]") {
		return errAnyURI
	}
	return nil
}
