package validate

import (
	"cmp"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/triptych-mcp/triptych/debugger/document/schema/identity"
)

// A Violation is an error in an element or in one of its attributes.
type Violation struct {
	Line, Column int    // of the element
	Path         string // an XPath 3.1 expression that selects the element or the attribute
	Message      string

	number int // of the element
}

// maxMessage limits a message, which may quote a value of any length.
const maxMessage = 4096

// A list collects the violations of a document.
type list struct {
	limit int
	all   []Violation
	more  int // that did not fit
}

func (l *list) full() bool { return len(l.all) >= l.limit }

// add records a violation of an element or of one of its attributes.
func (l *list) add(at *identity.Place, attribute, message string) {
	if l.full() {
		l.more++
		return
	}
	v := Violation{at.Line, at.Column, at.Path(), cut(message), at.Number}
	if attribute != "" {
		v.Path += "/@" + attribute
	}
	l.all = append(l.all, v)
}

// sorted returns the violations in document order.
func (l *list) sorted() []Violation {
	slices.SortStableFunc(l.all, func(a, b Violation) int { return cmp.Compare(a.number, b.number) })
	return l.all
}

// cut shortens a message that is too long.
func cut(message string) string {
	if len(message) <= maxMessage {
		return message
	}
	n := maxMessage
	for n > 0 && !utf8.RuneStart(message[n]) {
		n--
	}
	return message[:n] + "…"
}

// say records a violation of the current element.
func (v *validator) say(format string, args ...any) {
	if v.found.full() {
		v.found.more++
		return
	}
	v.found.add(v.place(len(v.stack)-1), "", fmt.Sprintf(format, args...))
}

// sayOf records a violation of an attribute of the current element.
func (v *validator) sayOf(attribute Name, format string, args ...any) {
	if v.found.full() {
		v.found.more++
		return
	}
	v.found.add(v.place(len(v.stack)-1), identity.Step(attribute), fmt.Sprintf(format, args...))
}

// place returns the place of an open element.
func (v *validator) place(i int) *identity.Place {
	f := &v.stack[i]
	if f.place == nil {
		f.place = &identity.Place{Name: f.name, Index: f.index, Number: f.number, Line: f.line, Column: f.column}
		if i > 0 {
			f.place.Parent = v.place(i - 1)
		}
	}
	return f.place
}
