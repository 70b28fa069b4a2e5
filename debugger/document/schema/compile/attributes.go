package compile

import (
	"github.com/triptych-mcp/triptych/debugger/document/schema/automata"
	"github.com/triptych-mcp/triptych/debugger/document/schema/component"
	"github.com/triptych-mcp/triptych/debugger/document/schema/read"
)

// attribute returns the declaration of a global attribute.
func (c *compiler) attribute(s *source) *component.Attribute {
	if s.state != untouched {
		return s.value.(*component.Attribute)
	}
	a := &component.Attribute{Name: s.name}
	s.state, s.value = built, a
	c.schema.Attributes[s.name] = a
	c.declareAttribute(s.doc, s.node, a)
	return a
}

// declareAttribute sets what global and local declarations have in common.
func (c *compiler) declareAttribute(d *document, n *read.Node, a *component.Attribute) {
	a.Type = component.AnySimpleType
	_, named := n.Attr("type")
	if child := n.Child("simpleType"); named || child != nil {
		if t := c.simpleOf(d, n, "type", nil); t != nil {
			a.Type = t
			c.ownNotation(n, t)
		}
	}
	if a.Name.Local == "xmlns" {
		c.say(n, "An attribute cannot have the name 'xmlns'.")
	}
	if a.Name.Space == component.InstanceSpace {
		c.say(n, "Attributes of the namespace '%s' cannot be declared.", component.InstanceSpace)
	}
	a.Value = c.constraint(n)
	if a.Value != nil {
		c.later = append(c.later, func() { c.setValue(d, n, a.Type, a.Value) })
	}
}

// uses holds the attributes of a type or group.
type uses struct {
	list       []*component.AttributeUse
	wildcard   *component.Wildcard
	prohibited map[Name]bool

	names map[Name]bool           // of the attributes in list, made by addUse
	id    *component.AttributeUse // the first of them that is of type ID
}

// maxAttributes limits the attributes that types and groups have from others.
const maxAttributes = 500_000

// count counts attributes that a type or group has from another. Too many end the
// compilation.
func (c *compiler) count(all []*component.AttributeUse) {
	if c.attributes += len(all); c.attributes > maxAttributes && c.err == nil {
		c.err = &automata.SizeError{What: "attributes of types and groups", Limit: maxAttributes, Detail: "those that they have from others count each time"}
	}
}

// attributeUses collects the attributes that an element of a schema document has as
// children.
func (c *compiler) attributeUses(d *document, n *read.Node, from *source) *uses {
	u := &uses{prohibited: map[Name]bool{}}
	var local *component.Wildcard
	var groups []*component.Wildcard
	for _, child := range n.Children {
		switch child.Name.Local {
		case "attribute":
			c.attributeUse(d, child, u)
		case "attributeGroup":
			if g := c.attributeGroupRef(d, child, from); g != nil {
				c.count(g.list)
				for _, use := range g.list {
					c.addUse(child, u, use)
				}
				if g.wildcard != nil {
					groups = append(groups, g.wildcard)
				}
			}
		case "anyAttribute":
			local = c.wildcard(d, child)
		}
	}
	u.wildcard = c.intersection(n, local, groups)
	return u
}

// intersection returns the complete wildcard (part 1, section 3.4.2).
func (c *compiler) intersection(n *read.Node, local *component.Wildcard, groups []*component.Wildcard) *component.Wildcard {
	w := local
	for _, g := range groups {
		if w == nil {
			w = g
			continue
		}
		both, ok := w.Intersect(g)
		if !ok {
			c.say(n, "The intersection of the attribute wildcards is not expressible.")
			return w
		}
		w = both
	}
	return w
}

// addUse adds an attribute to those that were added so.
func (c *compiler) addUse(n *read.Node, u *uses, use *component.AttributeUse) {
	name := use.Decl.Name
	if u.names[name] {
		c.say(n, "The attribute '%s' is there twice.", name)
		return
	}
	if use.Decl.Type.Data.HasID() {
		if u.id != nil {
			c.say(n, "The attributes '%s' and '%s' are both of type ID.", u.id.Decl.Name, name)
		}
		u.id = use
	}
	if u.names == nil {
		u.names = map[Name]bool{}
	}
	u.names[name] = true
	u.list = append(u.list, use)
}

// attributeUse adds the attribute of an element.
func (c *compiler) attributeUse(d *document, n *read.Node, u *uses) {
	how, _ := n.Attr("use")
	a := c.localAttribute(d, n)
	if a == nil {
		return
	}
	value := c.constraint(n)
	if _, hasDefault := n.Raw("default"); hasDefault && how != "" && how != "optional" {
		c.say(n, "An attribute with a default must be optional.")
	}
	if how == "prohibited" {
		u.prohibited[a.Name] = true
		return
	}
	use := &component.AttributeUse{Decl: a, Required: how == "required"}
	if _, isRef := n.Attr("ref"); isRef && value != nil {
		use.Value = value
		c.later = append(c.later, func() { c.checkUseValue(d, n, use) })
	}
	c.addUse(n, u, use)
}

// checkUseValue checks the value of a reference to an attribute (part 1, section 3.5.6).
func (c *compiler) checkUseValue(d *document, n *read.Node, use *component.AttributeUse) {
	c.setValue(d, n, use.Decl.Type, use.Value)
	declared := use.Decl.Value
	if declared == nil || !declared.Fixed {
		return
	}
	same := declared.OK && use.Value.OK && declared.Value.Equal(use.Value.Value)
	if !use.Value.Fixed || !same {
		c.say(n, "The attribute '%s' is fixed to '%s' by its declaration.", use.Decl.Name, declared.Text)
	}
}

