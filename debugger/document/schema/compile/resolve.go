package compile

import (
	"slices"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/document/schema/component"
	"github.com/triptych-mcp/triptych/debugger/document/schema/datatype"
	"github.com/triptych-mcp/triptych/debugger/document/schema/read"
)

func hasWord(list, word string) bool {
	return slices.Contains(strings.Fields(list), word)
}

// name resolves a qualified name that stands in an element. It reports names whose prefix
// is not declared.
func (c *compiler) name(d *document, n *read.Node, value string) (Name, bool) {
	prefix, local, prefixed := strings.Cut(value, ":")
	if !prefixed {
		prefix, local = "", value
	}
	space, ok := n.Lookup(prefix)
	if !ok {
		c.say(n, "The prefix '%s' of the QName value '%s' is not declared.", prefix, value)
		return Name{}, false
	}
	if space == "" && d.chameleon {
		space = d.space
	}
	return Name{Space: space, Local: local}, true
}

// visible reports whether a document may refer to a namespace (part 1, section 3.15.3).
func (d *document) visible(space string) bool {
	return space == d.space || d.imports[space] || space == component.Space
}

// find returns the source that a reference in an element means. Where a definition is
// redefined, its own name means the old one. It reports names that do not resolve;
// components without a source may be in the schema that is extended, or built in.
func (c *compiler) find(k kind, d *document, n *read.Node, value string, from *source) (*source, Name, bool) {
	name, ok := c.name(d, n, value)
	if !ok {
		return nil, name, false
	}
	if from != nil && from.old != nil && from.kind == k && from.name == name {
		return from.old, name, true
	}
	if !d.visible(name.Space) && !(k == attributeKind && name.Space == component.InstanceSpace) {
		c.say(n, "The QName value '%s' refers to the namespace '%s', which is neither the target namespace nor imported.", name, name.Space)
		return nil, name, false
	}
	s := c.tables[k][name]
	if s == nil && !c.has(k, name) && !(k == attributeKind && c.isUnread(d, name.Space)) {
		c.say(n, "The QName value '%s' does not resolve to a(n) %s.", name, nouns[k])
		return nil, name, false
	}
	return s, name, true
}

// isUnread reports whether a namespace is imported, but no document of it could be read. Its
// attributes are taken as they are, since other documents would declare them.
func (c *compiler) isUnread(d *document, space string) bool {
	return d.imports[space] && !c.schema.HasSpace(space)
}

// has reports whether there is a component without a source.
func (c *compiler) has(k kind, name Name) bool {
	switch k {
	case typeKind:
		return component.Builtin(name) != nil || c.inBase(k, name)
	case attributeKind:
		return c.schema.Attribute(name) != nil
	}
	return c.inBase(k, name)
}

// typeRef returns the type that an attribute of an element names, or nil if it does not
// resolve.
func (c *compiler) typeRef(d *document, n *read.Node, value string, from *source) component.Type {
	s, name, ok := c.find(typeKind, d, n, value, from)
	if !ok {
		return nil
	}
	if s == nil {
		return c.schema.Type(name)
	}
	t := c.typeOf(s)
	c.need(t)
	return t
}

// simpleRef is typeRef for simple types.
func (c *compiler) simpleRef(d *document, n *read.Node, value string, from *source) *component.Simple {
	t := c.typeRef(d, n, value, from)
	s, ok := t.(*component.Simple)
	if t != nil && !ok {
		c.say(n, "The type '%s' is not simple.", typeName(t))
	}
	return s
}

// typeName describes a type for messages.
func typeName(t component.Type) string {
	if name := t.TypeName(); name.Local != "" {
		return name.String()
	}
	return "local type"
}

// maxReferences limits the definitions that are made for one another: each refers to the
// next, which stands behind it. What an element holds is made by recursion, too.
const maxReferences = 2_000

// descend counts a definition that is made for another, and reports whether the limit
// permits it. The caller ascends behind it.
func (c *compiler) descend(n *read.Node) bool {
	if c.depth == maxReferences {
		c.say(n, "The definition is behind more than %d others that refer to it, each by the next.", maxReferences)
		return false
	}
	c.depth++
	return true
}

func (c *compiler) ascend() { c.depth-- }

// typeOf returns the type of a source. A complex type may not be complete yet.
func (c *compiler) typeOf(s *source) component.Type {
	if s.state == built {
		return s.value.(component.Type)
	}
	if s.node.Is("complexType") {
		s.state = built
		t := c.complexType(s.doc, s.node, s)
		return t
	}
	if s.state == building {
		c.say(s.node, "The definition of the type '%s' is circular.", s.name)
		return component.AnySimpleType
	}
	if !c.descend(s.node) {
		return &component.Simple{Base: component.AnySimpleType, Data: datatype.Unknown()}
	}
	defer c.ascend()
	s.state = building
	t := c.simpleType(s.doc, s.node, s)
	s.state, s.value = built, t
	c.define(s, t)
	return t
}

// define adds a type to the schema, unless it was redefined.
func (c *compiler) define(s *source, t component.Type) {
	if c.tables[typeKind][s.name] == s {
		c.schema.Types[s.name] = t
	}
}
