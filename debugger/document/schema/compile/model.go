package compile

import (
	"errors"

	"github.com/triptych-mcp/triptych/debugger/document/schema/automata"
	"github.com/triptych-mcp/triptych/debugger/document/schema/component"
	"github.com/triptych-mcp/triptych/debugger/document/schema/read"
)

// A modelCache holds the models of content particles, which extensions without elements
// share.
type modelCache map[*component.Particle]*automata.Model

// model returns the model of a particle, or nil if it is too large, which ends the
// compilation.
func (c *compiler) model(p *component.Particle) *automata.Model {
	if m, ok := c.models[p]; ok {
		return m
	}
	m, err := automata.New(p)
	if err == nil {
		err = m.Index()
	}
	if size, ok := errors.AsType[*automata.SizeError](err); ok && c.err == nil {
		c.err = size
	}
	c.models[p] = m
	return m
}

// nullable reports whether the content of a type may be empty.
func nullable(t *component.Complex) bool {
	return t.Particle == nil || emptiable(t.Particle)
}

// checkModel checks the content model of a complete type.
func (c *compiler) checkModel(t *component.Complex, s *complexSource) {
	n := s.node
	if t.Derivation == component.Restriction && t.Base != component.Type(component.AnyType) && t.Content != component.SimpleContent {
		c.checkRestriction(t, n)
	}
	if t.Particle == nil || c.over() {
		return
	}
	_, known := c.models[t.Particle]
	m := c.model(t.Particle)
	if m == nil || known && len(c.problems) > 0 {
		return
	}
	if base, ok := t.Base.(*component.Complex); ok && base.Particle == t.Particle {
		return // which was checked there
	}
	if pair := m.Ambiguous(); pair != nil {
		c.say(n, "The content model is not determinist: '%s' and '%s' compete for the same element.", pair.First, pair.Second)
	}
	if name, ok := m.Inconsistent(c.schema); ok {
		c.say(n, "The content model has elements with the name '%s' and different types.", name)
	}
}

// checkRestriction checks the content of a restriction (part 1, section 3.4.6,
// Derivation Valid (Restriction, Complex), clause 5).
func (c *compiler) checkRestriction(t *component.Complex, n *read.Node) {
	base, ok := t.Base.(*component.Complex)
	if !ok {
		return
	}
	switch {
	case t.Content == component.Empty:
		if base.Content != component.Empty && (base.Content == component.SimpleContent || !nullable(base)) {
			c.say(n, "The content of the type '%s' cannot be restricted to nothing.", typeName(base))
		}
	case base.Content == component.Empty || base.Content == component.SimpleContent:
		c.say(n, "The type '%s' has no content that could be restricted to elements.", typeName(base))
	case t.Content == component.Mixed && base.Content != component.Mixed:
		c.say(n, "The type '%s' is not mixed, so its restriction cannot be.", typeName(base))
	case t.Particle != base.Particle:
		c.restrictParticle(n, t.Particle, base.Particle)
	}
}
