package identity

import (
	"fmt"
	"strconv"
	"strings"
)

// A Kind is a kind of constraint.
type Kind uint8

// The kinds of constraints.
const (
	Unique Kind = iota
	Key
	Keyref
)

// String returns the name of the element that declares such a constraint.
func (k Kind) String() string { return [...]string{"unique", "key", "keyref"}[k] }

// A Constraint is an identity-constraint definition.
type Constraint struct {
	Name     Name
	Kind     Kind
	Selector *Expression
	Fields   []*Expression
	Refer    *Constraint // of a keyref
}

// A State says what is known of a node that a field selects.
type State uint8

// The states of nodes.
const (
	Known   State = iota // it has a value of a simple type
	Skipped              // it was not assessed, as a wildcard has it
	Lost                 // its value is unknown because of a violation that was reported
	Complex              // its type is not simple
)

// A Value is the value of a node that a field selects.
type Value struct {
	State    State
	Key      string // that identifies the value
	Text     string // as it stands in the document
	Nillable bool   // it is an element that may be nil
}

// A table holds what one constraint selected below one element.
type table struct {
	own       map[string]int  // numbers of elements by their key-sequences
	inherited map[string]int  // those of keys below, for a keyref; ambiguous ones are negative
	lost      map[string]bool // key-sequences as text of which the values are unknown
	open      []reference     // that were not found yet
}

// A reference is a key-sequence of a keyref.
type reference struct {
	key, text string
	place     *Place
}

// has reports whether there is one element with a key-sequence.
func (t *table) has(key string) bool {
	_, ok := t.own[key]
	return ok || t.inherited[key] > 0
}

// add adds a key-sequence, and reports whether it is new.
func (t *table) add(key string, number int) bool {
	if _, ok := t.own[key]; ok {
		return false
	}
	if t.own == nil {
		t.own = map[string]int{}
	}
	t.own[key] = number
	return true
}

// lose adds a key-sequence of which the values are unknown.
func (t *table) lose(text string) {
	if t.lost == nil {
		t.lost = map[string]bool{}
	}
	t.lost[text] = true
}

// inherit adds the table of a key of a descendant: what the key selects there, and otherwise
// what it inherited itself. A key-sequence that different elements have in the tables that
// are inherited is not there (part 1, section 3.11.4).
func (t *table) inherit(own, inherited map[string]int, lost ...map[string]bool) {
	if t.inherited == nil {
		t.inherited = make(map[string]int, len(own)+len(inherited))
	}
	for key, number := range own {
		t.inheritOne(key, number)
	}
	for key, number := range inherited {
		if _, ok := own[key]; !ok && number > 0 {
			t.inheritOne(key, number)
		}
	}
	for _, texts := range lost {
		for text := range texts {
			t.lose(text)
		}
	}
}

func (t *table) inheritOne(key string, number int) {
	if other, ok := t.inherited[key]; ok && other != number {
		number = -1
	}
	t.inherited[key] = number
}

// A tuple is the key-sequence of an element.
type tuple struct {
	key, text string
	lost      bool
	missing   bool
}

// tuple makes the key-sequence of the values of fields.
func tupleOf(fields []field) tuple {
	var made tuple
	var texts []string
	var key strings.Builder
	for i := range fields {
		f := &fields[i]
		made.lost = made.lost || f.lost
		made.missing = made.missing || f.count == 0 && !f.lost
		texts = append(texts, "'"+f.value.Text+"'")
		if len(fields) == 1 {
			made.key = f.value.Key
			continue
		}
		key.WriteString(strconv.Itoa(len(f.value.Key)))
		key.WriteByte(' ')
		key.WriteString(f.value.Key)
	}
	if len(fields) > 1 {
		made.key = key.String()
	}
	made.text = "[" + strings.Join(texts, ", ") + "]"
	return made
}

// wrong returns what is wrong with the nodes of a field, or "".
func (f *field) wrong(c *Constraint) string {
	what := ""
	switch {
	case f.complex:
		what = "a node whose type is not simple"
	case f.count > 1:
		what = "a node-set with more than one member"
	default:
		return ""
	}
	return fmt.Sprintf("The XPath '%s' of a field of %s identity-constraint '%s' evaluates to %s.", f.run.expr.Text, c.Kind, c.Name, what)
}
