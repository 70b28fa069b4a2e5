package selection

import (
	"math/big"
	"slices"
	"strings"

	"github.com/lestrrat-go/helium/xpath3"
)

// A predicate is a position among the siblings that passed the predicates before it, or a
// condition.
type predicate struct {
	position bool
	op       xpath3.TokenType // of a position
	number   float64
	when     condition
	risky    bool // it may be an error, which may not be missed by deciding early
}

// A condition is an operand, or a combination of conditions.
type condition struct {
	join    xpath3.TokenType // TokenAnd or TokenOr; TokenBang for "not"; 0 for an operand
	parts   []condition
	operand *operand
}

// An operand is a path from an element, and a question about the values of its nodes.
type operand struct {
	index    int // among those of the step
	elements []xpath3.NameTest
	end      leaf
	name     xpath3.NameTest // of attributes
	ask      question
	literal  literal
}

// A question says which values an operand accepts.
type question uint8

const (
	exists question = iota
	compares
	contains
	startsWith
)

// A literal is a string or a number.
type literal struct {
	op      xpath3.TokenType
	numeric bool
	text    string
	number  float64
}

// risky reports whether a condition has an operand that is not known early, and whose
// values may be errors in XPath 3.1.
func (c condition) risky() bool {
	if o := c.operand; o != nil {
		return !o.early() && (o.ask == contains || o.ask == startsWith || o.literal.numeric)
	}
	return slices.ContainsFunc(c.parts, condition.risky)
}

// early reports whether an operand is known from the start tag of the element.
func (o *operand) early() bool { return len(o.elements) == 0 && o.end == attributes }

// A predicateParser translates the predicates of a step.
type predicateParser struct {
	strict1    bool
	siblings   bool // positions may be asked for
	value      bool // it is a step to attributes or texts, whose only operand is the node
	late       bool // an operand is not known from the start tag
	predicates []predicate
	operands   int
}

// maxOperands limits the operands of a step.
const maxOperands = 16

// add adds a predicate and reports whether it needs no tree.
func (p *predicateParser) add(e xpath3.Expr) bool {
	if made, ok := position(e); ok {
		p.predicates = append(p.predicates, made)
		return p.siblings && !p.late
	}
	when, ok := p.condition(e)
	p.predicates = append(p.predicates, predicate{when: when, risky: !p.strict1 && ok && when.risky()})
	return ok && p.operands <= maxOperands
}

// position translates a position: a number, or a comparison of position() with one.
func position(e xpath3.Expr) (predicate, bool) {
	if n, ok := number(e); ok {
		return predicate{position: true, op: xpath3.TokenEquals, number: n}, true
	}
	b, ok := e.(xpath3.BinaryExpr)
	if !ok || !comparison(b.Op) {
		return predicate{}, false
	}
	call, ok := b.Left.(xpath3.FunctionCall)
	n, numeric := number(b.Right)
	if !ok || !numeric || call.Name != "position" || call.Prefix != "" || len(call.Args) > 0 {
		return predicate{}, false
	}
	return predicate{position: true, op: b.Op, number: n}, true
}

func comparison(op xpath3.TokenType) bool {
	return op >= xpath3.TokenEquals && op <= xpath3.TokenGreaterEq
}

// number returns the value of a literal that is a number, with a sign if it has one.
func number(e xpath3.Expr) (float64, bool) {
	if unary, ok := e.(xpath3.UnaryExpr); ok {
		n, ok := number(unary.Operand)
		if unary.Negate {
			n = -n
		}
		return n, ok
	}
	value, ok := e.(xpath3.LiteralExpr)
	if !ok {
		return 0, false
	}
	switch n := value.Value.(type) {
	case float64:
		return n, true
	case *big.Int:
		f, _ := new(big.Float).SetInt(n).Float64()
		return f, true
	case *big.Rat:
		f, _ := n.Float64()
		return f, true
	}
	return 0, false
}

// condition translates what is true or false.
func (p *predicateParser) condition(e xpath3.Expr) (condition, bool) {
	switch e := e.(type) {
	case xpath3.BinaryExpr:
		switch {
		case e.Op == xpath3.TokenAnd, e.Op == xpath3.TokenOr:
			return p.join(e.Op, e.Left, e.Right)
		case comparison(e.Op):
			return p.comparison(e)
		}
		return condition{}, false
	case xpath3.FunctionCall:
		return p.call(e)
	}
	return p.operand(e, exists, literal{})
}

