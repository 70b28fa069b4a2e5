package event

import (
	"strings"
)

// attlist reads the declaration of an element's attributes (XML 1.0, section 3.3).
func (s *subset) attlist() {
	s.wantSpace()
	element := s.name()
	for s.err == nil {
		spaced := s.skip()
		if s.has(">") {
			return
		}
		if !spaced {
			s.wrong("white space is missing in a declaration")
		}
		s.attributeDef(element)
	}
}

// attributeTypes lists the types of attributes that are one word. A type that begins
// like another one is before it.
var attributeTypes = []string{"CDATA", "IDREFS", "IDREF", "ID", "ENTITIES", "ENTITY", "NMTOKENS", "NMTOKEN"}

func (s *subset) attributeDef(element string) {
	def := attributeDef{name: s.name()}
	s.wantSpace()
	def.tokenized = s.attributeType() != "CDATA"
	s.wantSpace()
	switch {
	case s.has("#REQUIRED"), s.has("#IMPLIED"):
	case s.err != nil:
	default:
		if s.has("#FIXED") {
			s.wantSpace()
		}
		def.given, def.value = true, s.defaultValue()
	}
	if s.err != nil {
		return
	}
	if def.tokenized {
		def.value = collapse(def.value)
	}
	for _, before := range s.doctype.attributes[element] {
		if before.name == def.name {
			return
		}
	}
	s.doctype.attributes[element] = append(s.doctype.attributes[element], def)
}

// attributeType reads the type of an attribute.
func (s *subset) attributeType() string {
	for _, t := range attributeTypes {
		if s.has(t) {
			return t
		}
	}
	read := s.token
	if s.has("NOTATION") {
		s.wantSpace()
		read = func() { s.name() }
	}
	if !s.has("(") {
		s.wrong("the type of an attribute is missing")
		return ""
	}
	for s.err == nil {
		s.skip()
		read()
		s.skip()
		if s.has(")") {
			break
		}
		s.want("|")
	}
	return "("
}

// defaultValue reads the default value of an attribute.
func (s *subset) defaultValue() string {
	if s.err != nil {
		return ""
	}
	if s.i >= len(s.b) || s.b[s.i] != '"' && s.b[s.i] != '\'' {
		s.wrong("the default value of an attribute is missing")
		return ""
	}
	s.values = s.values[:0]
	if s.at >= 0 { // scanValue reads from the document
		e := &entity{name: "default", text: s.quoted()}
		s.err = s.addReference(reference{entity: e}, s.at)
		return string(s.values)
	}
	end, err := s.scanValue(s.b, s.i+1, s.b[s.i])
	if err != nil {
		s.err = err
		return ""
	}
	s.i = end
	return string(s.values)
}

// elementDecl reads the declaration of an element (XML 1.0, section 3.2).
func (s *subset) elementDecl() {
	s.wantSpace()
	s.name()
	s.wantSpace()
	if !s.has("EMPTY") && !s.has("ANY") {
		s.contentModel()
	}
	s.skip()
	s.want(">")
}

func (s *subset) contentModel() {
	s.want("(")
	s.skip()
	if s.has("#PCDATA") {
		s.mixed()
		return
	}
	s.particles(1)
}

// mixed reads the rest of a mixed content model.
func (s *subset) mixed() {
	names := 0
	for s.err == nil {
		s.skip()
		if s.has(")") {
			if !s.has("*") && names > 0 {
				s.wrong("* is missing in a declaration")
			}
			return
		}
		s.want("|")
		s.skip()
		s.name()
		names++
	}
}

// particles reads a choice or a sequence behind its bracket.
func (s *subset) particles(depth int) {
	if depth > s.limits.Depth {
		s.err = s.limit("depth of a content model", int64(s.limits.Depth))
	}
	separator := ""
	for s.err == nil {
		s.skip()
		if s.has("(") {
			s.particles(depth + 1)
		} else {
			s.name()
			s.occurrence()
		}
		s.skip()
		switch {
		case s.has(")"):
			s.occurrence()
			return
		case separator != "":
			s.want(separator)
		case s.has("|"):
			separator = "|"
		default:
			separator = ","
			s.want(separator)
		}
	}
}

func (s *subset) occurrence() { _ = s.has("?") || s.has("*") || s.has("+") }

// collapse returns a value with its white space collapsed.
func collapse(value string) string {
	return strings.Join(strings.FieldsFunc(value, func(r rune) bool { return r == ' ' }), " ")
}

// Default attributes count as expanded text, each with attributeCost bytes for the attribute.
// The first freeDefaults bytes of an element do not count: it takes more memory itself.
const (
	attributeCost = 16
	freeDefaults  = 256
)

// addDefaults adds the default attributes of an element to those of its tag, and
// normalizes the values of those that are not CDATA.
func (p *Parser) addDefaults(element string) error {
	defs := p.doctype.attributes[element]
	if len(defs) == 0 {
		return nil
	}
	at := make(map[string]int, len(p.attrs))
	for i, a := range p.attrs {
		at[a.name.raw] = i
	}
	added := 0
	for _, def := range defs {
		i, there := at[def.name]
		switch {
		case there && def.tokenized:
			a := &p.attrs[i]
			value := collapse(string(p.values[a.from:a.to]))
			a.from = len(p.values)
			p.values = append(p.values, value...)
			a.to = len(p.values)
		case !there && def.given:
			if len(p.attrs) == p.limits.Attributes {
				return p.limit("attributes of one element", int64(p.limits.Attributes))
			}
			if added += len(def.value) + attributeCost; added > freeDefaults {
				if err := p.expandBy(min(len(def.value)+attributeCost, added-freeDefaults)); err != nil {
					return err
				}
			}
			from := len(p.values)
			p.values = append(p.values, def.value...)
			p.attrs = append(p.attrs, rawAttr{p.name([]byte(def.name)), 0, from, len(p.values)})
		}
	}
	return nil
}
