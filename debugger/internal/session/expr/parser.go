package expr

import "fmt"

// MaxDepth is the maximum nesting depth of an expression.
const MaxDepth = 64

// A parser is a recursive-descent parser.
type parser struct {
	tokens []token
	at     int
	depth  int

	mayCall bool // functions of the program may be called
	calls   bool // one is
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

// unaries are the operators before an operand.
var unaries = []string{"-", "+", "!", "~", "*", "&"}
