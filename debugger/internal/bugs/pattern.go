package bugs

import (
	"fmt"
	"strings"
)

// A pattern is a sequence of elements that tokens are matched with. It is
// written as elements separated by spaces:
//
//	word, ->, (     the token itself
//	free|delete     one of several tokens
//	$x              a name or a path of names (p, p->next, a.b), remembered: the
//	                same $x later matches the same tokens only
//	%name           any name, %num a number, %str a string or character,
//	                %text a string in double quotes, %any any token
//	%value          the end of a value: a name, a number, ) or ]
//	%type           a type of the language, as far as it is a keyword
//	...             as few tokens as possible, within a statement and its brackets
//	%stop           nothing, where no call, index or member follows
//	^               nothing, at the beginning of a statement
//	;               the end of a statement
type pattern []element

// An element is one step of a pattern.
type element struct {
	op    elementOp
	words []string // literal
	slot  int      // variable
}

type elementOp uint8

const (
	literal elementOp = iota
	variable
	anyName
	anyNumber
	anyString
	anyText
	anyValue
	anyToken
	anyType
	gap
	pathStop
	statementStart
	statementEnd
)

// classes are the elements that stand for a sort of token.
var classes = map[string]elementOp{
	"%name": anyName, "%num": anyNumber, "%str": anyString, "%text": anyText, "%value": anyValue, "%any": anyToken, "%type": anyType,
	"...": gap, "%stop": pathStop, "^": statementStart, ";": statementEnd,
}

// slots is the most variables that a rule may have.
const slots = 4

// variables are the names of a rule's variables, shared by its patterns.
type variables []string

// compile reads a pattern. The names of its variables are added to vars.
func compile(text string, vars *variables) (pattern, error) {
	var p pattern
	for word := range strings.FieldsSeq(text) {
		op, isClass := classes[word]
		switch {
		case isClass:
			p = append(p, element{op: op})
		case word[0] == '$' && len(word) > 1:
			slot, err := vars.slot(word[1:])
			if err != nil {
				return nil, fmt.Errorf("pattern %q: %w", text, err)
			}
			p = append(p, element{op: variable, slot: slot})
		case word[0] == '%' && len(word) > 1 && classOf(word):
			return nil, fmt.Errorf("pattern %q: no element %s", text, word)
		default:
			p = append(p, element{op: literal, words: alternatives(word)})
		}
	}
	if len(p) == 0 {
		return nil, fmt.Errorf("empty pattern %q", text)
	}
	return p, nil
}

// classOf reports whether a word that begins with a percent sign means a class
// of tokens: it is the operator otherwise.
func classOf(word string) bool {
	return word[1] >= 'a' && word[1] <= 'z'
}

// alternatives splits a|b; the operators | and || are not split.
func alternatives(word string) []string {
	if word == "|" || word == "||" || word == "|=" {
		return []string{word}
	}
	return strings.Split(word, "|")
}

// slot is the number of a variable.
func (v *variables) slot(name string) (int, error) {
	for i, known := range *v {
		if known == name {
			return i, nil
		}
	}
	if len(*v) == slots {
		return 0, fmt.Errorf("more than %d variables", slots)
	}
	*v = append(*v, name)
	return len(*v) - 1, nil
}
