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

// isURI reports whether text is an anyURI (part 2, section 3.2.17): characters that URIs
// do not have are escaped first, so that little is excluded.
func isURI(text string) bool {
	for rest := text; ; {
		at := strings.IndexByte(rest, '%')
		if at < 0 {
			return true
		}
		rest = rest[at+1:]
		if len(rest) < 2 || hexLength(rest[:2]) < 0 {
			return false
		}
	}
}

// resolve returns the expanded name of a qualified name.
func resolve(text string, ctx Context) (Name, bool) {
	prefix, local, colon := strings.Cut(text, ":")
	if !colon {
		prefix, local = "", text
	}
	if !isNCName(local) || colon && !isNCName(prefix) {
		return Name{}, false
	}
	if ctx == nil {
		return Name{Local: local}, !colon
	}
	space, ok := ctx.Lookup(prefix)
	return Name{Space: space, Local: local}, ok
}
