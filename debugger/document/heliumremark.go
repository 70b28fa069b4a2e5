package document

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	dom "github.com/lestrrat-go/helium"
	"github.com/triptych-mcp/triptych/debugger/document/internal/xsd"
)

// A remark is a violation that the engine reports about an element or one of its
// attributes.
type remark struct {
	number    int    // of the element; 0 if unknown
	attribute string // in the engine's form
	message   string
}

// Starts of violations of the order of children.
const (
	saysUnexpected = "This element is not expected."
	saysMissing    = "Missing child element(s)."
)

// remarks collects the violations of a document, each once, however often it is
// found. Violations of the order of children that the engine found are replaced
// by those of an [orderer], which continues after the first one.
type remarks struct {
	tree   *heliumTree
	list   []remark
	seen   map[remark]bool
	orders map[int][]remark // violations of the order, by the number of the parent
	placed int              // number of violations in orders
	more   int              // number of violations omitted because the list was full
}

func newRemarks(t *heliumTree) *remarks {
	return &remarks{tree: t, seen: map[remark]bool{}, orders: map[int][]remark{}}
}

// Handle records a violation found by the engine.
func (l *remarks) Handle(_ context.Context, err error) {
	r := remark{message: strings.TrimSpace(err.Error())}
	if wrong, ok := errors.AsType[*xsd.ValidationError](err); ok {
		r = remark{wrong.Line, wrong.AttributeName, wrong.Message}
	}
	l.add(r)
}

func (l *remarks) add(r remark) {
	switch {
	case l.seen[r]:
	case l.full():
		l.more++
	default:
		l.seen[r] = true
		l.list = append(l.list, r)
	}
}

// full reports whether the list has reached its limit.
func (l *remarks) full() bool { return len(l.list)+l.placed >= MaxViolations }

// setOrder records the violations of the order of an element's children.
func (l *remarks) setOrder(parent int, found []remark) {
	if len(found) > 0 {
		l.orders[parent] = found
		l.placed += len(found)
	}
}

// tell reports all violations in document order, then the number of omitted ones.
func (l *remarks) tell(report func(Violation)) {
	all := slices.DeleteFunc(l.list, l.outdone)
	for _, found := range l.orders {
		all = append(all, found...)
	}
	if d := l.doubtsOf(all); d != nil {
		all = slices.DeleteFunc(all, func(r remark) bool { return !d.founded(l, r) })
	}
	slices.SortStableFunc(all, func(a, b remark) int { return cmp.Compare(a.number, b.number) })
	paths := newPathfinder()
	for _, r := range all {
		report(l.violation(paths, r))
	}
	for range l.more {
		report(Violation{})
	}
}

// outdone reports whether an orderer has replaced a violation of the engine.
func (l *remarks) outdone(r remark) bool {
	switch {
	case strings.HasPrefix(r.message, saysMissing):
		return l.orders[r.number] != nil
	case strings.HasPrefix(r.message, saysUnexpected):
		return l.orders[l.tree.parentOf(r.number)] != nil || l.orders[r.number] != nil
	}
	return false
}

func (l *remarks) violation(paths *pathfinder, r remark) Violation {
	v := l.tree.violation(paths, r.number, r.message)
	if r.attribute != "" && v.Path != "" {
		v.Path += "/@" + attributeStep(r.attribute)
	}
	return v
}

// parentOf returns the number of an element's parent, or 0.
func (t *heliumTree) parentOf(number int) int {
	if number < 1 || number > len(t.elements) {
		return 0
	}
	if parent, ok := t.elements[number-1].Parent().(*dom.Element); ok {
		return parent.Line()
	}
	return 0
}
