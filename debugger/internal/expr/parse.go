package expr

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// MaxDepth is the maximum nesting depth of an expression.
const MaxDepth = 64

// An Expr is a parsed expression.
type Expr struct {
	text string
	root node
}

// Parse parses an expression. Its error is a *SyntaxError.
func Parse(text string) (*Expr, error) {
	tokens, err := lex(text)
	if err != nil {
		return nil, err
	}
	p := &parser{tokens: tokens}
	root, err := p.conditional()
	if err == nil && p.peek().kind != endToken {
		err = p.unexpected()
	}
	if err != nil {
		return nil, err
	}
	return &Expr{text: text, root: root}, nil
}

// String returns the text that was parsed.
func (e *Expr) String() string { return e.text }

// A parser is a recursive-descent parser.
type parser struct {
	tokens []token
	at     int
	depth  int
}

func (p *parser) peek() token { return p.tokens[p.at] }

// ahead returns the token n places on, the end if there are fewer.
func (p *parser) ahead(n int) token { return p.tokens[min(p.at+n, len(p.tokens)-1)] }

func (p *parser) take() token {
	t := p.peek()
	p.at = min(p.at+1, len(p.tokens)-1)
	return t
}

// accept consumes a sign if it is the next token.
func (p *parser) accept(sign string) bool {
	if t := p.peek(); t.kind != signToken || t.text != sign {
		return false
	}
	p.take()
	return true
}

func (p *parser) expect(sign string) error {
	if !p.accept(sign) {
		t := p.peek()
		return &SyntaxError{t.offset, fmt.Sprintf("expected %q", sign)}
	}
	return nil
}

func (p *parser) unexpected() error {
	t := p.peek()
	if t.kind == endToken {
		return &SyntaxError{t.offset, "unexpected end"}
	}
	return &SyntaxError{t.offset, fmt.Sprintf("unexpected %q", t.text)}
}

// deeper enters a nesting level; shallower leaves it.
func (p *parser) deeper() error {
	if p.depth++; p.depth > MaxDepth {
		return &SyntaxError{p.peek().offset, fmt.Sprintf("nested more than %d deep", MaxDepth)}
	}
	return nil
}

func (p *parser) shallower() { p.depth-- }

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
		left = &binaryNode{t.text, left, right}
	}
	return left, nil
}

// unaries are the operators before an operand.
var unaries = []string{"-", "+", "!", "~", "*", "&"}

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

// rustPointers parses *const and *mut before a type.
func (p *parser) rustPointers() int {
	n := 0
	for p.accept("*") {
		n++
		if t := p.peek(); t.kind == nameToken && (t.text == "const" || t.text == "mut") {
			p.take()
		}
	}
	return n
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

func (p *parser) element(of node) (node, error) {
	index, err := p.conditional()
	if err != nil {
		return nil, err
	}
	return &indexNode{of, index}, p.expect("]")
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

// nameOperand parses a nameOperand, a conversion in Go's form, len or cap.
func (p *parser) nameOperand() (node, error) {
	t := p.take()
	if !p.accept("(") {
		return &nameNode{t.text}, nil
	}
	counts := lengths[t.text] != nil
	if !counts && !isBasicName(t.text) {
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

// cast parses a type in parentheses, if there is one. A single name is a type
// only if an operand follows that cannot follow a binary operator's left side.
func (p *parser) cast() (typeName, bool) {
	start := p.at
	to, ok := p.typeInBrackets()
	if ok && (to.tagged || to.pointers > 0 || isBasicName(to.name) || p.operandFollows()) && !p.ends() {
		return to, true
	}
	p.at = start
	return typeName{}, false
}

// ends reports whether no operand for a cast follows.
func (p *parser) ends() bool {
	t := p.peek()
	return t.kind == endToken || t.kind == signToken && t.text != "(" && !slices.Contains(unaries, t.text)
}

// operandFollows reports whether the next token can only begin an operand.
func (p *parser) operandFollows() bool {
	t := p.peek()
	if t.kind == signToken {
		return t.text == "(" || t.text == "!" || t.text == "~"
	}
	return t.kind != endToken && t.text != "as"
}

func isQualifier(word string) bool { return word == "const" || word == "volatile" }

// tags may precede the names of types.
var tags = []string{"struct", "union", "enum", "class"}

// typeWords parses the words of a type without its pointers.
func (p *parser) typeWords() (typeName, bool) {
	var to typeName
	var words []string
	for t := p.peek(); t.kind == nameToken; t = p.peek() {
		if len(words) > 0 && !isBasicWord(t.text) && !isQualifier(t.text) {
			break
		}
		p.take()
		switch {
		case isQualifier(t.text):
		case slices.Contains(tags, t.text):
			to.tagged = true
		default:
			words = append(words, t.text)
		}
	}
	for p.peek().text == "." && len(words) == 1 && p.ahead(1).kind == nameToken { // main.point
		p.take()
		words[0] += "." + p.take().text
	}
	to.name = strings.Join(words, " ")
	return to, len(words) > 0
}
