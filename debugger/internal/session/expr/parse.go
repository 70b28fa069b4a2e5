package expr

import (
	"slices"
	"strconv"
)

// An Expr is a parsed expression.
type Expr struct {
	text  string
	root  node
	calls bool
}

// Calls reports whether the expression calls functions of the program.
func (e *Expr) Calls() bool { return e.calls }

// Parse parses an expression that calls no functions of the program. Its error is a
// *SyntaxError.
func Parse(text string) (*Expr, error) { return parse(text, false) }

// ParseCalls parses an expression that may call functions of the program, if it is
// evaluated in a [Caller].
func ParseCalls(text string) (*Expr, error) { return parse(text, true) }

func parse(text string, calls bool) (*Expr, error) {
	tokens, err := lex(text)
	if err != nil {
		return nil, err
	}
	p := &parser{tokens: tokens, mayCall: calls}
	root, err := p.conditional()
	if err == nil && p.peek().kind != endToken {
		err = p.unexpected()
	}
	if err != nil {
		return nil, err
	}
	return &Expr{text: text, root: root, calls: p.calls}, nil
}

// String returns the text that was parsed.
func (e *Expr) String() string { return e.text }

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

// precedence lists the binary operators, lowest precedence first.
var precedence = [][]string{
	{"||"},
	{"&&"},
	{"|"},
	{"^"},
	{"&"},
	{"==", "!="},
	{"<", "<=", ">", ">="},
	{"<<", ">>"},
	{"@"}, // where GDB has it
	{"+", "-"},
	{"*", "/", "%"},
}

// binary parses operators of at least a level of precedence. A chain of
// operators counts as nesting as deep as it is long.
func (p *parser) binary(level int) (node, error) {
	if level == len(precedence) {
		return p.as()
	}
	left, err := p.binary(level + 1)
	if err != nil {
		return nil, err
	}
	links := 0
	defer func() { p.depth -= links }()
	for t := p.peek(); t.kind == signToken && slices.Contains(precedence[level], t.text); t = p.peek() {
		p.take()
		links++
		if err := p.deeper(); err != nil {
			return nil, err
		}
		right, err := p.binary(level + 1)
		if err != nil {
			return nil, err
		}
		left = operation(t.text, left, right)
	}
	return left, nil
}

// operation returns the node of a binary operator.
func operation(op string, left, right node) node {
	if op == "@" {
		return &repeatNode{left, right}
	}
	return &binaryNode{op, left, right}
}

func (p *parser) unary() (node, error) {
	if err := p.deeper(); err != nil {
		return nil, err
	}
	defer p.shallower()
	if t := p.peek(); t.kind == signToken && slices.Contains(unaries, t.text) {
		p.take()
		of, err := p.unary()
		return &unaryNode{t.text, of}, err
	}
	if t := p.peek(); t.kind == nameToken && t.text == "sizeof" {
		p.take()
		return p.sizeof()
	}
	if to, ok := p.cast(); ok {
		of, err := p.unary()
		return &castNode{to, of}, err
	}
	return p.postfix()
}

// as parses an operand and Rust's casts after it.
func (p *parser) as() (node, error) {
	of, err := p.unary()
	for err == nil && p.peek().kind == nameToken && p.peek().text == "as" {
		p.take()
		to := typeName{pointers: p.rustPointers()}
		name, ok := p.typeWords()
		if !ok {
			return nil, p.unexpected()
		}
		to.name, to.tagged = name.name, name.tagged
		of = &castNode{to, of}
		if err = p.deeper(); err == nil {
			defer p.shallower()
		}
	}
	return of, err
}

// postfix parses an operand and the members and indexes after it.
func (p *parser) postfix() (node, error) {
	of, err := p.operand()
	links := 0
	defer func() { p.depth -= links }()
	for err == nil {
		switch {
		case p.accept("."):
			of, err = p.member(of, false)
		case p.accept("->"):
			of, err = p.member(of, true)
		case p.accept("["):
			of, err = p.element(of)
		case p.mayCall && p.accept("("):
			of, err = p.call(of)
		default:
			return of, nil
		}
		if links++; err == nil {
			err = p.deeper()
		}
	}
	return nil, err
}

