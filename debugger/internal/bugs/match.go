package bugs

import (
	"slices"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/bugs/syntax"
)

// gapLimit is the maximum number of tokens that an ellipsis matches.
const gapLimit = 80

// A bind is the range of tokens that a variable is bound to. It is empty if the
// variable is not bound.
type bind struct{ begin, end int }

// A code is a token stream to be matched.
type code struct {
	tokens   []syntax.Token
	lineEnds bool // statements may end at the end of a line
	fuel     int  // remaining steps; matching fails when there are none
	bindings [slots]bind
	indents  bool // blocks end where the indentation decreases
}

// match matches p at token i and returns the end of the match, or -1. If it
// succeeds, the variables are bound; otherwise they are unchanged.
func (c *code) match(p pattern, i int) int {
	return c.step(p, 0, i)
}

// step matches p[k:] at token i.
func (c *code) step(p pattern, k, i int) int {
	if k == len(p) {
		return i
	}
	if c.fuel--; c.fuel < 0 {
		return -1
	}
	switch e := p[k]; e.op {
	case variable:
		return c.stepVariable(p, k, i)
	case hole:
		return c.stepHole(p, k, i)
	case gap:
		return c.stepGap(p, k, i)
	case pathStop, statementStart:
		if e.op == pathStop && c.goesOn(i) || e.op == statementStart && !c.startsStatement(i) {
			return -1
		}
		return c.step(p, k+1, i)
	case statementEnd:
		return c.stepEnd(p, k, i)
	default:
		if i >= len(c.tokens) || !e.accepts(c.tokens[i]) {
			return -1
		}
		return c.step(p, k+1, i+1)
	}
}

// accepts reports whether an element that stands for one token matches t.
func (e element) accepts(t syntax.Token) bool {
	switch e.op {
	case literal:
		return t.Kind != syntax.StringToken && slices.Contains(e.words, t.Text)
	case exactString:
		return t.Kind == syntax.StringToken && t.Text == e.words[0]
	case anyName:
		return t.Kind == syntax.NameToken
	case anyNumber:
		return t.Kind == syntax.NumberToken
	case anyString:
		return t.Kind == syntax.StringToken
	case anyText:
		return t.Kind == syntax.StringToken && strings.HasPrefix(t.Text, `"`)
	case anyValue:
		return t.Kind == syntax.NameToken || t.Kind == syntax.NumberToken || t.Text == ")" || t.Text == "]"
	case anyType:
		return t.Kind == syntax.KeywordToken && !control[t.Text]
	default:
		return true
	}
}

// control lists keywords that are not types.
var control = map[string]bool{
	"if": true, "else": true, "return": true, "for": true, "while": true, "do": true, "switch": true, "case": true,
	"break": true, "continue": true, "goto": true, "sizeof": true, "delete": true, "new": true, "throw": true,
	"in": true, "is": true, "not": true, "and": true, "or": true, "as": true, "let": true, "mut": true, "await": true,
	"NULL": true, "nil": true, "null": true, "nullptr": true, "None": true, "undefined": true,
	"true": true, "false": true, "True": true, "False": true,
}

// joiner reports whether text joins the names of a path.
func joiner(text string) bool {
	return text == "." || text == "->" || text == "::"
}

// stepVariable matches a path: the one that the variable is bound to, or the
// longest with which the rest matches.
func (c *code) stepVariable(p pattern, k, i int) int {
	if i >= len(c.tokens) || (k == 0 || !p[k-1].joins()) && i > 0 && joiner(c.tokens[i-1].Text) {
		return -1
	}
	slot := p[k].slot
	if b := c.bindings[slot]; b.end > b.begin {
		if !c.equal(b, i) {
			return -1
		}
		return c.step(p, k+1, i+b.end-b.begin)
	}
	for end := c.pathEnd(i); end > i; end -= 2 {
		if constantName(c.tokens[end-1].Text) {
			continue
		}
		c.bindings[slot] = bind{i, end}
		if at := c.step(p, k+1, end); at >= 0 {
			return at
		}
	}
	c.bindings[slot] = bind{}
	return -1
}

