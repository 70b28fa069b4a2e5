package identity

import (
	"strconv"
	"strings"
)

// A Place is an element of the document.
type Place struct {
	Parent       *Place
	Name         Name
	Index        int // from 1, among the siblings of its name
	Number       int // of the element, from 1 in document order
	Line, Column int
}

// Path returns an XPath 3.1 expression that selects the element.
func (p *Place) Path() string {
	var steps []*Place
	for ; p != nil; p = p.Parent {
		steps = append(steps, p)
	}
	var b strings.Builder
	for i := len(steps) - 1; i >= 0; i-- {
		b.WriteByte('/')
		b.WriteString(Step(steps[i].Name))
		b.WriteByte('[')
		b.WriteString(strconv.Itoa(steps[i].Index))
		b.WriteByte(']')
	}
	return b.String()
}

// Step returns a name in the form that XPath 3.1 uses without a prefix.
func Step(n Name) string {
	if n.Space == "" {
		return n.Local
	}
	return "Q{" + n.Space + "}" + n.Local
}
