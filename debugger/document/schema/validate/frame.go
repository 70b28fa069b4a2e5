package validate

import (
	"github.com/triptych-mcp/triptych/debugger/document/schema/automata"
	"github.com/triptych-mcp/triptych/debugger/document/schema/component"
	"github.com/triptych-mcp/triptych/debugger/document/schema/event"
	"github.com/triptych-mcp/triptych/debugger/document/schema/identity"
)

// A mode says how far an element is validated.
type mode uint8

const (
	assessed mode = iota
	skipped       // by a wildcard, or within such an element
	lost          // a violation left open what the element is
)

// A frame is an open element.
type frame struct {
	name         Name
	index        int // among the siblings of its name, from 1
	number       int // in the document, from 1
	line, column int
	place        *identity.Place // nil until it is needed
	counts       siblings        // of its children

	mode     mode
	decl     *component.Element // nil if it has none
	info     *typeInfo          // of an assessed element
	matcher  automata.Matcher
	nilled   bool
	children bool // it has elements
	chars    bool // it has characters
	spoken   bool // that text is not allowed was reported
	keep     bool // its text is kept
	from     int  // where its text begins
}

// push adds the frame of an element.
func (v *validator) push(e *event.Event) *frame {
	v.number++
	n := len(v.stack)
	if n < cap(v.stack) {
		v.stack = v.stack[:n+1] // with the memory of an element before
	} else {
		v.stack = append(v.stack, frame{})
	}
	f := &v.stack[n]
	f.name, f.line, f.column, f.number = e.Name, e.Line, e.Column, v.number
	f.index, f.place = 1, nil
	f.counts.reset()
	f.mode, f.decl, f.info = assessed, nil, nil
	f.nilled, f.children, f.chars, f.spoken, f.keep = false, false, false, false, false
	f.from = len(v.text)
	if n > 0 {
		f.index = v.stack[n-1].counts.next(e.Name)
	}
	return f
}

// top returns the innermost open element.
func (v *validator) top() *frame { return &v.stack[len(v.stack)-1] }
