package event

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// A doctype holds what the internal subset declares. The first declaration of a name
// counts.
type doctype struct {
	external   bool // there is an external subset, which is never read
	entities   map[string]*entity
	parameters map[string]*entity
	attributes map[string][]attributeDef // by the element's name as it stands in tags
}

// An attributeDef is the declaration of an attribute.
type attributeDef struct {
	name      string
	tokenized bool // its type is not CDATA
	given     bool // it has a default value
	value     string
}

// UnparsedEntity reports whether the document type declares an unparsed entity.
func (p *Parser) UnparsedEntity(name string) bool {
	return p.doctype != nil && p.doctype.entities[name] != nil && p.doctype.entities[name].unparsed
}

// readDoctype reads the document type declaration at the start of b.
func (p *Parser) readDoctype(b []byte) error {
	expanded := p.expanded
	p.doctype = &doctype{
		entities:   map[string]*entity{},
		parameters: map[string]*entity{},
		attributes: map[string][]attributeDef{},
	}
	s := &subset{Parser: p, b: b, at: -1}
	s.doctypeDecl()
	if s.err != nil {
		p.expanded = expanded
		return s.err
	}
	p.in.pos += s.i
	p.state = beforeRoot
	return nil
}

// A subset reads declarations: those of the document, or those in the replacement
// text of a parameter entity. Its methods do nothing after an error.
type subset struct {
	*Parser
	b     []byte
	i     int
	at    int // offset of the reference to the parameter entity; -1 in the document
	depth int // parameter entities in each other
	err   error
}

// wrong records an error at the current position.
func (s *subset) wrong(format string, args ...any) {
	if s.err != nil {
		return
	}
	if s.i >= len(s.b) && s.at < 0 {
		s.err = errShort
		return
	}
	s.err = s.fail(s.offset(s.i), format, args...)
}

// offset returns the offset in the document of an index of the text.
func (s *subset) offset(i int) int {
	if s.at >= 0 {
		return s.at
	}
	return i
}

// has reports whether text follows, and reads it if so.
func (s *subset) has(text string) bool {
	if s.err != nil {
		return false
	}
	if rest := s.b[s.i:]; s.at < 0 && len(rest) < len(text) && strings.HasPrefix(text, string(rest)) {
		s.err = errShort
		return false
	}
	if !bytes.HasPrefix(s.b[s.i:], []byte(text)) {
		return false
	}
	s.i += len(text)
	return true
}

// want reads text.
func (s *subset) want(text string) {
	if !s.has(text) {
		s.wrong("%s is missing in a declaration", text)
	}
}

// skip reads white space and reports whether there was any.
func (s *subset) skip() bool {
	if s.err != nil {
		return false
	}
	n := spaces(s.b[s.i:])
	s.i += n
	return n > 0
}

// wantSpace reads white space that must be there.
func (s *subset) wantSpace() {
	if !s.skip() {
		s.wrong("white space is missing in a declaration")
	}
}

// name reads a name.
func (s *subset) name() string {
	if s.err != nil {
		return ""
	}
	n := nameLength(s.b[s.i:])
	if s.cut(s.i + n) {
		return ""
	}
	if n == 0 {
		s.wrong("a name is missing in a declaration")
		return ""
	}
	s.i += n
	return string(s.b[s.i-n : s.i])
}

// cut reports whether the buffer ends inside the character at an index.
func (s *subset) cut(i int) bool {
	if s.at < 0 && !s.ended() && !utf8.FullRune(s.b[i:]) {
		s.err = errShort
	}
	return s.err != nil
}

// token reads a name token.
func (s *subset) token() {
	from := s.i
	for s.err == nil && s.i < len(s.b) {
		r, size := utf8.DecodeRune(s.b[s.i:])
		if s.cut(s.i) || !IsNameChar(r) || r == utf8.RuneError && size <= 1 {
			break
		}
		s.i += size
	}
	if s.i == from {
		s.wrong("a name token is missing in a declaration")
	}
}

