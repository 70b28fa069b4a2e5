package identity_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/document/schema/identity"
)

// A scope resolves the prefix p.
type scope struct{}

func (scope) Lookup(prefix string) (string, bool) { return "urn:" + prefix, prefix == "p" }

// What the grammar of part 1, section 3.11.6, permits and what it does not.
func TestExpressions(t *testing.T) {
	for _, c := range []struct {
		text            string
		selector, field bool
	}{
		{".", true, true}, {"a", true, true}, {" .//a / p:b ", true, true}, {"a|b | .", true, true}, {"*/p:*", true, true},
		{"child::a/./child::p:b", true, true}, {".//.", true, true}, {"@a", false, true}, {"a/@p:b", false, true}, {".//attribute::*", false, true},
		{"attribute", true, true}, {"child", true, true},
		{"", false, false}, {"a|", false, false}, {"/a", false, false}, {"//a", false, false}, {"a//b", false, false}, {"..", false, false},
		{"a[1]", false, false}, {"q:a", false, false}, {"p: a", false, false}, {"p:", false, false}, {"a b", false, false}, {"@a/b", false, false},
		{"parent::a", false, false}, {"self::a", false, false}, {"a/", false, false}, {"text()", false, false}, {"1a", false, false},
		{strings.Repeat("a/", 62) + "a", true, true}, {strings.Repeat("a/", 63) + "a", false, false},
	} {
		if _, err := identity.Selector(c.text, scope{}); (err == nil) != c.selector {
			t.Errorf("selector %q: %v", c.text, err)
		}
		if _, err := identity.Field(c.text, scope{}); (err == nil) != c.field {
			t.Errorf("field %q: %v", c.text, err)
		}
	}
}

// A document is a tree of elements. The value of one is its text, or the attribute k.
type element struct {
	name     string
	key      string
	text     string
	children []element
}

// walk shows a document to a tracker. The constraints belong to the element r.
func walk(tr *identity.Tracker, e element, number *int, constraints []*identity.Constraint) {
	*number++
	at := &identity.Place{Name: identity.Name{Local: e.name}, Number: *number, Index: 1}
	if e.name != "r" {
		tr.Start(at.Name, nil, false, func() *identity.Place { return at })
	} else {
		tr.Start(at.Name, constraints, false, func() *identity.Place { return at })
	}
	if e.key != "" {
		tr.Attribute(identity.Name{Local: "k"}, identity.Value{Key: e.key, Text: e.key})
	}
	for _, child := range e.children {
		walk(tr, child, number, constraints)
	}
	if len(e.children) > 0 {
		tr.End(identity.Value{State: identity.Complex})
		return
	}
	tr.End(identity.Value{Key: e.text, Text: e.text})
}

func constraint(t *testing.T, kind identity.Kind, name, selector string, fields ...string) *identity.Constraint {
	t.Helper()
	c := &identity.Constraint{Name: identity.Name{Local: name}, Kind: kind}
	var err error
	if c.Selector, err = identity.Selector(selector, scope{}); err != nil {
		t.Fatal(err)
	}
	for _, f := range fields {
		made, err := identity.Field(f, scope{})
		if err != nil {
			t.Fatal(err)
		}
		c.Fields = append(c.Fields, made)
	}
	return c
}

