package event

import (
	"unicode/utf8"
)

// An entity is a general or a parameter entity of the internal subset.
type entity struct {
	name     string
	text     []byte // its replacement text
	unparsed bool
	open     bool // its text is being read
}

// predefined lists the entities that need no declaration (XML 1.0, section 4.6).
var predefined = map[string]rune{"lt": '<', "gt": '>', "amp": '&', "apos": '\'', "quot": '"'}

// A reference stands for a character or for an entity.
type reference struct {
	length int
	char   rune
	entity *entity
}

// parseReference parses the reference at the start of b, which stands at an offset
// from the current position.
func (p *Parser) parseReference(b []byte, at int) (reference, error) {
	if len(b) < 2 {
		return reference{}, errShort
	}
	if b[1] == '#' {
		char, length, err := p.characterReference(b, at)
		return reference{length: length, char: char}, err
	}
	end := 1 + nameLength(b[1:])
	switch {
	case end == len(b):
		return reference{}, errShort
	case !utf8.FullRune(b[end:]) && !p.ended():
		return reference{}, errShort
	case end == 1:
		return reference{}, p.fail(at, "& does not begin a reference")
	case b[end] != ';':
		return reference{}, p.fail(at+end, "; is missing behind &%s", b[1:end])
	}
	if char, ok := predefined[string(b[1:end])]; ok {
		return reference{length: end + 1, char: char}, nil
	}
	e, err := p.entity(string(b[1:end]), at)
	return reference{length: end + 1, entity: e}, err
}

// entity returns the parsed entity with a name, which is referred to at an offset.
func (p *Parser) entity(name string, at int) (*entity, error) {
	var e *entity
	if p.doctype != nil {
		e = p.doctype.entities[name]
	}
	switch {
	case e == nil:
		return nil, p.fail(at, "entity %s is not declared in the document itself, and nothing else is read", name)
	case e.unparsed:
		return nil, p.fail(at, "the unparsed entity %s must not be referred to", name)
	case e.open:
		return nil, p.fail(at, "the entity %s refers to itself in a loop", name)
	}
	return e, nil
}

// characterReference parses the character reference at the start of b.
func (p *Parser) characterReference(b []byte, at int) (char rune, length int, err error) {
	i, base := 2, rune(10)
	if len(b) > 2 && b[2] == 'x' {
		i, base = 3, 16
	}
	first := i
	for ; i < len(b); i++ {
		d := digit(b[i])
		if d < 0 || d >= base {
			break
		}
		char = min(char*base+d, utf8.MaxRune+1)
	}
	switch {
	case i == len(b):
		return 0, 0, errShort
	case b[i] != ';' || i == first:
		return 0, 0, p.fail(at, "a character reference is a number and ;")
	case !isChar(char) && !(p.controls && char > 0 && char < ' '):
		return 0, 0, p.fail(at, "the character reference %s is to no character that is permitted", b[:i+1])
	}
	return char, i + 1, nil
}

// digit returns the value of a hexadecimal digit, -1 for other bytes.
func digit(b byte) rune {
	switch {
	case b >= '0' && b <= '9':
		return rune(b - '0')
	case b >= 'a' && b <= 'f':
		return rune(b-'a') + 10
	case b >= 'A' && b <= 'F':
		return rune(b-'A') + 10
	}
	return -1
}

// expand counts the text of an entity that is referred to.
func (p *Parser) expand(e *entity) error { return p.expandBy(len(e.text) + 1) }

// expandBy counts text that does not stand in the document.
func (p *Parser) expandBy(n int) error {
	p.expanded += int64(n)
	consumed := p.read - int64(len(p.in.rest()))
	if p.in.entity != nil {
		consumed = p.read - int64(len(p.outer[0].rest()))
	}
	if p.expanded > freeExpansion+amplification*max(consumed, p.limits.Known) {
		return p.limit("entity expansion", freeExpansion+amplification*max(consumed, p.limits.Known))
	}
	return nil
}

// maxEntities limits the entities that are referred to in each other.
const maxEntities = 100

func (p *Parser) tooNested() error { return p.limit("entities in each other", maxEntities) }

// beginEntity has the text of an entity read in place of a reference.
func (p *Parser) beginEntity(e *entity, length int) error {
	if err := p.expand(e); err != nil {
		return err
	}
	if len(p.outer) == maxEntities {
		return p.tooNested()
	}
	p.here = p.moved(0)
	p.in.pos += length
	p.outer = append(p.outer, p.in)
	p.in = input{buf: e.text, entity: e, depth: len(p.open)}
	e.open = true
	p.brackets = 0
	return nil
}

// endEntity goes on behind the reference to the entity that was read.
func (p *Parser) endEntity() error {
	if len(p.open) != p.in.depth {
		return p.fail(0, "the entity %s ends inside the element %s", p.in.entity.name, p.open[len(p.open)-1].name.raw)
	}
	p.in.entity.open = false
	p.in = p.outer[len(p.outer)-1]
	p.outer = p.outer[:len(p.outer)-1]
	p.brackets = 0
	return nil
}

// addReference appends what a reference in the value of an attribute stands for.
func (p *Parser) addReference(ref reference, at int) error {
	if ref.entity == nil {
		p.values = utf8.AppendRune(p.values, ref.char)
		return nil
	}
	e := ref.entity
	if err := p.expand(e); err != nil {
		return err
	}
	if p.nested == maxEntities {
		return p.tooNested()
	}
	e.open = true
	p.nested++
	defer func() {
		e.open = false
		p.nested--
	}()
	for i := 0; i < len(e.text); {
		switch b := e.text[i]; {
		case b == '<':
			return p.fail(at, "the entity %s holds <, which is not permitted in the value of an attribute", e.name)
		case b == '&':
			inner, err := p.parseReference(e.text[i:], at)
			if err == errShort {
				return p.fail(at, "the entity %s ends inside a reference", e.name)
			}
			if err != nil {
				return err
			}
			if err := p.addReference(inner, at); err != nil {
				return err
			}
			i += inner.length
		case isSpace(b):
			p.values = append(p.values, ' ')
			i++
		default:
			p.values = append(p.values, b)
			i++
		}
	}
	return nil
}
