package document

import (
	"regexp"
	"strings"

	dom "github.com/lestrrat-go/helium"
)

// The engine looks for keys, and for what refers to them, in elements that it has
// looked at. So some remarks only tell that it did not come to an element because
// something else is wrong near it. These are their forms, with a value in quotes
// where one is missing.
var doubtful = []func() *regexp.Regexp{
	lazyRegexp(`^The XPath '.*' of a field of .* evaluates to a node whose type is not simple\.$`),
	lazyRegexp(`^No match found for key-sequence \[(.*)\] of keyref `),
	lazyRegexp(`^There is no ID/IDREF binding for the IDREF ('.*?')`),
}

// doubts returns the conditions on which remarks of such a form depend.
type doubts struct {
	hiding map[*dom.Element]bool // something wrong with them hides what is inside
	values map[string]bearer     // of attributes and elements inside of those, quoted
}

// A bearer is the element that has a value, or the first of several.
type bearer struct {
	first *dom.Element
	many  bool
}

// doubtsOf is nil where there is nothing to doubt.
func (l *remarks) doubtsOf(all []remark) *doubts {
	d := &doubts{hiding: map[*dom.Element]bool{}, values: map[string]bearer{}}
	doubted := false
	for _, r := range all {
		if isDoubtful(r) {
			doubted = true
		} else {
			d.hides(l.hider(r))
		}
	}
	if !doubted || len(d.hiding) == 0 {
		return nil
	}
	for e := range d.hiding {
		if !d.hidden(e.Parent()) {
			d.collect(e)
		}
	}
	return d
}

func isDoubtful(r remark) bool {
	_, ok := lacking(r)
	return ok
}

// lacking is the quoted values that a doubtful remark misses.
func lacking(r remark) (values string, ok bool) {
	for _, form := range doubtful {
		if m := form().FindStringSubmatch(r.message); m != nil {
			return strings.Join(m[1:], ""), true
		}
	}
	return "", false
}

// hider is the element whose content was not looked at because of a remark, or
// nil.
func (l *remarks) hider(r remark) *dom.Element {
	number := r.number
	if strings.HasPrefix(r.message, saysUnexpected) {
		number = l.tree.parentOf(number)
	}
	if number < 1 || number > len(l.tree.elements) {
		return nil
	}
	return l.tree.elements[number-1]
}

// hides takes an element that has others inside. In what has none, a wrong value
// hides nothing.
func (d *doubts) hides(e *dom.Element) {
	if e != nil && elementFrom(e.FirstChild()) != nil {
		d.hiding[e] = true
	}
}

// hidden reports whether n is one of the hiding elements or inside of one.
func (d *doubts) hidden(n dom.Node) bool {
	for ; n != nil; n = n.Parent() {
		if e, ok := n.(*dom.Element); ok && d.hiding[e] {
			return true
		}
	}
	return false
}

// collect takes the values inside of an element.
func (d *doubts) collect(e *dom.Element) {
	for _, a := range e.Attributes() {
		d.take(e, a.Value())
	}
	child := elementFrom(e.FirstChild())
	if child == nil {
		d.take(e, string(e.Content()))
	}
	for ; child != nil; child = elementFrom(child.NextSibling()) {
		d.collect(child)
	}
}

func (d *doubts) take(e *dom.Element, value string) {
	value = "'" + strings.TrimSpace(value) + "'"
	b, known := d.values[value]
	if !known {
		b.first = e
	}
	b.many = b.many || b.first != e
	d.values[value] = b
}

// founded reports whether a remark is more than a consequence of others.
func (d *doubts) founded(l *remarks, r remark) bool {
	values, doubted := lacking(r)
	if !doubted {
		return true
	}
	e := l.hider(r)
	if values == "" {
		return e != nil && !d.hidden(e)
	}
	for value := range strings.SplitSeq(values, ", ") {
		if b := d.values[value]; !b.many && (b.first == nil || b.first == e) {
			return true
		}
	}
	return false
}
