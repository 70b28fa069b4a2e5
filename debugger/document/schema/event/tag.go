package event

import (
	"bytes"
	"unicode/utf8"
)

// A rawAttr is an attribute as it stands in a tag.
type rawAttr struct {
	name     *qname
	at       int // offset of the name in the tag; 0 if the document type adds it
	from, to int // the value, in Parser.values
}

// fewAttributes is the number of attributes that are compared each with each.
const fewAttributes = 8

// startTag reads a start tag or an empty-element tag and makes its event.
func (p *Parser) startTag(b []byte) error {
	if len(p.open) >= p.limits.Depth {
		return p.limit("depth of nested elements", int64(p.limits.Depth))
	}
	p.forgetNames()
	p.attrs, p.values = p.attrs[:0], p.values[:0]
	expanded := p.expanded
	name, length, err := p.scanTag(b)
	if err != nil {
		p.expanded = expanded
		return err
	}
	if p.doctype != nil {
		if err := p.addDefaults(name.raw); err != nil {
			return err
		}
	}
	e := element{name: name, undo: len(p.undo)}
	if err := p.declareAll(); err != nil {
		return err
	}
	space, err := p.space(name, 1)
	if err != nil {
		return err
	}
	start := p.moved(0)
	e.space, e.line, e.column = space, start.line+1, start.column+1
	p.event = Event{
		Kind: Start, Line: e.line, Column: e.column, Offset: p.Offset(),
		Name: Name{space, name.local}, Prefix: name.shown(), Attrs: p.event.Attrs[:0],
	}
	if err := p.makeAttrs(b, start); err != nil {
		return err
	}
	p.open = append(p.open, e)
	p.in.pos += length
	p.state = inContent
	return nil
}

// forgetNames bounds what is kept of names that tags had, but for prefixes that are bound.
func (p *Parser) forgetNames() {
	if len(p.names) >= maxNames || len(p.bindings) >= maxNames+2*p.bound {
		clear(p.names)
		for prefix, b := range p.bindings {
			if !b.bound && b != p.defaultNS {
				delete(p.bindings, prefix)
			}
		}
		p.bound = len(p.bindings)
	}
	if len(p.strings) >= maxNames {
		clear(p.strings)
	}
}

// scanTag reads a tag into Parser.attrs and returns the name of the element and the
// length of the tag.
func (p *Parser) scanTag(b []byte) (name *qname, length int, err error) {
	i, err := p.nameEnd(b, 1)
	if err != nil {
		return nil, 0, err
	}
	name = p.name(b[1:i])
	for {
		gap := spaces(b[i:])
		i += gap
		switch {
		case i == len(b):
			return nil, 0, errShort
		case b[i] == '>':
			return name, i + 1, nil
		case b[i] == '/':
			if i+1 == len(b) {
				return nil, 0, errShort
			}
			if b[i+1] != '>' {
				return nil, 0, p.fail(i+1, "> must follow / in the tag of %s", name.raw)
			}
			p.closing = true
			return name, i + 2, nil
		case gap == 0:
			return nil, 0, p.fail(i, "white space or > is missing in the tag of %s", name.raw)
		case len(p.attrs) == p.limits.Attributes:
			line, column := p.place(i)
			return nil, 0, &LimitError{line, column, "attributes of one element", int64(p.limits.Attributes)}
		}
		if i, err = p.scanAttribute(b, i); err != nil {
			return nil, 0, err
		}
	}
}

// nameEnd returns the end of the name at b[from:].
func (p *Parser) nameEnd(b []byte, from int) (int, error) {
	if from > len(b) {
		return 0, errShort
	}
	end := from + nameLength(b[from:])
	switch {
	case end == len(b), !p.ended() && !utf8.FullRune(b[end:]):
		return 0, errShort
	case end == from:
		return 0, p.fail(from, "a name is missing")
	}
	return end, nil
}

