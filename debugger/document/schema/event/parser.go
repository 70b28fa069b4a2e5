package event

import (
	"errors"
	"fmt"
	"io"
)

// A Parser reads the events of a document.
type Parser struct {
	reader io.Reader
	limits Limits
	eof    bool
	read   int64 // bytes of the document that were read

	in     input
	outer  []input // texts that refer to the entities that are being read
	here   mark    // a position of the document at or before the current one
	state  state
	back   state // the state behind a comment or an instruction
	event  Event
	failed error

	controls bool // references to control characters are permitted

	open     []element
	undo     []undo
	closing  bool // the last start tag was an empty-element tag
	leaving  bool // the last event was an End
	restore  int  // bindings that stay behind it
	brackets int  // "]" at the end of the last piece of text

	names     map[string]*qname
	bindings  map[string]*binding
	bound     int // bindings that were in use when names were forgotten last
	defaultNS *binding
	strings   map[string]string
	declared  []NS
	tags      int64

	attrs    []rawAttr
	values   []byte
	scratch  []byte
	doctype  *doctype
	expanded int64 // bytes of expanded entities and default values
	nested   int   // entities in each other that are read in the value of an attribute
}

// A state says which constructs may follow.
type state uint8

const (
	beforeAll     state = iota // nothing was read
	beforeDoctype              // behind the XML declaration
	beforeRoot                 // behind the document type
	inContent
	inCDATA
	inComment
	inInstruction
	afterRoot
)

// An element is one whose end tag was not read yet.
type element struct {
	name   *qname
	space  string
	undo   int // bindings before it
	line   int
	column int
}

// NewParser returns a parser for a document in UTF-8.
func NewParser(r io.Reader, limits Limits) *Parser {
	p := &Parser{
		reader:   r,
		limits:   limits.withDefaults(),
		names:    map[string]*qname{},
		bindings: map[string]*binding{},
		strings:  map[string]string{},
	}
	p.defaultNS = p.prefix("")
	*p.prefix("xml") = binding{"xml", XMLSpace, true}
	*p.prefix("xmlns") = binding{"xmlns", XMLNSSpace, true}
	return p
}

// NewBytes returns a parser for a document that is in memory. It does not change the
// text.
func NewBytes(text []byte, limits Limits) *Parser {
	if limits.Known == 0 {
		limits.Known = int64(len(text))
	}
	p := NewParser(nil, limits)
	p.in.buf, p.eof, p.read = text, true, int64(len(text))
	return p
}

// Next returns the next event. The event is the same one each time. It returns io.EOF
// behind the document, and the same error again after an error.
func (p *Parser) Next() (*Event, error) {
	if p.failed != nil {
		return nil, p.failed
	}
	if p.leaving {
		p.unbind(p.restore)
		p.leaving = false
	}
	for {
		done, err := p.step()
		if err == errShort {
			done = false
			if err = p.more(); err == io.ErrUnexpectedEOF {
				err = p.unexpectedEnd()
			}
		}
		if err != nil {
			p.failed = err
			return nil, err
		}
		if done {
			return &p.event, nil
		}
	}
}

// step reads one construct and reports whether it made an event. It returns errShort
// if it needs more text; it is then called again.
func (p *Parser) step() (done bool, err error) {
	if p.closing {
		p.closing = false
		p.endElement(true)
		return true, nil
	}
	switch p.state {
	case inContent:
		return p.content()
	case inCDATA:
		return p.cdata()
	case inComment:
		return p.other(p.comment())
	case inInstruction:
		return p.other(p.instruction())
	case beforeAll:
		return false, p.begin()
	}
	return p.misc()
}

// Offset returns the offset of the byte behind the last event, or behind the reference
// to the entity that holds it.
func (p *Parser) Offset() int64 {
	in := &p.in
	if len(p.outer) > 0 {
		in = &p.outer[0]
	}
	return p.read - int64(len(in.rest()))
}

// Simple reports whether the document, as far as it was read, is of XML 1.0 and
// declares neither entities nor attributes.
func (p *Parser) Simple() bool {
	d := p.doctype
	return !p.controls && (d == nil || len(d.entities)+len(d.parameters)+len(d.attributes) == 0)
}

// content reads one construct inside the root element.
func (p *Parser) content() (done bool, err error) {
	text := p.in.rest()
	if len(text) == 0 {
		if p.in.entity != nil {
			return false, p.endEntity()
		}
		return false, errShort
	}
	if text[0] != '<' {
		return p.text(text)
	}
	p.brackets = 0
	if len(text) < 2 {
		return false, errShort
	}
	switch text[1] {
	case '/':
		return true, p.endTag(text)
	case '!', '?':
		return false, p.markup(text)
	}
	return true, p.startTag(text)
}

// fail returns the error for the construct at an offset from the current position.
func (p *Parser) fail(offset int, format string, args ...any) error {
	line, column := p.place(offset)
	return &SyntaxError{line, column, fmt.Sprintf(format, args...)}
}

// limit returns the error for a limit that is exceeded at the current position.
func (p *Parser) limit(what string, limit int64) error {
	line, column := p.place(0)
	return &LimitError{line, column, what, limit}
}

// badCharacter returns the error for what stands at an offset from the current
// position in place of a character.
func (p *Parser) badCharacter(offset int, err error) error {
	text := p.in.rest()[offset:]
	if errors.Is(err, errNotUTF8) {
		return p.fail(offset, "byte 0x%02X is not UTF-8", text[0])
	}
	r, _, _ := p.character(text)
	return p.fail(offset, "character U+%04X is not permitted", r)
}

// unexpectedEnd returns the error for a document that ends inside a construct.
func (p *Parser) unexpectedEnd() error {
	if p.in.entity != nil {
		return p.fail(0, "the entity %s ends inside markup", p.in.entity.name)
	}
	rest := len(p.in.rest())
	switch p.state {
	case beforeAll, beforeDoctype, beforeRoot:
		if rest > 0 {
			return p.fail(rest, "the document ends inside markup")
		}
		return p.fail(0, "the document has no element")
	case inCDATA:
		return p.fail(rest, "the document ends inside a CDATA section")
	case inComment:
		return p.fail(rest, "the document ends inside a comment")
	case inInstruction:
		return p.fail(rest, "the document ends inside a processing instruction")
	case inContent:
		if rest == 0 {
			top := p.open[len(p.open)-1]
			return p.fail(0, "the end tag of %s (line %d) is missing", top.name.raw, top.line)
		}
	}
	return p.fail(rest, "the document ends inside markup")
}