// quoted reads what stands in quotes.
func (s *subset) quoted() []byte {
	if s.err != nil || s.i >= len(s.b) || s.b[s.i] != '"' && s.b[s.i] != '\'' {
		s.wrong("a text in quotes is missing in a declaration")
		return nil
	}
	from := s.i + 1
	n := bytes.IndexByte(s.b[from:], s.b[s.i])
	if n < 0 {
		s.i = len(s.b)
		s.wrong("a text in quotes has no end")
		return nil
	}
	s.i = from + n + 1
	s.check(from, from+n)
	return s.b[from : from+n]
}

// check checks the characters of a part of the text.
func (s *subset) check(from, to int) {
	for i := from; i < to && s.err == nil; {
		r, size := utf8.DecodeRune(s.b[i:to])
		if r == utf8.RuneError && size <= 1 || !isChar(r) {
			s.i = i
			s.wrong("byte 0x%02X begins no character that is permitted", s.b[i])
		}
		i += size
	}
}

// through reads up to the end of a comment or a processing instruction.
func (s *subset) through(end string) []byte {
	from := s.i
	n := bytes.Index(s.b[from:], []byte(end))
	if n < 0 {
		s.i = len(s.b)
		s.wrong("%s is missing", end)
		return nil
	}
	s.i = from + n + len(end)
	s.check(from, from+n)
	return s.b[from : from+n]
}

// doctypeDecl reads a document type declaration (XML 1.0, production 28).
func (s *subset) doctypeDecl() {
	s.want("<!DOCTYPE")
	s.wantSpace()
	s.name()
	if s.skip() && s.err == nil && s.i < len(s.b) && s.b[s.i] != '[' && s.b[s.i] != '>' {
		s.externalID(false)
		s.doctype.external = s.err == nil
		s.skip()
	}
	if s.has("[") {
		s.declarations()
		s.want("]")
		s.skip()
	}
	s.want(">")
}

// externalID reads the identifier of something outside. That of a notation needs no
// system identifier.
func (s *subset) externalID(notation bool) {
	switch {
	case s.has("SYSTEM"):
		s.wantSpace()
		s.quoted()
	case s.has("PUBLIC"):
		s.wantSpace()
		if public := s.quoted(); bytes.ContainsFunc(public, notPublic) {
			s.wrong("the public identifier %q has a character that is not permitted", public)
		}
		from := s.i
		if spaced := s.skip(); notation && (s.i >= len(s.b) || s.b[s.i] == '>') {
			return
		} else if !spaced {
			s.i = from
			s.wrong("white space is missing in a declaration")
		}
		s.quoted()
	default:
		s.wrong("SYSTEM or PUBLIC is missing in a declaration")
	}
}

// notPublic reports whether r is not a PubidChar (XML 1.0, production 13).
func notPublic(r rune) bool {
	letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
	return !letter && !strings.ContainsRune(" \r\n-'()+,./:=?;!*#@$_%", r)
}

// declarations reads declarations up to the end of the subset.
func (s *subset) declarations() {
	for s.err == nil {
		s.skip()
		if s.i >= len(s.b) && s.at >= 0 || s.i < len(s.b) && s.b[s.i] == ']' && s.at < 0 {
			return
		}
		s.declaration()
	}
}

// declaration reads one declaration of an internal subset.
func (s *subset) declaration() {
	for _, d := range []struct {
		begin string
		read  func()
	}{
		{"<!--", s.comment},
		{"<?", s.instruction},
		{"<!ENTITY", s.entityDecl},
		{"<!ATTLIST", s.attlist},
		{"<!ELEMENT", s.elementDecl},
		{"<!NOTATION", s.notation},
		{"%", s.parameter},
	} {
		if s.has(d.begin) {
			d.read()
			return
		}
	}
	s.wrong("a declaration is expected here")
}

func (s *subset) comment() {
	if text := s.through("--"); text != nil || s.err == nil {
		s.want(">")
	}
}

func (s *subset) instruction() {
	target := s.name()
	if strings.EqualFold(target, "xml") {
		s.wrong("the XML declaration is permitted at the start of the document only")
	}
	if s.err == nil && !s.has("?>") {
		s.wantSpace()
		s.through("?>")
	}
}