// scanAttribute reads the attribute at b[at:] and returns its end.
func (p *Parser) scanAttribute(b []byte, at int) (int, error) {
	end, err := p.nameEnd(b, at)
	if err != nil {
		return 0, err
	}
	name := p.name(b[at:end])
	i := end + spaces(b[end:])
	if i == len(b) {
		return 0, errShort
	}
	if b[i] != '=' {
		return 0, p.fail(i, "= must follow the name of the attribute %s", name.raw)
	}
	i++
	i += spaces(b[i:])
	if i == len(b) {
		return 0, errShort
	}
	if b[i] != '"' && b[i] != '\'' {
		return 0, p.fail(i, "the value of the attribute %s is not in quotes", name.raw)
	}
	from := len(p.values)
	if i, err = p.scanValue(b, i+1, b[i]); err != nil {
		return 0, err
	}
	p.attrs = append(p.attrs, rawAttr{name, at, from, len(p.values)})
	return i, nil
}

// scanValue appends the value at b[i:] to Parser.values and returns the index after
// its closing quote.
func (p *Parser) scanValue(b []byte, i int, quote byte) (int, error) {
	plain := plainDouble
	if quote == '\'' {
		plain = plainSingle
	}
	for {
		from := i
		for i < len(b) && byteClass[b[i]]&plain != 0 {
			i++
		}
		p.values = append(p.values, b[from:i]...)
		if i == len(b) {
			return 0, errShort
		}
		switch c := b[i]; {
		case c == quote:
			return i + 1, nil
		case c == '<':
			return 0, p.fail(i, "< is not permitted in the value of an attribute")
		case isSpace(c):
			if c == '\r' && i+1 == len(b) {
				return 0, errShort
			}
			if c == '\r' && b[i+1] == '\n' && p.in.entity == nil {
				i++
			}
			p.values = append(p.values, ' ')
			i++
		case c == '&':
			ref, err := p.parseReference(b[i:], i)
			if err != nil {
				return 0, err
			}
			if err := p.addReference(ref, i); err != nil {
				return 0, err
			}
			i += ref.length
		default:
			_, size, err := p.character(b[i:])
			if err == errShort {
				return 0, err
			}
			if err != nil {
				return 0, p.badCharacter(i, err)
			}
			p.values = append(p.values, b[i:i+size]...)
			i += size
		}
	}
}

// declareAll binds the namespaces that the tag declares.
func (p *Parser) declareAll() error {
	for _, a := range p.attrs {
		if !a.name.declare || a.name.bad {
			continue
		}
		b := p.defaultNS
		if !a.name.plain {
			b = p.prefix(a.name.local)
		}
		uri := p.values[a.from:a.to]
		if wrong := reserved(b.prefix, string(uri)); wrong != "" {
			return p.fail(a.at, "%s", wrong)
		}
		if b.prefix != "xml" {
			p.bind(b, p.intern(uri))
		}
	}
	return nil
}

// reserved returns why a prefix may not be bound to a namespace, or "".
func reserved(prefix, uri string) string {
	switch {
	case prefix == "xmlns":
		return "the prefix xmlns must not be declared"
	case prefix == "xml" && uri != XMLSpace:
		return "the prefix xml must not be bound to another namespace"
	case prefix != "xml" && uri == XMLSpace:
		return "the namespace of the prefix xml must not be bound to another prefix"
	case uri == XMLNSSpace:
		return "the namespace of the prefix xmlns must not be declared"
	case prefix != "" && uri == "":
		return "the prefix " + prefix + " must not be bound to no namespace"
	}
	return ""
}

// space returns the namespace of an element's or an attribute's name that stands at
// an offset of the tag.
func (p *Parser) space(name *qname, at int) (string, error) {
	if name.bad {
		return "", p.fail(at, "%s is not a name with at most one prefix", name.raw)
	}
	if !name.plain && !name.prefix.bound || name.prefix.prefix == "xmlns" {
		return "", p.fail(at, "the namespace prefix %s is not declared", name.prefix.prefix)
	}
	return name.prefix.uri, nil
}

