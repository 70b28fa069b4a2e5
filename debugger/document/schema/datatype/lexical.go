package datatype

import (
	"strings"
	"unicode/utf8"

	"github.com/triptych-mcp/triptych/debugger/document/schema/event"
)

// lexical reports whether text, whose white space is normalized, is in the lexical space
// of the built-in type that t is derived from.
func (t *Type) lexical(text string, ctx Context) bool {
	switch t.kind {
	case stringKind:
		return t.subset.has(text) && (t.role != entityRole || ctx == nil || ctx.UnparsedEntity(text))
	case booleanKind:
		return text == "true" || text == "false" || text == "1" || text == "0"
	case decimalKind:
		_, point, ok := parseDecimal(text)
		return ok && !(point && t.subset == integers)
	case floatKind, doubleKind:
		return floatForm(text)
	case durationKind:
		_, ok := parseParts(text)
		return ok
	case hexBinaryKind:
		return hexLength(text) >= 0
	case base64BinaryKind:
		return base64Length(text) >= 0
	case anyURIKind:
		return isURI(text)
	case qNameKind:
		_, ok := resolve(text, ctx)
		return ok
	case notationKind:
		name, ok := resolve(text, ctx)
		return ok && (ctx == nil || ctx.Notation(name))
	}
	_, ok := parseFields(forms[t.kind], text)
	return ok
}

// has reports whether a string is in the subset.
func (s subset) has(text string) bool {
	switch s {
	case languages:
		return isLanguage(text)
	case nmtokens:
		return text != "" && nameChars(text) == len(text)
	case names:
		first, _ := utf8.DecodeRuneInString(text)
		return text != "" && event.IsNameStart(first) && nameChars(text) == len(text)
	case ncNames:
		return isNCName(text)
	}
	return true
}

func isNCName(text string) bool { return text != "" && event.NCNameLength(text) == len(text) }

// nameChars returns the length of the name characters at the start of text.
func nameChars(text string) int {
	for i, r := range text {
		if !event.IsNameChar(r) {
			return i
		}
	}
	return len(text)
}

// isLanguage reports whether text has the form of a language code (part 2, section 3.3.3).
func isLanguage(text string) bool {
	for first := true; ; first = false {
		part, rest, more := strings.Cut(text, "-")
		if part == "" || len(part) > 8 {
			return false
		}
		for i := range len(part) {
			letter := part[i]|0x20 >= 'a' && part[i]|0x20 <= 'z'
			if !letter && (first || part[i] < '0' || part[i] > '9') {
				return false
			}
		}
		if !more {
			return true
		}
		text = rest
	}
}

// isURI reports whether text is an anyURI (part 2, section 3.2.17). Characters that URIs do
// not have count as escaped (XLink 1.0, section 5.4), so that little is excluded: what is
// no scheme before a colon, a second fragment, and percent signs that escape nothing (RFC
// 2396).
func isURI(text string) bool {
	if at := strings.IndexAny(text, ":/?#"); at >= 0 && text[at] == ':' && !isScheme(text[:at]) {
		return false
	}
	_, fragment, _ := strings.Cut(text, "#")
	return !strings.Contains(fragment, "#") && escapesOnly(text)
}

func isScheme(text string) bool {
	for i := range len(text) {
		letter := text[i]|0x20 >= 'a' && text[i]|0x20 <= 'z'
		if !letter && (i == 0 || !strings.ContainsRune("0123456789+-.", rune(text[i]))) {
			return false
		}
	}
	return text != ""
}

// escapesOnly reports whether two hexadecimal digits follow each percent sign.
func escapesOnly(text string) bool {
	for {
		at := strings.IndexByte(text, '%')
		if at < 0 {
			return true
		}
		text = text[at+1:]
		if len(text) < 2 || hexLength(text[:2]) < 0 {
			return false
		}
	}
}

// resolve returns the expanded name of a qualified name. The prefix xmlns is for
// declarations only (Namespaces in XML, section 3).
func resolve(text string, ctx Context) (Name, bool) {
	prefix, local, colon := strings.Cut(text, ":")
	if !colon {
		prefix, local = "", text
	}
	if !isNCName(local) || colon && (!isNCName(prefix) || prefix == "xmlns") {
		return Name{}, false
	}
	if ctx == nil {
		return Name{Local: local}, !colon
	}
	space, ok := ctx.Lookup(prefix)
	return Name{Space: space, Local: local}, ok
}
