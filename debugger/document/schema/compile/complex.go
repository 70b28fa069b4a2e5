package compile

import (
	"slices"

	"github.com/triptych-mcp/triptych/debugger/document/schema/component"
	"github.com/triptych-mcp/triptych/debugger/document/schema/read"
)

// A complexSource is the element that a complex type is made from.
type complexSource struct {
	doc   *document
	node  *read.Node
	from  *source // nil for local types
	state progress
	uses  *uses
}

// complexType returns a complex type that complete completes.
func (c *compiler) complexType(d *document, n *read.Node, from *source) *component.Complex {
	t := &component.Complex{Base: component.AnyType, Derivation: component.Restriction}
	c.complexes[t] = &complexSource{doc: d, node: n, from: from}
	c.pending = append(c.pending, t)
	t.Abstract = isTrue(n, "abstract")
	t.Block, t.Final = d.block, d.final
	if block, ok := set(n, "block"); ok {
		t.Block = block
	}
	if final, ok := set(n, "final"); ok {
		t.Final = final
	}
	t.Block &= component.Extension | component.Restriction
	t.Final &= component.Extension | component.Restriction
	if from != nil {
		t.Name = from.name
		from.value = t
		c.define(from, t)
	}
	return t
}

// complete makes the content and the attributes of a complex type, after those of its
// base.
func (c *compiler) complete(t *component.Complex) {
	s := c.complexes[t]
	if s == nil || s.state != untouched || c.over() {
		return
	}
	s.state = building
	if !c.derive(t, s) {
		t.Base, t.Derivation = component.AnyType, component.Restriction
	}
	t.Finish()
	s.state = built
	c.later = append(c.later, func() { c.checkModel(t, s) })
}

// derive makes a type from its base, and reports whether that was possible.
func (c *compiler) derive(t *component.Complex, s *complexSource) bool {
	content := s.node.Child("simpleContent", "complexContent")
	if content == nil { // a restriction of anyType
		if s.from != nil && s.from.old != nil {
			c.say(s.node, "A redefinition must be derived from the type '%s' itself.", t.Name)
		}
		s.uses = c.attributeUses(s.doc, s.node, nil)
		c.setContent(t, s, s.node, isTrue(s.node, "mixed"))
		t.Attributes, t.AnyAttribute = s.uses.list, s.uses.wildcard
		return true
	}
	n := content.Child("restriction", "extension")
	if n == nil {
		return false
	}
	value, ok := n.Attr("base")
	if !ok {
		return false
	}
	base := c.typeRef(s.doc, n, value, s.from)
	if base == nil {
		return false
	}
	if s.from != nil && s.from.old != nil && base != s.from.old.value {
		c.say(n, "A redefinition must be derived from the type '%s' itself.", t.Name)
	}
	t.Base, t.Derivation = base, component.Extension
	if n.Is("restriction") {
		t.Derivation = component.Restriction
	}
	if !c.completeBase(t, n, base) {
		return false
	}
	if content.Is("simpleContent") {
		return c.simpleContent(t, s, n)
	}
	return c.complexContent(t, s, content, n)
}

// completeBase completes the base of a type, and checks that t may be derived from it.
func (c *compiler) completeBase(t *component.Complex, n *read.Node, base component.Type) bool {
	switch base := base.(type) {
	case *component.Complex:
		if source := c.complexes[base]; source != nil && source.state == building {
			c.say(n, "The definition of the type '%s' is circular.", typeName(base))
			return false
		}
		if !c.descend(n) {
			return false
		}
		c.complete(base)
		c.ascend()
		if base.Final.Has(t.Derivation) {
			c.say(n, "The type '%s' is final for this derivation.", typeName(base))
		}
	case *component.Simple:
		if t.Derivation == component.Extension && base.Final.Has(component.Extension) {
			c.say(n, "The type '%s' is final for extensions.", typeName(base))
		}
	}
	return true
}

