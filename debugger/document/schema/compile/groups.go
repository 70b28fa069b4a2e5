package compile

import (
	"math"
	"strconv"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/document/schema/component"
	"github.com/triptych-mcp/triptych/debugger/document/schema/read"
)

func splitWords(s string) []string { return strings.Fields(s) }

// group returns the group of a definition, or nil if it has none or is too deep.
func (c *compiler) group(s *source) *component.Group {
	if s.state == built {
		return s.value.(*component.Group)
	}
	if s.state == building {
		c.say(s.node, "The group '%s' is circular.", s.name)
		return nil
	}
	if !c.descend(s.node) {
		return nil
	}
	defer c.ascend()
	s.state = building
	var g *component.Group
	if child := s.node.Child("all", "choice", "sequence"); child != nil {
		g = c.modelGroup(s.doc, child, s)
	}
	s.state, s.value = built, g
	if g != nil && s.old != nil && !s.widened {
		if old := c.group(s.old); old != nil {
			c.later = append(c.later, func() {
				c.restrictParticle(s.node, &component.Particle{Min: 1, Max: 1, Term: g}, &component.Particle{Min: 1, Max: 1, Term: old})
			})
		}
	}
	return g
}

// modelGroup makes a group of all, choice or sequence.
func (c *compiler) modelGroup(d *document, n *read.Node, from *source) *component.Group {
	g := &component.Group{}
	switch n.Name.Local {
	case "choice":
		g.Kind = component.Choice
	case "all":
		g.Kind = component.All
	}
	for _, child := range n.Children {
		if c.over() {
			break
		}
		if p := c.childParticle(d, child, from); p != nil {
			g.Particles = append(g.Particles, p)
		}
	}
	return g
}

// childParticle returns the particle of a child of a group, or nil if there is none.
func (c *compiler) childParticle(d *document, n *read.Node, from *source) *component.Particle {
	switch n.Name.Local {
	case "element":
		return c.localElement(d, n)
	case "any":
		return c.particle(n, c.wildcard(d, n))
	case "choice", "sequence", "all":
		return c.particle(n, c.modelGroup(d, n, from))
	case "group":
		p := c.groupRef(d, n, from)
		if p != nil && p.Term.(*component.Group).Kind == component.All {
			c.say(n, "A group of the kind 'all' must be the whole content model.")
			return nil
		}
		return p
	}
	return nil
}

// groupRef returns the particle of a reference to a group.
func (c *compiler) groupRef(d *document, n *read.Node, from *source) *component.Particle {
	value, ok := n.Attr("ref")
	if !ok {
		return nil
	}
	s, _, ok := c.find(groupKind, d, n, value, from)
	if !ok || s == nil {
		return nil
	}
	if from != nil && s == from.old {
		c.selfReference(n, from)
	}
	g := c.group(s)
	if g == nil {
		return nil
	}
	p := c.particle(n, g)
	if p != nil && g.Kind == component.All && (p.Max != 1 || p.Min > 1) {
		c.say(n, "A group of the kind 'all' can occur once only.")
	}
	return p
}

// selfReference records that a redefinition refers to the group itself, which it may do
// once (part 1, section 4.2.2).
func (c *compiler) selfReference(n *read.Node, from *source) {
	if from.widened {
		c.say(n, "A redefinition may refer to the group itself once only.")
	}
	from.widened = true
	for _, local := range []string{"minOccurs", "maxOccurs"} {
		if value, ok := n.Attr(local); ok && value != "1" {
			c.say(n, "A redefinition may refer to the group itself once only.")
		}
	}
}

// particle returns a term with the occurrences of an element; nil if that is never.
func (c *compiler) particle(n *read.Node, term component.Term) *component.Particle {
	p := &component.Particle{Min: occurrence(n, "minOccurs"), Max: occurrence(n, "maxOccurs"), Term: term}
	if p.Max != component.Unbounded && p.Min > p.Max {
		c.say(n, "The value of 'minOccurs' is larger than that of 'maxOccurs'.")
		p.Min = p.Max
	}
	if p.Max == 0 {
		return nil
	}
	return p
}

func occurrence(n *read.Node, local string) int {
	value, ok := n.Attr(local)
	switch {
	case !ok:
		return 1
	case value == "unbounded":
		return component.Unbounded
	}
	i, err := strconv.Atoi(value)
	if err != nil {
		return math.MaxInt32 // more than any document has
	}
	return min(i, math.MaxInt32)
}