// shown returns the prefix as it stands in the name.
func (q *qname) shown() string {
	if q.plain {
		return ""
	}
	return q.prefix.prefix
}

// makeAttrs makes the attributes of the event from those of the tag.
func (p *Parser) makeAttrs(b []byte, here mark) error {
	if len(p.attrs) == 0 {
		return nil
	}
	p.tags++
	values := string(p.values)
	start := here
	prefixed, done := 0, 0
	for _, a := range p.attrs {
		if a.name.seen == p.tags {
			return p.fail(a.at, "the attribute %s is there twice", a.name.raw)
		}
		a.name.seen = p.tags
		switch {
		case a.at == 0:
			here = start
		case p.in.entity == nil:
			here.advance(b[done:a.at])
			done = a.at
		}
		if a.name.declare && !a.name.bad {
			continue
		}
		made := Attr{
			Name: Name{Local: a.name.local}, Prefix: a.name.shown(), Value: values[a.from:a.to],
			Line: int32(here.line + 1), Column: int32(here.column + 1),
		}
		if a.name.bad || !a.name.plain {
			space, err := p.space(a.name, a.at)
			if err != nil {
				return err
			}
			made.Name.Space = space
			prefixed++
		}
		p.event.Attrs = append(p.event.Attrs, made)
	}
	if prefixed > 1 {
		return p.checkUnique()
	}
	return nil
}

// checkUnique rejects attributes with the same expanded name.
func (p *Parser) checkUnique() error {
	attrs := p.event.Attrs
	var seen map[Name]bool
	if len(attrs) > fewAttributes {
		seen = make(map[Name]bool, len(attrs))
	}
	for i, a := range attrs {
		twice := seen[a.Name]
		if seen != nil {
			seen[a.Name] = true
		} else {
			for _, before := range attrs[:i] {
				twice = twice || before.Name == a.Name
			}
		}
		if twice {
			return &SyntaxError{int(a.Line), int(a.Column), "the attribute " + a.Name.String() + " is there twice"}
		}
	}
	return nil
}

// endTag reads an end tag and makes its event.
func (p *Parser) endTag(b []byte) error {
	if len(p.open) == p.in.depth {
		return p.fail(0, "an end tag has no start tag")
	}
	open := p.open[len(p.open)-1].name.raw
	i := 2 + len(open)
	if len(b) <= i {
		if !p.ended() || bytes.HasPrefix([]byte(open), b[2:]) {
			return errShort
		}
	}
	if len(b) <= i || string(b[2:i]) != open || nameGoesOn(b[i:]) {
		return p.fail(2, "the end tag of %s (line %d) is expected here", open, p.open[len(p.open)-1].line)
	}
	i += spaces(b[i:])
	if i == len(b) {
		return errShort
	}
	if b[i] != '>' {
		return p.fail(i, "> is missing in the end tag of %s", open)
	}
	p.endElement(false)
	p.in.pos += i + 1
	return nil
}

// nameGoesOn reports whether a name's character is at the start of text.
func nameGoesOn(text []byte) bool {
	r, _ := utf8.DecodeRune(text)
	return IsNameChar(r) && r != utf8.RuneError
}

// endElement makes the event of the end of the innermost element, whose tag may be an
// empty-element tag. Its namespaces stay in scope until the next call of Next.
func (p *Parser) endElement(empty bool) {
	e := p.open[len(p.open)-1]
	p.open = p.open[:len(p.open)-1]
	line, column := e.line, e.column
	if !empty {
		line, column = p.place(0)
	}
	attrs := p.event.Attrs[:0]
	p.event = Event{Kind: End, Line: line, Column: column, Name: Name{e.space, e.name.local}, Prefix: e.name.shown(), Attrs: attrs}
	p.leaving = true
	p.restore = e.undo
	if len(p.open) == 0 {
		p.state = afterRoot
	}
}
