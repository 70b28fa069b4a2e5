package document

import (
	"regexp"
	"strings"

	dom "github.com/lestrrat-go/helium"
)

// The engine checks keys and references to them only in elements that it has
// validated. So some of its violations report only that it did not reach an
// element because of another violation nearby. These expressions match such
// violations; the group is the quoted value that is missing.
var doubtful = []func() *regexp.Regexp{
	lazyRegexp(`^The XPath '.*' of a field of .* evaluates to a node whose type is not simple\.$`),
	lazyRegexp(`^No match found for key-sequence \[(.*)\] of keyref `),
	lazyRegexp(`^There is no ID/IDREF binding for the IDREF ('.*?')`),
}

// doubts holds what decides whether such violations are real.
type doubts struct {
	hiding map[*dom.Element]bool // elements whose content was not validated because of a violation
	values map[string]bearer     // of attributes and elements within these, by the quoted value
}

// A bearer is the element that has a value, or the first of several.
type bearer struct {
	first *dom.Element
	many  bool
}

// doubtsOf returns nil if no violation is doubtful.
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

// lacking returns the quoted values that a doubtful violation reports as missing.
func lacking(r remark) (values string, ok bool) {
	for _, form := range doubtful {
		if m := form().FindStringSubmatch(r.message); m != nil {
			return strings.Join(m[1:], ""), true
		}
	}
	return "", false
}

// hider returns the element whose content was not validated because of a
// violation, or nil.
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

// hides adds an element that contains others. In an element without children a
// violation hides nothing.
func (d *doubts) hides(e *dom.Element) {
	if e != nil && elementFrom(e.FirstChild()) != nil {
		d.hiding[e] = true
	}
}

// hidden reports whether n is a hiding element or within one.
func (d *doubts) hidden(n dom.Node) bool {
	for ; n != nil; n = n.Parent() {
		if e, ok := n.(*dom.Element); ok && d.hiding[e] {
			return true
		}
	}
	return false
}

// collect adds the values within an element.
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

// founded reports whether a violation is real, and not only a consequence of
// others.
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
