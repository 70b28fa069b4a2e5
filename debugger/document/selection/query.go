package selection

import (
	"strings"

	"github.com/lestrrat-go/helium/xpath1"
	"github.com/lestrrat-go/helium/xpath3"
)

// A Shape says what a query asks about the nodes of its path.
type Shape uint8

// Shapes of queries.
const (
	Nodes  Shape = iota // the nodes themselves
	Count               // their number
	Exists              // whether there are any
	Empty               // whether there are none
)

// A Query is a query that needs no tree.
type Query struct {
	Shape  Shape
	steps  []step
	leaf   leaf
	xpath1 bool
}

// A leaf says which nodes of the elements at the end of a path are selected.
type leaf uint8

const (
	elements leaf = iota
	attributes
	texts
)

// A step selects children or descendants. Only the last one may select attributes or
// texts.
type step struct {
	descendant bool // of the nodes before, too
	name       xpath3.NameTest
	predicates []predicate
	operands   int // of all predicates
}

// calls lists the functions that may stand around a path, and whether XPath 1.0 has them.
var calls = map[string]struct {
	shape Shape
	old   bool
}{
	"count": {Count, true}, "boolean": {Exists, true}, "not": {Empty, true},
	"exists": {Exists, false}, "empty": {Empty, false},
}

// Parse returns the query for an expression of XPath 3.1, or 1.0 only, and whether it
// needs no tree. Expressions with errors are said to need one.
func Parse(expression string, strict1 bool) (*Query, bool) {
	if !strings.Contains(expression, "/") || strings.Contains(expression, "Q{}") {
		return nil, false
	}
	if strict1 {
		if _, err := xpath1.NewCompiler().Compile(expression); err != nil {
			return nil, false
		}
	}
	parsed, err := xpath3.Parse(expression)
	if err != nil {
		return nil, false
	}
	q := &Query{xpath1: strict1}
	if call, ok := parsed.(xpath3.FunctionCall); ok {
		known, ok := calls[call.Name]
		if !ok || call.Prefix != "" || len(call.Args) != 1 || strict1 && !known.old {
			return nil, false
		}
		q.Shape, parsed = known.shape, call.Args[0]
	}
	path, ok := parsed.(*xpath3.LocationPath)
	if !ok || !path.Absolute || !q.path(path.Steps) {
		return nil, false
	}
	return q, true
}

// maxSteps limits the steps of a path.
const maxSteps = 32

// path adds the steps of a path and reports whether all of them need no tree.
func (q *Query) path(steps []xpath3.Step) bool {
	descendant := false
	for i, s := range steps {
		if isAnywhere(s) && i+1 < len(steps) {
			descendant = true
			continue
		}
		if q.leaf != elements || len(q.steps) == maxSteps || !q.step(s, descendant) {
			return false
		}
		descendant = false
	}
	return len(q.steps) > 0 && (q.leaf == elements || len(q.steps) > 1 || q.steps[0].descendant)
}

// isAnywhere reports whether a step is the one that // abbreviates.
func isAnywhere(s xpath3.Step) bool {
	test, ok := s.NodeTest.(xpath3.TypeTest)
	return ok && test.Kind == xpath3.NodeKindNode && s.Axis == xpath3.AxisDescendantOrSelf && len(s.Predicates) == 0
}

// step adds a step.
func (q *Query) step(s xpath3.Step, descendant bool) bool {
	made := step{descendant: descendant}
	switch s.Axis {
	case xpath3.AxisChild:
	case xpath3.AxisDescendant:
		made.descendant = true
	case xpath3.AxisAttribute:
		q.leaf = attributes
	default:
		return false
	}
	switch test := s.NodeTest.(type) {
	case xpath3.NameTest:
		made.name = test
	case xpath3.TypeTest:
		if test.Kind != xpath3.NodeKindText || q.leaf == attributes {
			return false
		}
		q.leaf = texts
	default:
		return false
	}
	p := predicateParser{strict1: q.xpath1, siblings: s.Axis == xpath3.AxisChild && q.leaf == elements, value: q.leaf != elements}
	for _, e := range s.Predicates {
		if !p.add(e) {
			return false
		}
	}
	made.predicates, made.operands = p.predicates, p.operands
	q.steps = append(q.steps, made)
	return true
}