// simpleContent makes a type with simple content.
func (c *compiler) simpleContent(t *component.Complex, s *complexSource, n *read.Node) bool {
	t.Content = component.SimpleContent
	s.uses = c.attributeUses(s.doc, n, nil)
	base, isComplex := t.Base.(*component.Complex)
	if t.Derivation == component.Extension {
		if !isComplex {
			t.Simple = t.Base.(*component.Simple)
			c.ownNotation(n, t.Simple)
		} else if base.Content == component.SimpleContent {
			t.Simple = base.Simple
		} else {
			c.say(n, "The base type '%s' of simple content must be simple or have simple content.", typeName(base))
			t.Simple = component.AnySimpleType
			t.Attributes = s.uses.list
			return true
		}
		c.inherit(t, s, n)
		return true
	}
	t.Simple = c.restrictedSimple(t, s, n, base)
	if t.Simple == nil {
		t.Simple = component.AnySimpleType
		t.Attributes = s.uses.list
		return true
	}
	c.inherit(t, s, n)
	return true
}

// restrictedSimple returns the type of restricted simple content, or nil.
func (c *compiler) restrictedSimple(t *component.Complex, s *complexSource, n *read.Node, base *component.Complex) *component.Simple {
	child := n.Child("simpleType")
	var from *component.Simple
	switch {
	case base == nil:
		c.say(n, "The base type '%s' of a restriction of simple content must be complex.", typeName(t.Base))
		return nil
	case base.Content == component.SimpleContent:
		from = base.Simple
	case base.Content == component.Mixed && nullable(base) && child != nil:
	case base.Content == component.Mixed && nullable(base):
		c.say(n, "The restriction of the mixed type '%s' needs the element 'simpleType'.", typeName(base))
		return nil
	default:
		c.say(n, "The base type '%s' must have simple content, or be mixed and may be empty.", typeName(base))
		return nil
	}
	if child != nil {
		own := c.simpleType(s.doc, child, nil)
		if from != nil && !component.DerivesFrom(own, from, 0) {
			c.say(n, "The type of the content is not validly derived from that of the base type '%s'.", typeName(base))
		}
		from = own
	}
	made := &component.Simple{Base: from, Item: from.Item, Members: from.Members}
	made.Data = c.facets(s.doc, n, Name{}, from.Data)
	return made
}

// complexContent makes a type with complex content.
func (c *compiler) complexContent(t *component.Complex, s *complexSource, content, n *read.Node) bool {
	base, ok := t.Base.(*component.Complex)
	if !ok {
		c.say(n, "The base type '%s' of complex content must be complex.", typeName(t.Base))
		return false
	}
	mixed := isTrue(s.node, "mixed")
	if _, ok := content.Raw("mixed"); ok {
		mixed = isTrue(content, "mixed")
	}
	s.uses = c.attributeUses(s.doc, n, nil)
	c.setContent(t, s, n, mixed)
	if t.Derivation == component.Extension {
		c.extendContent(t, n, base)
	}
	c.inherit(t, s, n)
	return true
}

// setContent sets the effective content (part 1, section 3.4.2).
func (c *compiler) setContent(t *component.Complex, s *complexSource, n *read.Node, mixed bool) {
	t.Particle = c.contentParticle(s.doc, n)
	switch {
	case mixed:
		t.Content = component.Mixed
		if t.Particle == nil {
			t.Particle = &component.Particle{Min: 1, Max: 1, Term: &component.Group{}}
		}
	case t.Particle != nil:
		t.Content = component.ElementOnly
	default:
		t.Content = component.Empty
	}
}

// contentParticle returns the explicit content, or nil if it is empty.
func (c *compiler) contentParticle(d *document, n *read.Node) *component.Particle {
	child := n.Child("group", "all", "choice", "sequence")
	if child == nil {
		return nil
	}
	var p *component.Particle
	if child.Is("group") {
		p = c.groupRef(d, child, nil)
	} else {
		p = c.particle(child, c.modelGroup(d, child, nil))
	}
	if p == nil {
		return nil
	}
	g := p.Term.(*component.Group)
	if len(g.Particles) == 0 && !child.Is("group") && !hasParticles(child) && (g.Kind != component.Choice || p.Min == 0) {
		return nil
	}
	return p
}