// What is wrong with documents follows from part 1, section 3.11.4.
func TestTracker(t *testing.T) {
	leaf := func(name, key, text string) element { return element{name: name, key: key, text: text} }
	root := func(children ...element) element { return element{name: "r", children: children} }
	unique := constraint(t, identity.Unique, "u", "a", "@k")
	key := constraint(t, identity.Key, "key", ".//a", "@k")
	pair := constraint(t, identity.Key, "pair", "a", "b", "c")
	ref := constraint(t, identity.Keyref, "ref", "to", ".")
	ref.Refer = key
	near := constraint(t, identity.Key, "near", "a", "@k")
	nearRef := constraint(t, identity.Keyref, "nearRef", "to", ".")
	nearRef.Refer = near
	for _, c := range []struct {
		name        string
		constraints []*identity.Constraint
		document    element
		want        string
	}{
		{"different", []*identity.Constraint{unique}, root(leaf("a", "1", ""), leaf("a", "2", ""), leaf("a", "", ""), leaf("a", "", "")), ""},
		{"twice", []*identity.Constraint{unique}, root(leaf("a", "1", ""), leaf("b", "1", ""), leaf("a", "1", "")), "4 Duplicate key-sequence ['1'] in unique identity-constraint 'u'."},
		{"a key that is missing", []*identity.Constraint{key}, root(leaf("a", "", "")), "2 Not all fields of key identity-constraint 'key' evaluate to a node."},
		{"deep", []*identity.Constraint{key}, root(leaf("a", "1", ""), element{name: "b", children: []element{leaf("a", "1", "")}}), "4 Duplicate key-sequence ['1'] in key identity-constraint 'key'."},
		{"pairs", []*identity.Constraint{pair}, root(
			element{name: "a", children: []element{leaf("b", "", "1"), leaf("c", "", "23")}},
			element{name: "a", children: []element{leaf("b", "", "12"), leaf("c", "", "3")}},
			element{name: "a", children: []element{leaf("c", "", "3"), leaf("b", "", "12")}}), "8 Duplicate key-sequence ['12', '3'] in key identity-constraint 'pair'."},
		{"two of a field", []*identity.Constraint{pair}, root(element{name: "a", children: []element{leaf("b", "", "1"), leaf("b", "", "2"), leaf("c", "", "3")}}),
			"2 The XPath 'b' of a field of key identity-constraint 'pair' evaluates to a node-set with more than one member."},
		{"a field with children", []*identity.Constraint{pair}, root(element{name: "a", children: []element{{name: "b", children: []element{leaf("x", "", "")}}, leaf("c", "", "3")}}),
			"2 The XPath 'b' of a field of key identity-constraint 'pair' evaluates to a node whose type is not simple."},
		{"references", []*identity.Constraint{ref, key}, root(leaf("to", "", "1"), leaf("a", "1", ""), leaf("to", "", "1"), leaf("to", "", "2")), "5 No match found for key-sequence ['2'] of keyref 'ref'."},
		{"in an element of its own", []*identity.Constraint{ref, key}, root(leaf("a", "1", ""), root(leaf("to", "", "1"))), "4 No match found for key-sequence ['1'] of keyref 'ref'."},
		{"a key that hides one below", []*identity.Constraint{nearRef, near}, root(leaf("to", "", "1"), root(leaf("a", "1", ""), root(leaf("a", "1", "")))), ""},
		{"a key below others", []*identity.Constraint{nearRef, near}, root(leaf("to", "", "2"), root(leaf("a", "1", ""), root(leaf("a", "2", "")))), ""},
		{"a key below", []*identity.Constraint{ref, key}, root(leaf("to", "", "1"), root(leaf("a", "1", ""))), ""},
	} {
		var got []string
		tr := identity.NewTracker(func(at *identity.Place, message string) { got = append(got, fmt.Sprint(at.Number, " ", message)) })
		number := 0
		walk(tr, c.document, &number, c.constraints)
		if all := strings.Join(got, "\n"); all != c.want {
			t.Errorf("%s: got %s, want %s", c.name, all, c.want)
		}
	}
}

// Different elements that have one key below different children are no target of a
// reference above them (part 1, section 3.11.4, note on tables).
func TestAmbiguousKeys(t *testing.T) {
	key := constraint(t, identity.Key, "key", "a", "@k")
	ref := constraint(t, identity.Keyref, "ref", "to", ".")
	ref.Refer = key
	for _, c := range []struct {
		keys []string
		want int
	}{{[]string{"1"}, 0}, {[]string{"1", "2"}, 0}, {[]string{"1", "1"}, 1}} {
		found, number := 0, 1
		tr := identity.NewTracker(func(*identity.Place, string) { found++ })
		start := func(name string, constraints ...*identity.Constraint) {
			number++
			at := &identity.Place{Name: identity.Name{Local: name}, Number: number}
			tr.Start(at.Name, constraints, false, func() *identity.Place { return at })
		}
		start("top", ref)
		for _, k := range c.keys {
			start("list", key)
			start("a")
			tr.Attribute(identity.Name{Local: "k"}, identity.Value{Key: k, Text: k})
			tr.End(identity.Value{})
			tr.End(identity.Value{})
		}
		start("to")
		tr.End(identity.Value{Key: "1", Text: "1"})
		tr.End(identity.Value{})
		if found != c.want {
			t.Errorf("keys %v: %d violations, want %d", c.keys, found, c.want)
		}
	}
}
