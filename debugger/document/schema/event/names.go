package event

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Namespaces that have a fixed prefix (Namespaces in XML 1.0, section 3).
const (
	XMLSpace   = "http://www.w3.org/XML/1998/namespace"
	XMLNSSpace = "http://www.w3.org/2000/xmlns/"
)

// Classes of bytes of markup and text.
const (
	nameByte    uint8 = 1 << iota // ASCII that may be in a name
	startByte                     // ASCII that may start a name
	spaceByte                     // white space
	plainText                     // text that needs no look
	plainDouble                   // a value in double quotes that needs no look
	plainSingle                   // a value in single quotes that needs no look
)

var byteClass = func() (class [256]uint8) {
	for b := range 128 {
		switch c := byte(b); {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '_', c == ':':
			class[c] |= nameByte | startByte
		case c >= '0' && c <= '9', c == '-', c == '.':
			class[c] |= nameByte
		}
		if b >= ' ' && !strings.ContainsRune("<&", rune(b)) {
			class[b] |= plainText | plainDouble | plainSingle
		}
	}
	class['\t'] |= plainText
	class['\n'] |= plainText
	class['>'] &^= plainText
	class['"'] &^= plainDouble
	class['\''] &^= plainSingle
	for _, c := range " \t\r\n" {
		class[c] |= spaceByte
	}
	return class
}()

func isSpace(b byte) bool { return byteClass[b]&spaceByte != 0 }

// spaces returns the length of the white space at the start of text.
func spaces(text []byte) int {
	n := 0
	for n < len(text) && isSpace(text[n]) {
		n++
	}
	return n
}

// isChar reports whether r is a Char of XML 1.0, section 2.2.
func isChar(r rune) bool {
	return r >= 0x20 && r <= 0xD7FF || r == '\t' || r == '\n' || r == '\r' ||
		r >= 0xE000 && r <= 0xFFFD || r >= 0x10000 && r <= 0x10FFFF
}

// nameStart lists the ranges of NameStartChar above ASCII, nameRest what NameChar
// adds (XML 1.0, fifth edition, section 2.3).
var (
	nameStart = [][2]rune{
		{0xC0, 0xD6}, {0xD8, 0xF6}, {0xF8, 0x2FF}, {0x370, 0x37D}, {0x37F, 0x1FFF}, {0x200C, 0x200D},
		{0x2070, 0x218F}, {0x2C00, 0x2FEF}, {0x3001, 0xD7FF}, {0xF900, 0xFDCF}, {0xFDF0, 0xFFFD}, {0x10000, 0xEFFFF},
	}
	nameRest = [][2]rune{{0xB7, 0xB7}, {0x300, 0x36F}, {0x203F, 0x2040}}
)

func within(ranges [][2]rune, r rune) bool {
	for _, pair := range ranges {
		if r >= pair[0] && r <= pair[1] {
			return true
		}
	}
	return false
}

// IsNameStart reports whether r is a NameStartChar of XML 1.0, section 2.3.
func IsNameStart(r rune) bool {
	if r < utf8.RuneSelf {
		return byteClass[r]&startByte != 0
	}
	return within(nameStart, r)
}

// IsNameChar reports whether r is a NameChar of XML 1.0, section 2.3.
func IsNameChar(r rune) bool {
	if r < utf8.RuneSelf {
		return byteClass[r]&nameByte != 0
	}
	return within(nameStart, r) || within(nameRest, r)
}

// nameLength returns the length of the Name at the start of text, 0 if there is none.
func nameLength(text []byte) int {
	n := 0
	for n < len(text) && byteClass[text[n]]&nameByte != 0 {
		n++
	}
	if n == len(text) || text[n] < utf8.RuneSelf {
		if n > 0 && byteClass[text[0]]&startByte == 0 {
			return 0
		}
		return n
	}
	return wideName(text)
}

// wideName is nameLength for names with characters outside ASCII.
func wideName(text []byte) int {
	n := 0
	for n < len(text) {
		r, size := utf8.DecodeRune(text[n:])
		if n == 0 && !IsNameStart(r) || !IsNameChar(r) || r == utf8.RuneError && size <= 1 {
			break
		}
		n += size
	}
	return n
}

