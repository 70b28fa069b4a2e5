package document

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// A grammarCheck finds static errors of XPath 3.1 that the engine's parser accepts. A
// query in which it finds nothing may still be wrong.
type grammarCheck struct {
	query string
	names map[string]string // prefixes that are bound

	at    int
	open  []bool // for each open bracket, whether it is the brace of a map
	prior string // the previous token
}

// checkGrammar returns a QueryError for the first such error, or nil.
func checkGrammar(query string, names map[string]string) error {
	g := &grammarCheck{query: query, names: names}
	for g.at < len(query) {
		if code, message := g.token(); code != "" {
			return &QueryError{Query: query, Code: code, Message: message}
		}
	}
	return nil
}

// token reads a token, a comment or a blank, and returns the code of its error and
// a message, or "".
func (g *grammarCheck) token() (code, message string) {
	rest := g.query[g.at:]
	switch c := rest[0]; {
	case c == '"' || c == '\'':
		g.skip(1 + closing(rest[1:], string(c)))
	case strings.HasPrefix(rest, "(:"):
		g.at += commentLength(rest)
		return "", ""
	case strings.HasPrefix(rest, "Q{"):
		end := strings.IndexByte(rest, '}')
		if end < 0 {
			return codeSyntax, "Q{ has no closing brace"
		}
		g.skip(end + 1)
	case strings.HasPrefix(rest, "::"), strings.HasPrefix(rest, ":="):
		g.skip(2)
	case c == ':':
		return g.colon()
	case c >= '0' && c <= '9':
		g.skip(len(numberForm.FindString(rest)))
	case nameLength(rest) > 0:
		return g.name(rest)
	default:
		g.bracket(c)
		_, size := utf8.DecodeRuneInString(rest)
		g.skip(size)
	}
	return "", ""
}

var numberForm = regexp.MustCompile(`^[0-9.]+([eE][+-]?[0-9]+)?`)

// skip reads a token of n bytes. Blanks are not recorded.
func (g *grammarCheck) skip(n int) {
	n = min(n, len(g.query)-g.at)
	if text := g.query[g.at : g.at+n]; strings.TrimSpace(text) != "" {
		g.prior = text
	}
	g.at += n
}

// closing returns the length of a literal up to the end of its closing quote.
func closing(text, quote string) int {
	if end := strings.Index(text, quote); end >= 0 {
		return end + 1
	}
	return len(text)
}

// commentLength returns the length of the comment at the beginning of a text.
// Comments may contain comments.
func commentLength(text string) int {
	depth := 0
	for i := 0; i+1 < len(text); i++ {
		switch text[i : i+2] {
		case "(:":
			depth++
			i++
		case ":)":
			depth--
			i++
		}
		if depth == 0 {
			return i + 1
		}
	}
	return len(text)
}

// nameLength returns the length of the NCName at the beginning of a text, or 0.
func nameLength(text string) int { return len(nameForm.FindString(text)) }

// NameStartChar and NameChar of XML 1.0 (fifth edition), section 2.3, without the colon.
const (
	nameStartChar = `A-Z_a-z\x{C0}-\x{D6}\x{D8}-\x{F6}\x{F8}-\x{2FF}\x{370}-\x{37D}\x{37F}-\x{1FFF}` +
		`\x{200C}-\x{200D}\x{2070}-\x{218F}\x{2C00}-\x{2FEF}\x{3001}-\x{D7FF}\x{F900}-\x{FDCF}\x{FDF0}-\x{FFFD}\x{10000}-\x{EFFFF}`
	nameChar = nameStartChar + `.0-9\x{B7}\x{300}-\x{36F}\x{203F}-\x{2040}-`
	ncName   = `[` + nameStartChar + `][` + nameChar + `]*`
)

var nameForm = regexp.MustCompile(`^` + ncName)

// bracket records an opening or closing bracket.
func (g *grammarCheck) bracket(c byte) {
	switch c {
	case '(', '[', '{':
		g.open = append(g.open, c == '{' && g.prior == "map")
	case ')', ']', '}':
		g.open = g.open[:max(0, len(g.open)-1)]
	}
}

// colon reads a colon that no name precedes directly. It belongs to a map, or to a
// wildcard such as *:name, which has no blanks or comments (XPath 3.1, appendix
// A.2.4.1, ws: explicit).
func (g *grammarCheck) colon() (code, message string) {
	inMap := len(g.open) > 0 && g.open[len(g.open)-1]
	wildcard := g.at > 0 && g.query[g.at-1] == '*' && nameLength(g.query[g.at+1:]) > 0
	if !inMap && !wildcard {
		return codeSyntax, "a colon has no name or asterisk directly before and after it"
	}
	g.skip(1)
	return "", ""
}

// name reads a name with or without a prefix, or prefix:*.
func (g *grammarCheck) name(rest string) (code, message string) {
	n := nameLength(rest)
	local := ""
	if prefixed := n+1 < len(rest) && rest[n] == ':'; prefixed {
		if local = rest[n+1 : n+1+nameLength(rest[n+1:])]; local == "" && rest[n+1] == '*' {
			local = "*"
		}
	}
	switch name := rest[:n]; {
	case local != "" && name == "xmlns":
		return codePrefix, "the prefix xmlns cannot be used"
	case local != "":
		n += 1 + len(local)
	case (name == "schema-element" || name == "schema-attribute") && g.prior != "$":
		if code, message := g.schemaTest(name, rest[n:]); code != "" {
			return code, message
		}
	}
	g.skip(n)
	return "", ""
}

var schemaTestForm = regexp.MustCompile(`^\s*\(\s*(?:(Q\{[^{}]*\}|` + ncName + `:)?` + ncName + `\s*\))?`)

// schemaTest returns the error of a test for a declaration of a schema. There are
// none, as queries have no schema (XPath 3.1, sections 2.5.5.4 and 2.5.5.6).
func (g *grammarCheck) schemaTest(name, rest string) (code, message string) {
	parts := schemaTestForm.FindStringSubmatch(rest)
	if parts == nil {
		return "", "" // the name of an element
	}
	prefix := strings.TrimSuffix(parts[1], ":")
	switch _, bound := g.names[prefix]; {
	case !strings.HasSuffix(parts[0], ")"):
		return codeSyntax, name + " needs a name in parentheses"
	case prefix != "" && prefix[len(prefix)-1] != '}' && !bound:
		return codePrefix, "the prefix " + prefix + " is not bound"
	default:
		return codeUndeclared, name + ": there is no schema with this name"
	}
}
