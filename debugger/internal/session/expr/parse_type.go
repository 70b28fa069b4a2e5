package expr

import (
	"slices"
	"strings"
)

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

// typeInBrackets parses a type in parentheses, if there is one.
func (p *parser) typeInBrackets() (typeName, bool) {
	if !p.accept("(") {
		return typeName{}, false
	}
	to, ok := p.typeWords()
	for ok && p.accept("*") {
		to.pointers++
	}
	return to, ok && p.accept(")")
}