// NCNameLength returns the length of the name without colons at the start of text, 0 if
// there is none.
func NCNameLength(text string) int {
	for i, r := range text {
		if r == ':' || i == 0 && !IsNameStart(r) || !IsNameChar(r) {
			return i
		}
	}
	return len(text)
}

// A binding is a prefix and the namespace that it is bound to.
type binding struct {
	prefix string
	uri    string
	bound  bool
}

// A qname is a name as it stands in tags.
type qname struct {
	raw     string
	local   string
	prefix  *binding // that of the default namespace if the name has no prefix
	plain   bool     // it has no prefix
	bad     bool     // it has an empty part or a second colon
	declare bool     // it declares a namespace
	seen    int64    // the number of the last tag with an attribute of this name
}

// maxNames limits the names that are kept for later tags.
const maxNames = 1 << 16

// name returns the qname that stands in a tag.
func (p *Parser) name(raw []byte) *qname {
	if q, ok := p.names[string(raw)]; ok {
		return q
	}
	q := p.newName(string(raw))
	p.names[q.raw] = q
	return q
}

func (p *Parser) newName(raw string) *qname {
	prefix, local, colon := strings.Cut(raw, ":")
	if !colon {
		return &qname{raw: raw, local: raw, prefix: p.defaultNS, plain: true, declare: raw == "xmlns"}
	}
	bad := prefix == "" || local == "" || strings.Contains(local, ":")
	if !bad {
		r, _ := utf8.DecodeRuneInString(local)
		bad = !IsNameStart(r)
	}
	return &qname{raw: raw, local: local, prefix: p.prefix(prefix), bad: bad, declare: prefix == "xmlns"}
}

// prefix returns the binding of a prefix.
func (p *Parser) prefix(prefix string) *binding {
	if b, ok := p.bindings[prefix]; ok {
		return b
	}
	b := &binding{prefix: prefix}
	p.bindings[prefix] = b
	return b
}

// Lookup returns the namespace that a prefix is bound to in the element that was
// started last and not yet ended. That of "" is the default namespace, which may be
// "".
func (p *Parser) Lookup(prefix string) (uri string, ok bool) {
	b, known := p.bindings[prefix]
	if !known || !b.bound && prefix != "" {
		return "", false
	}
	return b.uri, true
}

// Declared returns the namespaces that the last start tag declares. It is valid until
// the next call of Next.
func (p *Parser) Declared() []NS {
	p.declared = p.declared[:0]
	if len(p.open) == 0 || p.event.Kind != Start {
		return nil
	}
	for _, u := range p.undo[p.open[len(p.open)-1].undo:] {
		p.declared = append(p.declared, NS{u.binding.prefix, u.binding.uri})
	}
	return p.declared
}

// An undo restores a binding at the end of an element.
type undo struct {
	binding *binding
	uri     string
	bound   bool
}

// bind binds a prefix until the end of the element.
func (p *Parser) bind(b *binding, uri string) {
	p.undo = append(p.undo, undo{b, b.uri, b.bound})
	b.uri, b.bound = uri, uri != ""
}

// unbind restores the bindings that were in force before the element.
func (p *Parser) unbind(from int) {
	for i := len(p.undo) - 1; i >= from; i-- {
		u := p.undo[i]
		u.binding.uri, u.binding.bound = u.uri, u.bound
	}
	clear(p.undo[from:])
	p.undo = p.undo[:from]
}

// intern returns a text as a string that is shared with equal ones.
func (p *Parser) intern(text []byte) string {
	if s, ok := p.strings[string(text)]; ok {
		return s
	}
	s := string(text)
	p.strings[s] = s
	return s
}

// InScope returns the namespaces that are bound in the element that was started last and
// not yet ended, but for those of the prefixes xml and xmlns, sorted by prefix.
func (p *Parser) InScope() []NS {
	var all []NS
	for prefix, b := range p.bindings {
		if b.bound && prefix != "xml" && prefix != "xmlns" {
			all = append(all, NS{prefix, b.uri})
		}
	}
	slices.SortFunc(all, func(a, b NS) int { return cmp.Compare(a.Prefix, b.Prefix) })
	return all
}
