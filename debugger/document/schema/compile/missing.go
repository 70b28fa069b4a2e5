package compile

import (
	"fmt"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/document/schema/component"
	"github.com/triptych-mcp/triptych/debugger/document/schema/read"
)

// A missing is a reference to nothing, in a definition that is an error only where it is
// used (part 1, section 5.3).
type missing struct {
	node    *read.Node
	message string
}

// mayMiss reports whether a reference in a schema without a target namespace leads to
// nothing at all, and returns the message for that. References to namespaces are errors in
// any case.
func (c *compiler) mayMiss(k kind, d *document, n *read.Node, value string) (string, bool) {
	if d.space != "" || strings.Contains(value, ":") {
		return "", false
	}
	if space, _ := n.Lookup(""); space != "" {
		return "", false
	}
	name := Name{Local: value}
	for other := range c.tables {
		if c.tables[other][name] != nil {
			return "", false
		}
	}
	if c.has(k, name) {
		return "", false
	}
	return fmt.Sprintf("The QName value '%s' does not resolve to a(n) %s.", name, nouns[k]), true
}

// need reports what is missing for a type that is used.
func (c *compiler) need(t component.Type) {
	if m, ok := c.incomplete[t]; ok {
		delete(c.incomplete, t)
		c.say(m.node, "%s", m.message)
	}
}

// missingType returns the type of a global element that has none that could be found, and
// records that; or nil if its type is there.
func (c *compiler) missingType(d *document, n *read.Node, value string, e *component.Element) component.Type {
	if !e.Global {
		return nil
	}
	if message, ok := c.mayMiss(typeKind, d, n, value); ok {
		c.lacks(n, e, message)
		return component.AnyType
	}
	s := c.tables[typeKind][Name{Space: d.space, Local: value}]
	if s == nil || d.space != "" || s.node.Is("complexType") {
		return nil
	}
	t := c.typeOf(s)
	if m, ok := c.incomplete[t]; ok {
		c.lacks(n, e, m.message)
		return t
	}
	return nil
}

// lacks records that an element cannot be used, which is an error if it is referred to.
func (c *compiler) lacks(n *read.Node, e *component.Element, message string) {
	e.Missing = message
	c.later = append(c.later, func() {
		if c.used[e] {
			c.say(n, "%s", message)
		}
	})
}
