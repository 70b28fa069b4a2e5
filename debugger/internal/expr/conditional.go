package expr

import "errors"

// conditionalNode is the conditional operator ?:.
type conditionalNode struct{ condition, yes, no node }

// conditional parses ?: and operators of higher precedence. It associates to
// the right (C17, 6.5.15).
func (p *parser) conditional() (node, error) {
	condition, err := p.binary(0)
	if err != nil || !p.accept("?") {
		return condition, err
	}
	if err := p.deeper(); err != nil {
		return nil, err
	}
	defer p.shallower()
	yes, err := p.conditional()
	if err != nil {
		return nil, err
	}
	if err := p.expect(":"); err != nil {
		return nil, err
	}
	no, err := p.conditional()
	return &conditionalNode{condition, yes, no}, err
}

// eval evaluates one side only and keeps its type; the common type of both is
// not computed, as the other side may have no value.
func (n *conditionalNode) eval(e *evaluator) (Value, error) {
	if e.checking {
		_, errA := n.condition.eval(e)
		yes, errB := n.yes.eval(e)
		_, errC := n.no.eval(e)
		return yes, errors.Join(errA, errB, errC)
	}
	condition, err := n.condition.eval(e)
	if err != nil {
		return Value{}, err
	}
	holds, err := condition.Bool()
	switch {
	case err != nil:
		return Value{}, err
	case holds:
		return n.yes.eval(e)
	}
	return n.no.eval(e)
}
