package compile

import (
	"github.com/triptych-mcp/triptych/debugger/document/schema/automata"
	"github.com/triptych-mcp/triptych/debugger/document/schema/component"
	"github.com/triptych-mcp/triptych/debugger/document/schema/read"
)

// maxParticles limits the particles of all content models, with groups written out.
const maxParticles = 1_000_000

// model returns the model of a particle, or nil if it is too large, which ends the
// compilation.
func (c *compiler) model(p *component.Particle) *automata.Model {
	m, err := automata.New(p)
	if err == nil {
		err = m.Index()
	}
	if err != nil && c.err == nil {
		c.err = err
	}
	if err != nil {
		return nil
	}
	if c.particles += m.Particles(); c.particles > maxParticles && c.err == nil {
		c.err = &automata.SizeError{What: "particles of all content models", Limit: maxParticles, Detail: "those of groups count each time that a type has them"}
	}
	return m
}

// nullable reports whether the content of a type may be empty.
func nullable(t *component.Complex) bool {
	return t.Particle == nil || emptiable(t.Particle)
}

// isUrType reports whether a type is the ur-type, or what the schema for schemas declares
// for it.
func isUrType(t component.Type) bool { return t.TypeName() == component.AnyType.Name }

// checkModel checks the content model of a complete type.
func (c *compiler) checkModel(t *component.Complex, s *complexSource) {
	n := s.node
	if t.Derivation == component.Restriction && !isUrType(t.Base) && t.Content != component.SimpleContent {
		c.checkRestriction(t, n)
	}
	if t.Particle == nil || c.over() {
		return
	}
	if c.checkedModels[t.Particle] {
		return
	}
	c.checkedModels[t.Particle] = true
	m := c.model(t.Particle)
	if m == nil {
		return
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