// member parses the name of a member; members of tuples are numbers.
func (p *parser) member(of node, arrow bool) (node, error) {
	t := p.peek()
	if t.kind != nameToken && t.kind != intToken {
		return nil, p.unexpected()
	}
	p.take()
	if p.accept("(") {
		return p.method(of, t, arrow)
	}
	if t.kind == intToken {
		t.text = "__" + t.text // as Rust's compiler calls them
	}
	return &memberNode{of, t.text, arrow}, nil
}

// element parses an index, or the bounds of a slice, up to the closing bracket.
func (p *parser) element(of node) (node, error) {
	if p.accept(":") {
		return p.slice(of, nil)
	}
	index, err := p.conditional()
	if err != nil {
		return nil, err
	}
	if p.accept(":") {
		return p.slice(of, index)
	}
	return &indexNode{of, index}, p.expect("]")
}

// slice parses the end of a slice after its colon.
func (p *parser) slice(of, from node) (node, error) {
	if p.accept("]") {
		return &sliceNode{of, from, nil}, nil
	}
	to, err := p.conditional()
	if err != nil {
		return nil, err
	}
	return &sliceNode{of, from, to}, p.expect("]")
}

func (p *parser) operand() (node, error) {
	t := p.peek()
	switch t.kind {
	case registerToken:
		p.take()
		return &registerNode{t.text}, nil
	case intToken:
		p.take()
		return &numberNode{t.number, t.unsigned, t.long, t.text[0] != '0'}, nil
	case floatToken:
		p.take()
		return &literalNode{floatValue(t.float)}, nil
	case charToken:
		p.take()
		return &literalNode{charValue(t.number)}, nil
	case textToken:
		p.take()
		text, _ := strconv.Unquote(t.text) // the lexer has checked it
		return &literalNode{textValue(text)}, nil
	case nameToken:
		return p.nameOperand()
	}
	if !p.accept("(") {
		return nil, p.unexpected()
	}
	of, err := p.conditional()
	if err != nil {
		return nil, err
	}
	return of, p.expect(")")
}

// nameOperand parses a name, a conversion in Go's form, len or cap.
func (p *parser) nameOperand() (node, error) {
	t := p.take()
	if !p.accept("(") {
		return &nameNode{t.text}, nil
	}
	counts := lengths[t.text] != nil
	if !counts && !isBasicName(t.text) {
		if p.mayCall {
			return p.call(&nameNode{t.text})
		}
		return nil, &SyntaxError{t.offset, errCall}
	}
	of, err := p.conditional()
	if err != nil {
		return nil, err
	}
	if counts {
		return &lengthNode{t.text, of}, p.expect(")")
	}
	return &castNode{typeName{name: t.text}, of}, p.expect(")")
}

// errCall rejects calls of functions.
const errCall = "functions of the program cannot be called"

// methods are the methods of C++ and Rust that count elements or report
// whether there are any.
var methods = map[string]func(of node) node{
	"size": counted, "length": counted, "len": counted, "empty": isEmpty, "is_empty": isEmpty,
}

func counted(of node) node { return &lengthNode{"len", of} }

func isEmpty(of node) node { return &binaryNode{"==", counted(of), &numberNode{}} }

// method parses a call of a method after its opening parenthesis: p->size()
// and the like mean len(*p).
func (p *parser) method(of node, name token, arrow bool) (node, error) {
	count := methods[name.text]
	counts := count != nil && p.accept(")")
	switch {
	case !counts && p.mayCall:
		return p.methodCall(of, name.text, arrow)
	case !counts:
		return nil, &SyntaxError{name.offset, errCall}
	}
	if arrow {
		of = &unaryNode{"*", of}
	}
	return count(of), nil
}

// sizeof parses the operand of sizeof.
func (p *parser) sizeof() (node, error) {
	start := p.at
	n := &sizeofNode{}
	if to, ok := p.typeInBrackets(); ok {
		if to.tagged || to.pointers > 0 || isBasicName(to.name) {
			return &sizeofNode{to: &to}, nil
		}
		n.to = &to
	}
	end := p.at
	p.at = start
	of, err := p.unary()
	if n.of = of; p.at != end {
		n.to = nil // there is more than a name
	}
	return n, err
}