// localAttribute returns the declaration that an attribute of a type has or refers to.
func (c *compiler) localAttribute(d *document, n *read.Node) *component.Attribute {
	value, isRef := n.Attr("ref")
	local, named := n.Attr("name")
	if isRef == named {
		c.say(n, "Either the attribute 'name' or the attribute 'ref' is needed.")
		return nil
	}
	if isRef {
		c.onlyRef(n, "type", "form")
		if n.Child("simpleType") != nil {
			c.say(n, "A reference cannot have the element 'simpleType'.")
		}
		s, name, ok := c.find(attributeKind, d, n, value, nil)
		switch {
		case !ok:
			return nil
		case s == nil:
			if a := c.schema.Attribute(name); a != nil {
				return a
			}
			return &component.Attribute{Name: name, Type: component.AnySimpleType}
		}
		return c.attribute(s)
	}
	a := &component.Attribute{Name: Name{Local: local}}
	if qualified(n, d.attributes) {
		a.Name.Space = d.space
	}
	c.declareAttribute(d, n, a)
	return a
}

// attributeGroup returns the attributes of a group.
func (c *compiler) attributeGroup(s *source) *uses {
	if s.state == built {
		return s.value.(*uses)
	}
	if s.state == building {
		c.say(s.node, "The attribute group '%s' is circular.", s.name)
		return nil
	}
	if !c.descend(s.node) {
		return nil
	}
	defer c.ascend()
	s.state = building
	u := c.attributeUses(s.doc, s.node, s)
	s.state, s.value = built, u
	if s.old != nil && !s.widened {
		if base := c.attributeGroup(s.old); base != nil {
			c.later = append(c.later, func() { c.restrictUses(s.node, u, base, false) })
		}
	}
	return u
}

func (c *compiler) attributeGroupRef(d *document, n *read.Node, from *source) *uses {
	value, ok := n.Attr("ref")
	if !ok {
		return nil
	}
	s, _, ok := c.find(attributeGroupKind, d, n, value, from)
	if !ok || s == nil {
		return nil
	}
	if from != nil && s == from.old {
		if from.widened {
			c.say(n, "A redefinition may refer to the attribute group itself once only.")
		}
		from.widened = true
	}
	return c.attributeGroup(s)
}

// wildcard returns the wildcard of any or anyAttribute.
func (c *compiler) wildcard(d *document, n *read.Node) *component.Wildcard {
	w := &component.Wildcard{Text: "##any"}
	switch value, _ := n.Attr("processContents"); value {
	case "lax":
		w.Process = component.Lax
	case "skip":
		w.Process = component.Skip
	}
	value, ok := n.Attr("namespace")
	if !ok || value == "##any" {
		return w
	}
	w.Text = value
	if value == "##other" {
		w.Kind, w.Not = component.Other, d.space
		return w
	}
	w.Kind = component.Listed
	for _, word := range splitWords(value) {
		switch word {
		case "##local":
			word = ""
		case "##targetNamespace":
			word = d.space
		}
		w.Spaces = append(w.Spaces, word)
	}
	return w
}

// restrictUses checks that attributes restrict others (part 1, section 3.4.6, Derivation
// Valid (Restriction, Complex)). own are the attributes with those that were inherited.
func (c *compiler) restrictUses(n *read.Node, own, base *uses, ofAny bool) {
	byName := map[Name]*component.AttributeUse{}
	for _, use := range base.list {
		byName[use.Decl.Name] = use
	}
	for _, use := range own.list {
		c.restrictUse(n, use, byName[use.Decl.Name], base.wildcard)
		delete(byName, use.Decl.Name)
	}
	for _, use := range base.list {
		if use.Required && byName[use.Decl.Name] != nil {
			c.say(n, "The attribute '%s' is required by the type that is restricted.", use.Decl.Name)
		}
	}
	switch w := own.wildcard; {
	case w == nil:
	case base.wildcard == nil:
		c.say(n, "The type that is restricted has no attribute wildcard.")
	case !w.Within(base.wildcard):
		c.say(n, "The attribute wildcard is not a subset of that of the type that is restricted.")
	case !ofAny && w.Process > base.wildcard.Process:
		c.say(n, "The attribute wildcard is processed less strictly than that of the type that is restricted.")
	}
}

func (c *compiler) restrictUse(n *read.Node, use, base *component.AttributeUse, w *component.Wildcard) {
	name := use.Decl.Name
	if base == nil {
		if w == nil || !w.Admits(name.Space) {
			c.say(n, "The attribute '%s' is not allowed by the type that is restricted.", name)
		}
		return
	}
	if base == use {
		return
	}
	if base.Required && !use.Required {
		c.say(n, "The attribute '%s' is required by the type that is restricted.", name)
	}
	if !component.DerivesFrom(use.Decl.Type, base.Decl.Type, 0) {
		c.say(n, "The type of the attribute '%s' is not validly derived from that in the type that is restricted.", name)
	}
	if fixed := base.Constraint(); fixed != nil && fixed.Fixed {
		v := use.Constraint()
		if v == nil || !v.Fixed || v.OK && fixed.OK && !v.Value.Equal(fixed.Value) {
			c.say(n, "The attribute '%s' is fixed to '%s' by the type that is restricted.", name, fixed.Text)
		}
	}
}
