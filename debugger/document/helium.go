package document

import (
	"context"
	"errors"
	"strings"

	dom "github.com/lestrrat-go/helium"
)

// helium implements engine with github.com/lestrrat-go/helium.
type helium struct {
	limits Config
	guards *guardedSet
}

func newHelium(limits Config) helium {
	h := helium{limits: limits}
	h.guards = newGuardedSet(h.parser())
	return h
}

// A heliumTree is a document of the engine. The line of every element is replaced
// by its number in document order, from 1: messages of the engine contain only a
// line, and the number identifies the element.
type heliumTree struct {
	name     string
	doc      *dom.Document
	elements []*dom.Element // by number - 1
	places   []place        // by number - 1
	engine   helium
}

// parser returns the parser for all XML: documents, included schemas, and strings
// that queries parse.
func (h helium) parser() dom.Parser {
	return dom.NewParser().
		BlockXXE(true).
		AllowNetwork(false).
		FS(nil). // denies access to files
		SubstituteEntities(true).
		DefaultDTDAttributes(true).
		MergeCDATA(true).     // XPath does not distinguish CDATA from text
		IgnoreEncoding(true). // the text is UTF-8 regardless of its declaration
		MaxDepth(h.limits.MaxDepth).
		MaxEntityAmplification(amplification).
		MaxNodeContentSize(int(h.limits.MaxDocument))
}

func (h helium) parse(ctx context.Context, src *source, seen *survey) (tree, error) {
	doc, err := h.parser().Parse(ctx, src.text)
	if err != nil {
		return nil, heliumParseError(ctx, src, err)
	}
	if src.uri != "" {
		doc.SetURL(src.uri)
	}
	t := &heliumTree{name: src.name, doc: doc, engine: h}
	if err := t.number(seen); err != nil {
		return nil, err
	}
	return t, nil
}

// number numbers the elements. If entities added markup that the survey did not
// see, the places of the survey do not apply, and the engine's lines are used
// instead. Without a document type the parser refuses references to entities.
func (t *heliumTree) number(seen *survey) error {
	t.elements = make([]*dom.Element, 0, len(seen.starts))
	for e := t.doc.DocumentElement(); e != nil; e = nextElement(e) {
		if seen.doctype {
			if name := danglingEntity(e); name != "" {
				return undeclared(t.name, e.Line(), 0, name)
			}
		}
		t.elements = append(t.elements, e)
	}
	t.places = seen.starts
	if len(t.places) != len(t.elements) {
		t.places = linesOf(t.elements)
	}
	for i, e := range t.elements {
		e.SetLine(i + 1)
	}
	return nil
}

func linesOf(elements []*dom.Element) []place {
	places := make([]place, len(elements))
	for i, e := range elements {
		places[i] = place{line: uint32(e.Line())}
	}
	return places
}

// nextElement returns the next element after e in document order, or nil.
func nextElement(e *dom.Element) *dom.Element {
	if child := elementFrom(e.FirstChild()); child != nil {
		return child
	}
	for {
		if next := elementFrom(e.NextSibling()); next != nil {
			return next
		}
		up, ok := e.Parent().(*dom.Element)
		if !ok {
			return nil
		}
		e = up
	}
}

// elementFrom returns n or the first of its following siblings that is an
// element.
func elementFrom(n dom.Node) *dom.Element {
	for ; n != nil; n = n.NextSibling() {
		if e, ok := n.(*dom.Element); ok {
			return e
		}
	}
	return nil
}

// danglingEntity returns the name of an entity that the engine did not expand in
// the content of e, since it might be declared externally. The survey detects
// those in attributes.
func danglingEntity(e *dom.Element) string {
	for n := e.FirstChild(); n != nil; n = n.NextSibling() {
		if n.Type() == dom.EntityRefNode {
			return n.Name()
		}
	}
	return ""
}

// limitErrors maps texts in the engine's messages to the limits that they report.
var limitErrors = []struct{ text, what string }{
	{"entity amplification", "entity expansion"},
	{"entity expansion", "entity expansion"},
	{"exceeded max depth", "depth of nested elements"},
	{dom.ErrNodeContentTooLarge.Error(), "size of one node"},
}

// heliumParseError converts an error of the parser to a typed error.
func heliumParseError(ctx context.Context, src *source, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	wrong, ok := errors.AsType[dom.ErrParseError](err)
	if !ok {
		return &SyntaxError{Document: src.name, Message: err.Error()}
	}
	message := wrong.Err.Error()
	for _, l := range limitErrors {
		if strings.Contains(message, l.text) {
			return &LimitError{Subject: at(src.name, wrong.LineNumber, 0), What: l.what, Detail: message}
		}
	}
	return &SyntaxError{src.name, wrong.LineNumber, wrong.Column, message}
}

// position returns the line and column of the element with a number.
func (t *heliumTree) position(number int) (line, column int) {
	if number < 1 || number > len(t.places) {
		return 0, 0
	}
	p := t.places[number-1]
	return int(p.line), int(p.column)
}
