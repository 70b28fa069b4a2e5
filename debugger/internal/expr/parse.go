package expr

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// MaxDepth is how deep the parts of an expression may nest.
const MaxDepth = 64

// An Expr is an expression that was understood.
type Expr struct {
	text string
	root node
}

// Parse understands an expression, or answers a *SyntaxError.
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

// String is the text that the expression was made of.
func (e *Expr) String() string { return e.text }

// A parser reads tokens from left to right.
type parser struct {
	tokens []token
	at     int
	depth  int
}

func (p *parser) peek() token { return p.tokens[p.at] }

// ahead is the token n places on; beyond the end it is the end.
func (p *parser) ahead(n int) token { return p.tokens[min(p.at+n, len(p.tokens)-1)] }

func (p *parser) take() token {
	t := p.peek()
	p.at = min(p.at+1, len(p.tokens)-1)
	return t
}

// accept takes a sign if it is the next token.
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

// deeper counts how deep the parser is; shallower takes it back.
func (p *parser) deeper() error {
	if p.depth++; p.depth > MaxDepth {
		return &SyntaxError{p.peek().offset, fmt.Sprintf("nested more than %d deep", MaxDepth)}
	}
	return nil
}

func (p *parser) shallower() { p.depth-- }

// precedence has the binary operators, those that bind least first.
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

// binary reads operators that bind at least as much as a level. A chain of
// operators nests as deep as it is long, which counts.
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

// as reads Rust's casts behind an operand and what is before it.
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

// rustPointers reads *const and *mut before a type.
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

// postfix reads members and elements behind an operand.
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

// member reads a name; members of tuples are numbers.
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
		text, _ := strconv.Unquote(t.text) // the lexer has seen that it can be
		return &literalNode{textValue(text)}, nil
	case nameToken:
		return p.name()
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

// name reads a name, a conversion as Go writes it, len or cap.
func (p *parser) name() (node, error) {
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

// cast reads a type between parentheses, if that is what follows. A single name
// is one only when an operand follows that no operator could come before.
func (p *parser) cast() (typeName, bool) {
	start := p.at
	to, ok := p.typeInBrackets()
	if ok && (to.tagged || to.pointers > 0 || isBasicName(to.name) || p.operandFollows()) && !p.ends() {
		return to, true
	}
	p.at = start
	return typeName{}, false
}

// ends says whether nothing follows that a cast could be of.
func (p *parser) ends() bool {
	t := p.peek()
	return t.kind == endToken || t.kind == signToken && t.text != "(" && !slices.Contains(unaries, t.text)
}

// operandFollows says whether the next token can only begin an operand.
func (p *parser) operandFollows() bool {
	t := p.peek()
	if t.kind == signToken {
		return t.text == "(" || t.text == "!" || t.text == "~"
	}
	return t.kind != endToken && t.text != "as"
}

func isQualifier(word string) bool { return word == "const" || word == "volatile" }

// tags stand before the names of types.
var tags = []string{"struct", "union", "enum", "class"}

// typeWords reads the words of a type, without what points to it.
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
