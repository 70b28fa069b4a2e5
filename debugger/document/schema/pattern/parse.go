package pattern

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"
)

// Limits of patterns.
const (
	maxLength = 100_000 // bytes of a pattern
	maxDepth  = 200     // groups and classes within each other
	maxRanges = 250_000 // ranges of characters in all the classes of a pattern
)

// infinite is the upper bound of quantifiers without one. Bounds from huge on, which no
// text reaches, are the same.
const (
	infinite = -1
	huge     = 1 << 30
)

// A node is a part of a pattern.
type node struct {
	op       op
	set      set // of a class
	parts    []*node
	min, max int // of a repetition

	size int // set by measure
}

// An op is the kind of a node.
type op uint8

const (
	class      op = iota
	sequence      // of any number of parts
	choice        // between the parts
	repetition    // of the only part
)

// A parser reads a pattern by recursive descent. Its methods are named for the
// productions of the appendix.
type parser struct {
	text   string
	at     int
	depth  int
	ranges int // in all classes so far
	known  map[string]set
}

// An Error says where and why a text is no pattern.
type Error struct {
	Character int // number of the character, from 1
	Message   string
}

func (e *Error) Error() string { return fmt.Sprintf("at character %d: %s", e.Character, e.Message) }

// fail ends the parse. It is caught by parse.
func (p *parser) fail(at int, format string, args ...any) {
	panic(&Error{utf8.RuneCountInString(p.text[:at]) + 1, fmt.Sprintf(format, args...)})
}

// parse returns the tree of a pattern.
func parse(text string) (n *node, err error) {
	if len(text) > maxLength {
		return nil, fmt.Errorf("it has %d bytes, more than the %d that are supported", len(text), maxLength)
	}
	if !utf8.ValidString(text) || strings.Contains(text, "\x00") {
		return nil, errors.New("it has characters that XML does not have")
	}
	defer func() {
		if caught := recover(); caught != nil {
			failed, ok := caught.(*Error)
			if !ok {
				panic(caught)
			}
			err = failed
		}
	}()
	p := &parser{text: text, known: map[string]set{}}
	n = p.regExp()
	if p.at < len(text) {
		p.fail(p.at, "the parenthesis closes no group")
	}
	return n, nil
}

// peek returns the next character, 0 at the end: NUL is no character of XML.
func (p *parser) peek() rune {
	if p.at == len(p.text) {
		return 0
	}
	r, _ := utf8.DecodeRuneInString(p.text[p.at:])
	return r
}

func (p *parser) next() rune {
	r := p.peek()
	if r != 0 {
		p.at += utf8.RuneLen(r)
	}
	return r
}

// accept consumes a text if it comes next.
func (p *parser) accept(text string) bool {
	if !strings.HasPrefix(p.text[p.at:], text) {
		return false
	}
	p.at += len(text)
	return true
}

// enter counts the depth of what nests.
func (p *parser) enter() {
	if p.depth++; p.depth > maxDepth {
		p.fail(p.at, "groups or classes are nested deeper than the %d levels that are supported", maxDepth)
	}
}

func (p *parser) regExp() *node {
	n := p.branch()
	if p.peek() != '|' {
		return n
	}
	all := &node{op: choice, parts: []*node{n}}
	for p.accept("|") {
		all.parts = append(all.parts, p.branch())
	}
	return all
}

func (p *parser) branch() *node {
	all := &node{op: sequence}
	for {
		if r := p.peek(); r == 0 || r == '|' || r == ')' {
			return all
		}
		all.parts = append(all.parts, p.piece())
	}
}

func (p *parser) piece() *node {
	n := p.atom()
	at := p.at
	min, max, ok := p.quantifier()
	if !ok {
		return n
	}
	if max != infinite && min > max {
		p.fail(at, "the quantifier {%d,%d} has its bounds in the wrong order", min, max)
	}
	return &node{op: repetition, parts: []*node{n}, min: min, max: max}
}

func (p *parser) quantifier() (min, max int, ok bool) {
	switch p.peek() {
	case '?':
		min, max = 0, 1
	case '*':
		min, max = 0, infinite
	case '+':
		min, max = 1, infinite
	case '{':
		p.at++
		min, max = p.quantity()
		return min, max, true
	default:
		return 0, 0, false
	}
	p.at++
	return min, max, true
}

// quantity reads what is between braces.
func (p *parser) quantity() (min, max int) {
	min = p.quantExact()
	max = min
	if p.accept(",") {
		max = infinite
		if p.peek() != '}' {
			max = p.quantExact()
		}
	}
	if !p.accept("}") {
		p.fail(p.at, "the quantifier is not one of {n}, {n,m} and {n,}")
	}
	if max >= huge && min < huge {
		max = infinite
	}
	return min, max
}

func (p *parser) quantExact() int {
	start, n := p.at, 0
	for p.at < len(p.text) && p.text[p.at] >= '0' && p.text[p.at] <= '9' {
		n = min(n*10+int(p.text[p.at]-'0'), math.MaxInt32)
		p.at++
	}
	if p.at == start {
		p.fail(p.at, "the quantifier is not one of {n}, {n,m} and {n,}")
	}
	return n
}

func (p *parser) atom() *node {
	at := p.at
	switch r := p.next(); r {
	case '(':
		p.enter()
		n := p.regExp()
		if !p.accept(")") {
			p.fail(at, "the group has no end")
		}
		p.depth--
		return n
	case '[':
		return &node{set: p.charClassExpr(at)}
	case '\\':
		return &node{set: p.escape(at)}
	case '.':
		return &node{set: wildcard}
	case '?', '*', '+', '{':
		p.fail(at, "the quantifier follows nothing that it could repeat")
	case ']', '}':
		p.fail(at, `the character %c must be written as \%c`, r, r)
	default:
		return &node{set: set{{r, r}}}
	}
	return nil
}
