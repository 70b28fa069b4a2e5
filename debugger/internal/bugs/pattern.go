package bugs

import (
	"fmt"
	"strings"
)

// A pattern is a sequence of elements that match tokens. Its text has the
// elements separated by spaces:
//
//	word, ->, (     the token itself
//	free|delete     one of several tokens
//	$x              a name or a path of names (p, p->next, a.b); later
//	                occurrences of $x match only the same tokens
//	%name           any name, %num a number, %str a string or character,
//	                %text a string in double quotes, %any any token
//	%value          the end of a value: a name, a number, ) or ]
//	%type           a keyword that is a type of the language
//	...             the fewest tokens possible, within a statement and its brackets
//	%stop           no token, if no call, index or member follows
//	^               no token, at the start of a statement
//	;               the end of a statement
type pattern []element

// An element is a step of a pattern.
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
	hole        // an expression, in templates
	exactString // a certain string, in templates
)

// classes lists the elements that stand for a class of tokens.
var classes = map[string]elementOp{
	"%name": anyName, "%num": anyNumber, "%str": anyString, "%text": anyText, "%value": anyValue, "%any": anyToken, "%type": anyType,
	"...": gap, "%stop": pathStop, "^": statementStart, ";": statementEnd,
}

// slots is the maximum number of variables of a rule.
const slots = 4

// variables holds the names of a rule's variables, which its patterns share.
type variables []string

// compile parses a pattern. It adds the names of its variables to vars.
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

// classOf reports whether a word that begins with a percent sign is a class of
// tokens, rather than the operator.
func classOf(word string) bool {
	return word[1] >= 'a' && word[1] <= 'z'
}

// alternatives splits a|b. It does not split the operators
// and ||.
func alternatives(word string) []string {
	if word == "|" || word == "||" || word == "|=" {
		return []string{word}
	}
	return strings.Split(word, "|")
}

// slot returns the number of a variable.
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