// constantName reports whether a name has the form of a constant, which is never
// the value at risk.
func constantName(name string) bool {
	return len(name) > 1 && strings.ToUpper(name) == name
}

// joins reports whether e matches a joiner only.
func (e element) joins() bool {
	return e.op == literal && joiner(e.words[0])
}

// pathEnd returns the end of the path that begins at token i, or i if there is
// none.
func (c *code) pathEnd(i int) int {
	if !c.pathWord(i) {
		return i
	}
	end := i + 1
	for end+1 < len(c.tokens) && end-i < 15 && joiner(c.tokens[end].Text) && c.tokens[end+1].Kind == syntax.NameToken {
		end += 2
	}
	return end
}

// pathWord reports whether a path may begin at token i.
func (c *code) pathWord(i int) bool {
	t := c.tokens[i]
	return t.Kind == syntax.NameToken || t.Text == "this" || t.Text == "self"
}

// equal reports whether the tokens at i equal those of b.
func (c *code) equal(b bind, i int) bool {
	if i+b.end-b.begin > len(c.tokens) {
		return false
	}
	for k := b.begin; k < b.end; k++ {
		if c.tokens[k].Text != c.tokens[i+k-b.begin].Text {
			return false
		}
	}
	return true
}

// stepGap skips the fewest tokens with which the rest matches, whole brackets at
// a time.
func (c *code) stepGap(p pattern, k, i int) int {
	for limit := i + gapLimit; i <= len(c.tokens) && i < limit; {
		if at := c.step(p, k+1, i); at >= 0 {
			return at
		}
		if i >= len(c.tokens) {
			return -1
		}
		switch c.tokens[i].Text {
		case "(", "[", "{":
			i = c.closing(i)
		case ")", "]", "}", ";":
			return -1
		default:
			i++
		}
		if c.breaks(i) {
			return c.step(p, k+1, i)
		}
	}
	return -1
}

// closing is like the function, but searches no further than an ellipsis reaches.
func (c *code) closing(i int) int {
	end := syntax.Closing(c.tokens[:min(len(c.tokens), i+4*gapLimit)], i)
	c.fuel -= (end - i) / 8
	return end
}

// breaks reports whether a statement ends before token i because its line does.
// Lines continue after operators and within brackets.
func (c *code) breaks(i int) bool {
	if !c.lineEnds || i >= len(c.tokens) || !c.tokens[i].First || i == 0 {
		return false
	}
	switch before := c.tokens[i-1]; {
	case before.Kind != syntax.SymbolToken:
		return c.tokens[i].Text != "."
	case before.Text == ")" || before.Text == "]" || before.Text == "}":
		return c.tokens[i].Text != "."
	default:
		return before.Text == "++" || before.Text == "--"
	}
}

// goesOn reports whether the expression before token i is called, indexed or
// selected from.
func (c *code) goesOn(i int) bool {
	if i >= len(c.tokens) {
		return false
	}
	text := c.tokens[i].Text
	return text == "(" || text == "[" || text == "?." || joiner(text)
}

// startsStatement reports whether a statement may begin at token i.
func (c *code) startsStatement(i int) bool {
	if i == 0 || i >= len(c.tokens) || c.breaks(i) {
		return true
	}
	switch c.tokens[i-1].Text {
	case ";", "{", "}", ":", "else", "do":
		return true
	case ")":
		return c.tokens[i].First
	default:
		return false
	}
}

// stepEnd matches the end of a statement, with or without a semicolon.
func (c *code) stepEnd(p pattern, k, i int) int {
	switch {
	case i >= len(c.tokens):
		return c.step(p, k+1, i)
	case c.tokens[i].Text == ";":
		return c.step(p, k+1, i+1)
	case c.breaks(i), c.lineEnds && c.tokens[i].Text == "}":
		return c.step(p, k+1, i)
	default:
		return -1
	}
}
