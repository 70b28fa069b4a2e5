package read

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/document/schema/component"
	"github.com/triptych-mcp/triptych/debugger/document/schema/datatype"
	"github.com/triptych-mcp/triptych/debugger/document/schema/event"
)

// A Report receives the errors of a schema document.
type Report func(n *Node, message string)

// A checker compares a document with the schema for schemas.
type checker struct {
	report Report
	ids    map[string]bool
	names  map[string]bool
}

// Check reports where a schema document is not as the schema for schemas has it, and
// removes elements that cannot be understood from the tree.
func Check(root *Node, report Report) bool {
	if !root.Is("schema") {
		report(root, "The root of a schema document is the element schema of the namespace "+component.Space+".")
		return false
	}
	Prune(root)
	c := &checker{report, map[string]bool{}, map[string]bool{}}
	c.element(root)
	return true
}

func (c *checker) say(n *Node, format string, args ...any) {
	c.report(n, "Element '"+n.Name.String()+"': "+fmt.Sprintf(format, args...))
}

// element checks an element that may stand where it is.
func (c *checker) element(n *Node) {
	s := shapeOf(n)
	c.attributes(n, s)
	if n.Is("appinfo") || n.Is("documentation") {
		return
	}
	if n.Text != "" {
		c.say(n, "Character content is not allowed.")
	}
	c.children(n, s)
	for _, child := range n.Children {
		c.element(child)
	}
}

// children checks the order of the children, and removes those that are out of place.
func (c *checker) children(n *Node, s *shape) {
	state := uint64(atStart)
	n.Children = slices.DeleteFunc(n.Children, func(child *Node) bool {
		letter, known := letters[child.Name.Local]
		if known && child.Name.Space == component.Space && shapeOf(child) != nil {
			if next := s.children.step(state, letter); next != 0 {
				state = next
				return false
			}
		}
		c.unexpected(child)
		return true
	})
	if !s.children.complete(state) {
		c.say(n, "The content is not complete.")
	}
}

// later are the elements that XML Schema 1.1 added.
var later = []string{"alternative", "assert", "assertion", "defaultOpenContent", "explicitTimezone", "openContent", "override"}

// laterAttributes are the attributes that XML Schema 1.1 added.
var laterAttributes = []string{"appliesToEmpty", "defaultAttributes", "defaultAttributesApply", "inheritable", "notNamespace", "notQName", "xpathDefaultNamespace"}

func attributeHint(local string) string {
	if !slices.Contains(laterAttributes, local) {
		return ""
	}
	return " It is one of XML Schema 1.1, and the schema is read as 1.0. Add vc:minVersion=\"1.1\" (xmlns:vc=\"" + versionSpace + "\") to the schema element."
}

func (c *checker) unexpected(n *Node) {
	if n.Name.Space == component.Space && slices.Contains(later, n.Name.Local) {
		c.say(n, "This element is one of XML Schema 1.1, and the schema is read as 1.0. Add vc:minVersion=\"1.1\" (xmlns:vc=\"%s\") to the schema element.", versionSpace)
		return
	}
	c.say(n, "This element is not expected.")
}

// attributes checks the attributes, and removes those that are not right.
func (c *checker) attributes(n *Node, s *shape) {
	for _, local := range s.order {
		if _, ok := n.Raw(local); !ok {
			c.say(n, "The attribute '%s' is required but missing.", local)
		}
	}
	for _, a := range slices.Clone(n.Attrs) {
		if a.Name.Space == component.Space {
			c.say(n, "The attribute '%s' is not allowed.", a.Name)
		}
		if n.Is("documentation") && a.Name.Space == event.XMLSpace && a.Name.Local == "lang" {
			if why := c.typed(n, "language", a.Value); why != "" {
				c.say(n, "The value '%s' of the attribute 'xml:lang' is not valid: %s.", a.Value, why)
			}
		}
		if a.Name.Space != "" {
			continue
		}
		f, ok := s.fields[a.Name.Local]
		if !ok {
			c.say(n, "The attribute '%s' is not allowed.%s", a.Name.Local, attributeHint(a.Name.Local))
			c.drop(n, a.Name.Local)
			continue
		}
		if why := c.value(n, f.kind, a.Value); why != "" {
			c.say(n, "The value '%s' of the attribute '%s' is not valid: %s.", a.Value, a.Name.Local, why)
			c.drop(n, a.Name.Local)
		}
	}
}

