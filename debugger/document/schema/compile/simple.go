package compile

import (
	"strings"

	"github.com/triptych-mcp/triptych/debugger/document/schema/component"
	"github.com/triptych-mcp/triptych/debugger/document/schema/datatype"
	"github.com/triptych-mcp/triptych/debugger/document/schema/read"
)

// simpleType makes a simple type of its element. from is nil for local ones. What the
// schema for schemas defines is a built-in type.
func (c *compiler) simpleType(d *document, n *read.Node, from *source) *component.Simple {
	if from != nil {
		if s, ok := component.Builtin(from.name).(*component.Simple); ok {
			return s
		}
	}
	s := &component.Simple{Base: component.AnySimpleType, Data: datatype.Unknown()}
	s.Final = d.final & (component.Restriction | component.List | component.Union)
	if final, ok := set(n, "final"); ok {
		s.Final = final
	}
	if from != nil {
		s.Name = from.name
	}
	switch child := n.Child("restriction", "list", "union"); {
	case child == nil:
	case child.Is("restriction"):
		c.restrictSimple(d, child, s, from)
	case child.Is("list"):
		c.listOf(d, child, s, from)
	default:
		c.unionOf(d, child, s, from)
	}
	if from != nil && from.old != nil && s.Base != c.typeOf(from.old) {
		c.say(n, "A redefinition must restrict the type '%s' itself.", from.name)
	}
	return s
}

func (c *compiler) restrictSimple(d *document, n *read.Node, s *component.Simple, from *source) {
	base := c.simpleOf(d, n, "base", from)
	if base == nil {
		return
	}
	if base == component.AnySimpleType {
		c.say(n, "The type anySimpleType cannot be restricted.")
		return
	}
	if base.Final.Has(component.Restriction) {
		c.say(n, "The type '%s' is final for restriction.", typeName(base))
	}
	s.Base, s.Item, s.Members = base, base.Item, base.Members
	s.Data = c.facets(d, n, s.Name, base.Data)
}

// facets restricts a data type by the facets in an element.
func (c *compiler) facets(d *document, n *read.Node, name Name, base *datatype.Type) *datatype.Type {
	var facets []datatype.Facet
	var nodes []*read.Node
	for _, child := range n.Children {
		value, ok := child.Raw("value")
		if !ok || child.Is("annotation") || child.Is("simpleType") {
			continue
		}
		fixed := attrIs(child, "fixed", "true") || attrIs(child, "fixed", "1")
		facets = append(facets, datatype.Facet{Name: child.Name.Local, Value: value, Fixed: fixed, Scope: scopeOf(d, child)})
		nodes = append(nodes, child)
	}
	t, problems := datatype.NewRestriction(name, base, facets)
	for _, p := range problems {
		where := n
		if p.Facet >= 0 && p.Facet < len(nodes) {
			where = nodes[p.Facet]
		}
		c.say(where, "%s", p.Message)
	}
	if t.HasNotation() {
		c.notations(d, n, nodes)
	}
	return t
}

// notations checks that the values of an enumeration of notations are declared.
func (c *compiler) notations(d *document, n *read.Node, nodes []*read.Node) {
	for _, node := range nodes {
		if value, ok := node.Attr("value"); ok && node.Is("enumeration") {
			if name, ok := c.name(d, node, value); ok && c.tables[notationKind][name] == nil && !c.inBase(notationKind, name) {
				c.say(node, "The QName value '%s' does not resolve to a(n) notation declaration.", name)
			}
		}
	}
}

// A docScope resolves prefixes where a schema document is included in a namespace.
type docScope struct {
	*read.Node
	space string
}

// Lookup implements [datatype.Scope].
func (s docScope) Lookup(prefix string) (string, bool) {
	space, ok := s.Node.Lookup(prefix)
	if ok && space == "" {
		space = s.space
	}
	return space, ok
}

func scopeOf(d *document, n *read.Node) datatype.Scope {
	if d.chameleon {
		return docScope{n, d.space}
	}
	return n
}

// simpleOf returns the simple type that an attribute names or that is a child. It
// reports if there is neither or both.
func (c *compiler) simpleOf(d *document, n *read.Node, attribute string, from *source) *component.Simple {
	value, named := n.Attr(attribute)
	child := n.Child("simpleType")
	switch {
	case named && child != nil:
		c.say(n, "The attribute '%s' and the element 'simpleType' exclude each other.", attribute)
		return nil
	case named:
		return c.simpleRef(d, n, value, from)
	case child != nil:
		return c.simpleType(d, child, nil)
	}
	c.say(n, "Either the attribute '%s' or the element 'simpleType' is needed.", attribute)
	return nil
}

func (c *compiler) listOf(d *document, n *read.Node, s *component.Simple, from *source) {
	if value, named := n.Attr("itemType"); named && from != nil && n.Child("simpleType") == nil {
		if message, missed := c.mayMiss(typeKind, d, n, value); missed {
			c.incomplete[s] = missing{n, message}
			return
		}
	}
	item := c.simpleOf(d, n, "itemType", from)
	if item == nil {
		return
	}
	if item.Final.Has(component.List) {
		c.say(n, "The type '%s' is final for lists.", typeName(item))
	}
	c.ownNotation(n, item)
	s.Item = item
	s.Data = c.data(n)(datatype.NewList(s.Name, item.Data))
}

// data returns a function that reports the problems of a data type.
func (c *compiler) data(n *read.Node) func(*datatype.Type, []datatype.Problem) *datatype.Type {
	return func(t *datatype.Type, problems []datatype.Problem) *datatype.Type {
		for _, p := range problems {
			c.say(n, "%s", p.Message)
		}
		return t
	}
}

func (c *compiler) unionOf(d *document, n *read.Node, s *component.Simple, from *source) {
	value, named := n.Attr("memberTypes")
	var members []*component.Simple
	seen := map[*component.Simple]bool{}
	for word := range strings.FieldsSeq(value) {
		if m := c.simpleRef(d, n, word, from); m != nil && !seen[m] {
			seen[m] = true
			members = append(members, m)
		}
	}
	for _, child := range n.Children {
		if child.Is("simpleType") {
			members = append(members, c.simpleType(d, child, nil))
			named = true
		}
	}
	if !named || value == "" && len(members) == 0 {
		c.say(n, "Either the attribute 'memberTypes' or an element 'simpleType' is needed.")
		return
	}
	if len(members) == 0 {
		return
	}
	var all []*datatype.Type
	for _, m := range members {
		if m.Final.Has(component.Union) {
			c.say(n, "The type '%s' is final for unions.", typeName(m))
		}
		all = append(all, m.Data)
	}
	s.Members = members
	s.Data = c.data(n)(datatype.NewUnion(s.Name, all))
}

// ownNotation reports the use of the type NOTATION itself (part 2, section 3.2.19).
func (c *compiler) ownNotation(n *read.Node, s *component.Simple) {
	if s.Data.NotationWithoutEnumeration() {
		c.say(n, "The type NOTATION can only be used in types with an enumeration.")
	}
}
