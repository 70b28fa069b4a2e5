package document

import (
	"bytes"
)

// doctype scans a document type declaration. It counts what the internal subset
// may add to a tree and rejects external entities. An external subset is never
// loaded, so naming one is allowed.
func (s *surveyor) doctype() error {
	s.survey.doctype = true
	s.take(len("<!DOCTYPE"))
	head := headEnd(s.rest)
	if bytes.ContainsAny(s.rest[:head], `"'`) {
		s.external, s.declared = true, map[string]bool{}
	}
	s.take(head)
	if len(s.rest) == 0 || s.rest[0] == '>' {
		s.take(min(1, len(s.rest)))
		return nil
	}
	s.take(1) // the bracket
	from := len(s.rest)
	all := s.rest
	for len(s.rest) > 0 && s.rest[0] != ']' {
		if err := s.declaration(); err != nil {
			return err
		}
	}
	subset := all[:from-len(s.rest)]
	s.subset = len(subset)
	if bytes.Contains(subset, []byte("<!ATTLIST")) {
		s.defaults = (bytes.Count(subset, []byte{'"'}) + bytes.Count(subset, []byte{'\''})) / 2
	}
	s.take(past(s.rest, ">"))
	return nil
}

// headEnd returns the index of the end of the name and the external identifier:
// that of the bracket, or of the end of the declaration.
func headEnd(text []byte) int {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '[', '>':
			return i
		case '"', '\'':
			i += 1 + until(text[i+1:], string(text[i]))
		}
	}
	return len(text)
}

var (
	externalEntity = lazyRegexp(`^<!ENTITY[ \t\r\n]+(?:%[ \t\r\n]+)?[^ \t\r\n"'<>]+[ \t\r\n]+(?:SYSTEM|PUBLIC)[ \t\r\n]`)
	unparsed       = lazyRegexp(`[ \t\r\n]NDATA[ \t\r\n]`)
)

// declaration scans one declaration of an internal subset.
func (s *surveyor) declaration() error {
	for _, c := range constructs[:2] {
		if bytes.HasPrefix(s.rest, []byte(c.begin)) {
			s.take(len(c.begin))
			s.take(past(s.rest, c.end))
			return nil
		}
	}
	if s.rest[0] != '<' {
		s.take(1)
		return nil
	}
	length, _ := tagEnd(s.rest)
	this := s.rest[:length]
	if bytes.HasPrefix(this, []byte("<!ENTITY")) {
		s.entities = true
		s.declare(this)
		if externalEntity().Match(this) && !unparsed().Match(outsideQuotes(this)) {
			line, column := s.place()
			return &RefusedError{s.name, line, column, "external entities are never read"}
		}
	}
	s.take(length)
	return nil
}

// outsideQuotes returns a declaration without its quoted parts.
func outsideQuotes(text []byte) []byte {
	var out []byte
	for i := 0; i < len(text); i++ {
		if text[i] == '"' || text[i] == '\'' {
			i += 1 + until(text[i+1:], string(text[i]))
			out = append(out, ' ')
			continue
		}
		out = append(out, text[i])
	}
	return out
}

var (
	entityName = lazyRegexp(`^<!ENTITY[ \t\r\n]+([^ \t\r\n%"'<>]+)`)
	reference  = lazyRegexp(`&([^#;&<"'][^;&<"']*);`)
)

// predeclared lists the entities that need no declaration (XML 1.0, section 4.6).
var predeclared = map[string]bool{"lt": true, "gt": true, "amp": true, "apos": true, "quot": true}

// declare records the name of an entity.
func (s *surveyor) declare(declaration []byte) {
	if m := entityName().FindSubmatch(declaration); m != nil && s.external {
		s.declared[string(m[1])] = true
	}
}

// references rejects a tag that refers to entities that only an external subset
// could declare. The parser would silently omit them, since it must assume that
// they are declared there.
func (s *surveyor) references(tag []byte) error {
	if !s.external || !bytes.Contains(tag, []byte{'&'}) {
		return nil
	}
	for _, m := range reference().FindAllSubmatch(tag, -1) {
		if name := string(m[1]); !predeclared[name] && !s.declared[name] {
			line, column := s.place()
			return undeclared(s.name, line, column, name)
		}
	}
	return nil
}

// undeclared returns the error for a reference to an entity without a
// declaration.
func undeclared(document string, line, column int, name string) error {
	return &SyntaxError{
		document, line, column,
		"entity " + name + " is not declared in the document itself, and nothing else is read",
	}
}