func (c *checker) drop(n *Node, local string) {
	for i, a := range n.Attrs {
		if a.Name.Local == local && a.Name.Space == "" {
			n.Attrs = slices.Delete(n.Attrs, i, i+1)
			return
		}
	}
}

// simple are the kinds of values that are types of XML Schema.
var simple = map[string]string{
	"uri": "anyURI", "token": "token", "name": "NCName", "qname": "QName", "boolean": "boolean",
	"count": "nonNegativeInteger", "positive": "positiveInteger", "string": "string",
}

// words are the kinds of values that are one of some words.
var words = map[string][]string{
	"form": {"qualified", "unqualified"}, "use": {"optional", "prohibited", "required"}, "process": {"skip", "lax", "strict"},
	"space": {"preserve", "replace", "collapse"}, "zeroone": {"0", "1"}, "one": {"1"},
}

// sets are the kinds of values that are #all or some of some words.
var sets = map[string][]string{
	"block": {"extension", "restriction", "substitution"}, "derivations": {"extension", "restriction"},
	"final": {"extension", "restriction", "list", "union"}, "simplefinal": {"restriction", "list", "union"},
}

// value returns why a value is not of its kind, or "".
func (c *checker) value(n *Node, kind, value string) string {
	collapsed := Collapse(value)
	if local, ok := simple[kind]; ok {
		return c.typed(n, local, value)
	}
	if all, ok := words[kind]; ok {
		if kind == "zeroone" || kind == "one" {
			collapsed = canonicalInteger(collapsed)
		}
		if !slices.Contains(all, collapsed) {
			return "it is not one of " + strings.Join(all, ", ")
		}
		return ""
	}
	if all, ok := sets[kind]; ok {
		return setError(collapsed, all)
	}
	switch kind {
	case "id":
		return c.identifier(n, value)
	case "limit":
		if collapsed != "unbounded" {
			return c.typed(n, "nonNegativeInteger", value)
		}
	case "qnames":
		for word := range strings.FieldsSeq(collapsed) {
			if why := c.typed(n, "QName", word); why != "" {
				return why
			}
		}
	case "namespaces":
		return c.namespaces(n, collapsed)
	}
	return ""
}

func (c *checker) identifier(n *Node, value string) string {
	if why := c.typed(n, "NCName", value); why != "" {
		return why
	}
	id := Collapse(value)
	if c.ids[id] {
		return "the identifier is there twice"
	}
	c.ids[id] = true
	return ""
}

func (c *checker) namespaces(n *Node, value string) string {
	if value == "##any" || value == "##other" {
		return ""
	}
	for word := range strings.FieldsSeq(value) {
		if word == "##targetNamespace" || word == "##local" {
			continue
		}
		if strings.HasPrefix(word, "##") {
			return word + " is not known"
		}
		if why := c.typed(n, "anyURI", word); why != "" {
			return why
		}
	}
	return ""
}

// typed validates a value against a built-in type. Prefixes of names are resolved
// where they are used.
func (c *checker) typed(n *Node, local, value string) string {
	if err := datatype.Builtin(local).Valid(value, noEntities{n}); err != nil {
		return strings.TrimSuffix(err.Error(), ".")
	}
	return ""
}

func canonicalInteger(s string) string {
	if i, ok := new(big.Int).SetString(s, 10); ok {
		return i.String()
	}
	return s
}

func setError(value string, all []string) string {
	if value == "#all" {
		return ""
	}
	for word := range strings.FieldsSeq(value) {
		if !slices.Contains(all, word) {
			return word + " is not one of " + strings.Join(all, ", ")
		}
	}
	return ""
}

// noEntities validates values where no unparsed entities or notations are known.
type noEntities struct{ *Node }

// UnparsedEntity implements [datatype.Context].
func (noEntities) UnparsedEntity(string) bool { return false }

// Notation implements [datatype.Context].
func (noEntities) Notation(component.Name) bool { return true }