func (p *predicateParser) join(op xpath3.TokenType, parts ...xpath3.Expr) (condition, bool) {
	c := condition{join: op}
	for _, e := range parts {
		if _, bare := number(e); bare {
			return c, false
		}
		part, ok := p.condition(e)
		if !ok {
			return c, false
		}
		c.parts = append(c.parts, part)
	}
	return c, true
}

// mirrored maps a comparison to the one with its sides exchanged.
var mirrored = map[xpath3.TokenType]xpath3.TokenType{
	xpath3.TokenEquals: xpath3.TokenEquals, xpath3.TokenNotEquals: xpath3.TokenNotEquals,
	xpath3.TokenLess: xpath3.TokenGreater, xpath3.TokenLessEq: xpath3.TokenGreaterEq,
	xpath3.TokenGreater: xpath3.TokenLess, xpath3.TokenGreaterEq: xpath3.TokenLessEq,
}

func (p *predicateParser) comparison(e xpath3.BinaryExpr) (condition, bool) {
	path, value, op := e.Left, e.Right, e.Op
	if _, ok := literalOf(value); !ok {
		path, value, op = e.Right, e.Left, mirrored[e.Op]
	}
	lit, ok := literalOf(value)
	if !ok {
		return condition{}, false
	}
	lit.op = op
	return p.operand(path, compares, lit)
}

func literalOf(e xpath3.Expr) (literal, bool) {
	if n, ok := number(e); ok {
		return literal{numeric: true, number: n}, true
	}
	if value, ok := e.(xpath3.LiteralExpr); ok {
		text, ok := value.Value.(string)
		return literal{text: text}, ok
	}
	return literal{}, false
}

// call translates the functions that conditions may have.
func (p *predicateParser) call(e xpath3.FunctionCall) (condition, bool) {
	if e.Prefix != "" {
		return condition{}, false
	}
	switch {
	case e.Name == "not" && len(e.Args) == 1:
		return p.join(xpath3.TokenBang, e.Args...)
	case (e.Name == "contains" || e.Name == "starts-with") && len(e.Args) == 2:
		lit, ok := literalOf(e.Args[1])
		if !ok || lit.numeric {
			return condition{}, false
		}
		ask := contains
		if e.Name == "starts-with" {
			ask = startsWith
		}
		return p.operand(e.Args[0], ask, lit)
	}
	return condition{}, false
}

// operand translates a path from the element, or from the attribute or text.
func (p *predicateParser) operand(e xpath3.Expr, ask question, lit literal) (condition, bool) {
	o := &operand{index: p.operands, ask: ask, literal: lit}
	p.operands++
	c := condition{operand: o}
	if _, ok := e.(xpath3.ContextItemExpr); ok {
		p.late = true
		return c, ask != exists
	}
	path, ok := e.(*xpath3.LocationPath)
	if !ok || path.Absolute {
		return c, false
	}
	self := len(path.Steps) == 1 && isSelf(path.Steps[0])
	if !self && (p.value || !o.path(path.Steps)) {
		return c, false
	}
	p.late = p.late || !o.early()
	return c, !self || ask != exists
}

func isSelf(s xpath3.Step) bool {
	test, ok := s.NodeTest.(xpath3.TypeTest)
	return ok && test.Kind == xpath3.NodeKindNode && s.Axis == xpath3.AxisSelf && len(s.Predicates) == 0
}

// path adds the steps of an operand's path.
func (o *operand) path(steps []xpath3.Step) bool {
	for _, s := range steps {
		name, isName := s.NodeTest.(xpath3.NameTest)
		kind, isKind := s.NodeTest.(xpath3.TypeTest)
		switch {
		case o.end != elements || len(s.Predicates) > 0:
			return false
		case s.Axis == xpath3.AxisChild && isName:
			o.elements = append(o.elements, name)
		case s.Axis == xpath3.AxisAttribute && isName:
			o.end, o.name = attributes, name
		case s.Axis == xpath3.AxisChild && isKind && kind.Kind == xpath3.NodeKindText:
			o.end = texts
		default:
			return false
		}
	}
	return true
}

// value reports whether a value is one that the operand asks for. It returns ErrTree if
// that is not known.
func (o *operand) value(text string, strict1 bool) (bool, error) {
	switch o.ask {
	case contains:
		return strings.Contains(text, o.literal.text), nil
	case startsWith:
		return strings.HasPrefix(text, o.literal.text), nil
	case compares:
		return o.literal.compare(text, strict1)
	}
	return true, nil
}