// hasParticles reports whether a group has children that are particles.
func hasParticles(n *read.Node) bool {
	for _, child := range n.Children {
		if !child.Is("annotation") {
			return true
		}
	}
	return false
}

// extendContent appends the content to that of the base.
func (c *compiler) extendContent(t *component.Complex, n *read.Node, base *component.Complex) {
	switch {
	case base.Content == component.SimpleContent && t.Content == component.Empty:
		t.Content, t.Simple, t.Particle = base.Content, base.Simple, base.Particle
	case base.Content == component.SimpleContent:
		c.say(n, "The type '%s' with simple content cannot be extended by elements.", typeName(base))
	case t.Content == component.Empty:
		t.Content, t.Particle = base.Content, base.Particle
	case base.Content == component.Empty:
	case base.Content != t.Content:
		c.say(n, "Both the type '%s' and its extension must be mixed, or neither.", typeName(base))
	default:
		c.append(t, n, base)
	}
}

func (c *compiler) append(t *component.Complex, n *read.Node, base *component.Complex) {
	own, inherited := t.Particle.Term.(*component.Group), base.Particle.Term.(*component.Group)
	if own.Kind == component.All && len(own.Particles) > 0 || inherited.Kind == component.All && len(own.Particles) > 0 {
		c.say(n, "A group of the kind 'all' must be the whole content model.")
		return
	}
	if len(own.Particles) == 0 && own.Kind != component.Choice { // a mixed extension by attributes only
		t.Particle = base.Particle
		return
	}
	t.Particle = &component.Particle{Min: 1, Max: 1, Term: &component.Group{Particles: []*component.Particle{base.Particle, t.Particle}}}
}

// inherit adds the attributes of the base.
func (c *compiler) inherit(t *component.Complex, s *complexSource, n *read.Node) {
	own := s.uses
	base, ok := t.Base.(*component.Complex)
	if !ok {
		t.Attributes, t.AnyAttribute = own.list, own.wildcard
		return
	}
	inherited := &uses{list: base.Attributes, wildcard: base.AnyAttribute}
	all := &uses{list: own.list, wildcard: own.wildcard}
	c.count(base.Attributes)
	if t.Derivation == component.Extension {
		all.list = nil
		for _, use := range append(append([]*component.AttributeUse(nil), base.Attributes...), own.list...) {
			c.addUse(n, all, use)
		}
		all.wildcard = c.union(n, own.wildcard, base.AnyAttribute)
	} else {
		c.keepUses(n, all, own, base)
		c.later = append(c.later, func() { c.restrictUses(n, all, inherited, isUrType(base)) })
	}
	t.Attributes, t.AnyAttribute = all.list, all.wildcard
}

// keepUses adds the attributes of the base that a restriction does not mention.
func (c *compiler) keepUses(n *read.Node, all, own *uses, base *component.Complex) {
	mentioned := map[Name]bool{}
	for _, use := range own.list {
		mentioned[use.Decl.Name] = true
	}
	all.list, all.id = slices.Clone(own.list), own.id
	for _, use := range base.Attributes {
		if !mentioned[use.Decl.Name] && !own.prohibited[use.Decl.Name] {
			c.addUse(n, all, use)
		}
	}
}

// union returns the attribute wildcard of an extension.
func (c *compiler) union(n *read.Node, own, base *component.Wildcard) *component.Wildcard {
	switch {
	case own == nil:
		return base
	case base == nil:
		return own
	}
	both, ok := own.Unite(base)
	if !ok {
		c.say(n, "The union of the attribute wildcards is not expressible.")
		return own
	}
	return both
}