func (s *subset) notation() {
	s.wantSpace()
	s.name()
	s.wantSpace()
	s.externalID(true)
	s.skip()
	s.want(">")
}

// parameter reads the declarations of a parameter entity in place of a reference.
func (s *subset) parameter() {
	at := s.offset(s.i - 1)
	name := s.name()
	s.want(";")
	if s.err != nil {
		return
	}
	e := s.doctype.parameters[name]
	switch {
	case e == nil && s.doctype.external:
		return // it may be declared in the external subset
	case e == nil:
		s.wrong("the parameter entity %s is not declared", name)
		return
	case e.open:
		s.wrong("the parameter entity %s refers to itself in a loop", name)
		return
	}
	if s.err = s.expand(e); s.err != nil {
		return
	}
	if s.depth == maxEntities {
		s.err = s.tooNested()
		return
	}
	e.open = true
	inner := &subset{Parser: s.Parser, b: e.text, at: at, depth: s.depth + 1}
	inner.declarations()
	e.open = false
	s.err = inner.err
}

// entityDecl reads the declaration of an entity (XML 1.0, section 4.2).
func (s *subset) entityDecl() {
	begin := s.offset(s.i - len("<!ENTITY"))
	s.wantSpace()
	table := s.doctype.entities
	if s.has("%") {
		table = s.doctype.parameters
		s.wantSpace()
	}
	e := &entity{name: s.name()}
	s.wantSpace()
	if s.err == nil && s.i < len(s.b) && (s.b[s.i] == '"' || s.b[s.i] == '\'') {
		e.text = s.entityValue()
	} else {
		s.externalID(false)
		if e.unparsed = s.notationData(); !e.unparsed && s.err == nil {
			line, column := s.place(begin)
			s.err = &RefusedError{line, column, "external entities are never read"}
		}
	}
	s.skip()
	s.want(">")
	if s.err == nil && table[e.name] == nil {
		table[e.name] = e
	}
}

// notationData reads the notation of an unparsed entity, if there is one.
func (s *subset) notationData() bool {
	if !s.skip() || !s.has("NDATA") {
		if s.i >= len(s.b) {
			s.wrong("> is missing in a declaration")
		}
		return false
	}
	s.wantSpace()
	s.name()
	return true
}

// entityValue reads a literal and returns it with its character references replaced.
func (s *subset) entityValue() []byte {
	from := s.i + 1
	literal := s.quoted()
	if s.err != nil {
		return nil
	}
	end := s.i
	value := make([]byte, 0, len(literal))
	for i := 0; i < len(literal); {
		switch b := literal[i]; {
		case b == '%':
			s.i = from + i
			s.wrong("a parameter entity must not be referred to inside a declaration of the document")
			return nil
		case b == '&':
			n := s.entityReference(literal[i:], from+i)
			if s.err != nil {
				return nil
			}
			if literal[i+1] == '#' {
				char, _, _ := s.characterReference(literal[i:], 0)
				value = utf8.AppendRune(value, char)
			} else {
				value = append(value, literal[i:i+n]...)
			}
			i += n
		case b == '\r' && s.at < 0:
			if i++; i == len(literal) || literal[i] != '\n' {
				value = append(value, '\n')
			}
		default:
			value = append(value, b)
			i++
		}
	}
	s.i = end
	return value
}

// entityReference checks the reference at the start of literal, which stands at an
// index of the text, and returns its length. The entity need not be declared.
func (s *subset) entityReference(literal []byte, at int) int {
	if len(literal) > 1 && literal[1] == '#' {
		_, n, err := s.characterReference(literal, s.offset(at))
		if err == errShort {
			err = s.fail(s.offset(at), "a character reference is a number and ;")
		}
		s.err = err
		return n
	}
	n := 1 + nameLength(literal[1:])
	if n == 1 || n == len(literal) || literal[n] != ';' {
		s.err = s.fail(s.offset(at), "& does not begin a reference")
	}
	return n + 1
}
