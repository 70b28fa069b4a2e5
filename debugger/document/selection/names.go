package selection

import (
	"maps"

	"github.com/lestrrat-go/helium/xpath3"

	"github.com/triptych-mcp/triptych/debugger/document/schema/event"
)

// A nameTest is a test of a name whose prefix is resolved.
type nameTest struct {
	name               event.Name
	anySpace, anyLocal bool
}

func (t nameTest) matches(n event.Name) bool {
	return (t.anyLocal || t.name.Local == n.Local) && (t.anySpace || t.name.Space == n.Space)
}

// namespaces returns the prefixes that a query may use: those that the root element
// declares, overridden by those that are given.
func namespaces(root []event.NS, given map[string]string) map[string]string {
	all := map[string]string{}
	for _, ns := range root {
		if ns.Prefix != "" {
			all[ns.Prefix] = ns.URI
		}
	}
	maps.Copy(all, given)
	return all
}

// A binder resolves the prefixes of tests.
type binder struct {
	prefixes map[string]string
	err      error
}

func (b *binder) bind(t xpath3.NameTest, attribute bool) nameTest {
	made := nameTest{name: event.Name{Local: t.Local}, anyLocal: t.Local == "*"}
	switch {
	case t.URI != "":
		made.name.Space = t.URI
	case t.Prefix == "*", t.Prefix == "" && made.anyLocal:
		made.anySpace = true
	case t.Prefix == "" && attribute:
	case t.Prefix == "":
		made.name.Space = b.prefixes[""]
	default:
		made.name.Space = b.resolve(t.Prefix)
	}
	return made
}

func (b *binder) resolve(prefix string) string {
	uri, ok := b.prefixes[prefix]
	switch {
	case ok:
		return uri
	case prefix == "xml":
		return event.XMLSpace
	}
	b.err = ErrTree
	return ""
}

// A boundStep is a step whose names are resolved.
type boundStep struct {
	step
	test     nameTest
	operands []boundOperand // by index
	counts   int            // the index of its first count of positions
}

// A boundOperand is an operand whose names are resolved.
type boundOperand struct {
	*operand
	path      []nameTest
	attribute nameTest
}

// bindSteps resolves the names of a query, and returns how many positions it counts.
func (q *Query) bindSteps(prefixes map[string]string) (steps []boundStep, counts int, err error) {
	b := &binder{prefixes: prefixes}
	for i, s := range q.steps {
		made := boundStep{step: s, operands: make([]boundOperand, s.operands), counts: counts}
		if i+1 < len(q.steps) || q.leaf != texts {
			made.test = b.bind(s.name, i+1 == len(q.steps) && q.leaf == attributes)
		}
		for _, p := range s.predicates {
			if p.position {
				counts++
			}
			made.bindOperands(b, p.when)
		}
		steps = append(steps, made)
	}
	return steps, counts, b.err
}

func (s *boundStep) bindOperands(b *binder, c condition) {
	for _, part := range c.parts {
		s.bindOperands(b, part)
	}
	if c.operand == nil {
		return
	}
	made := boundOperand{operand: c.operand}
	for _, name := range c.operand.elements {
		made.path = append(made.path, b.bind(name, false))
	}
	if c.operand.end == attributes {
		made.attribute = b.bind(c.operand.name, true)
	}
	s.operands[c.operand.index] = made
}
