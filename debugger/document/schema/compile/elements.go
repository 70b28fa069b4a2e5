package compile

import (
	"github.com/triptych-mcp/triptych/debugger/document/schema/component"
	"github.com/triptych-mcp/triptych/debugger/document/schema/datatype"
	"github.com/triptych-mcp/triptych/debugger/document/schema/identity"
	"github.com/triptych-mcp/triptych/debugger/document/schema/read"
)

// element returns the declaration of a global element, or nil if it is too deep.
func (c *compiler) element(s *source) *component.Element {
	if s.state != untouched {
		return s.value.(*component.Element)
	}
	if !c.descend(s.node) {
		return nil
	}
	defer c.ascend()
	e := &component.Element{Name: s.name, Global: true}
	s.state, s.value = building, e
	c.schema.Elements[s.name] = e
	e.Abstract = isTrue(s.node, "abstract")
	e.Final = s.doc.final & (component.Extension | component.Restriction)
	if final, ok := set(s.node, "final"); ok {
		e.Final = final
	}
	if value, ok := s.node.Attr("substitutionGroup"); ok {
		c.affiliate(s, e, value)
	}
	c.declare(s.doc, s.node, e)
	s.state = built
	return e
}

func isTrue(n *read.Node, local string) bool {
	return attrIs(n, local, "true") || attrIs(n, local, "1")
}

// affiliate makes e a member of a substitution group.
func (c *compiler) affiliate(s *source, e *component.Element, value string) {
	if _, missing := c.mayMiss(elementKind, s.doc, s.node, value); missing {
		return
	}
	head := c.elementRef(s.doc, s.node, value)
	if head == nil {
		return
	}
	heads := 0
	for above := head; above != nil; above = above.Head {
		if above == e {
			c.say(s.node, "The substitution group of the element '%s' is circular.", s.name)
			return
		}
		heads++
	}
	if heads > maxReferences {
		c.say(s.node, "The element is in more than %d substitution groups, each in the next.", maxReferences)
		return
	}
	e.Head = head
	c.schema.Members[head] = append(c.schema.Members[head], e)
	c.later = append(c.later, func() {
		if e.Type == nil || head.Type == nil {
			return
		}
		if !component.DerivesFrom(e.Type, head.Type, head.Final) {
			c.say(s.node, "The type '%s' is not validly derived from the type '%s' of the head '%s' of its substitution group.", typeName(e.Type), typeName(head.Type), head.Name)
		}
	})
}

func (c *compiler) elementRef(d *document, n *read.Node, value string) *component.Element {
	s, name, ok := c.find(elementKind, d, n, value, nil)
	if !ok {
		return nil
	}
	if s == nil {
		return c.schema.Element(name)
	}
	e := c.element(s)
	if e != nil {
		c.used[e] = true
	}
	return e
}

// declare sets what global and local declarations have in common.
func (c *compiler) declare(d *document, n *read.Node, e *component.Element) {
	e.Nillable = isTrue(n, "nillable")
	e.Block = d.block
	if block, ok := set(n, "block"); ok {
		e.Block = block
	}
	e.Block &= component.Extension | component.Restriction | component.Substitution
	e.Type = c.elementType(d, n, e)
	e.Value = c.constraint(n)
	if e.Value != nil {
		c.later = append(c.later, func() { c.checkValue(d, n, e) })
	}
	for _, child := range n.Children {
		switch child.Name.Local {
		case "unique", "key", "keyref":
			c.identityConstraint(d, child, e)
		}
	}
}

// elementType returns the type of a declaration: that of the head of its substitution
// group if it has none of its own.
func (c *compiler) elementType(d *document, n *read.Node, e *component.Element) component.Type {
	value, named := n.Attr("type")
	child := n.Child("simpleType", "complexType")
	switch {
	case named && child != nil:
		c.say(n, "The attribute 'type' and a type as a child exclude each other.")
	case named:
		if t := c.missingType(d, n, value, e); t != nil {
			return t
		}
		t := c.typeRef(d, n, value, nil)
		if s, ok := t.(*component.Simple); ok {
			c.ownNotation(n, s)
		}
		if t != nil {
			return t
		}
	case child != nil && child.Is("simpleType"):
		return c.simpleType(d, child, nil)
	case child != nil:
		return c.complexType(d, child, nil)
	case e.Head != nil && e.Head.Type != nil:
		return e.Head.Type
	}
	return component.AnyType
}

// constraint returns the default or fixed value of a declaration.
func (c *compiler) constraint(n *read.Node) *component.Constraint {
	value, hasDefault := n.Raw("default")
	fixed, hasFixed := n.Raw("fixed")
	switch {
	case hasDefault && hasFixed:
		c.say(n, "The attributes 'default' and 'fixed' exclude each other.")
		return nil
	case hasFixed:
		return &component.Constraint{Text: fixed, Fixed: true}
	case hasDefault:
		return &component.Constraint{Text: value}
	}
	return nil
}

// checkValue checks the default or fixed value of an element (part 1, section 3.3.6,
// Element Default Valid).
func (c *compiler) checkValue(d *document, n *read.Node, e *component.Element) {
	simple, ok := e.Type.(*component.Simple)
	if complex, isComplex := e.Type.(*component.Complex); isComplex {
		switch {
		case complex.Content == component.SimpleContent:
			simple, ok = complex.Simple, complex.Simple != nil
		case complex.Content != component.Mixed || !nullable(complex):
			c.say(n, "The element has a value, so its type must be simple, have simple content, or be mixed and may be empty.")
		}
	}
	if ok {
		c.setValue(d, n, simple, e.Value)
	}
}

var idType = component.Builtin(Name{Space: component.Space, Local: "ID"})

// setValue sets the value of a constraint.
func (c *compiler) setValue(d *document, n *read.Node, t *component.Simple, v *component.Constraint) {
	if component.DerivesFrom(t, idType, 0) {
		c.say(n, "A value of type ID cannot have a default or be fixed.")
		return
	}
	value, err := t.Data.Validate(v.Text, schemaContext{scopeOf(d, n), c})
	if err != nil {
		c.say(n, "The default or fixed value '%s' is not valid: %s", v.Text, err)
		return
	}
	v.Value, v.OK = value, true
}

// A schemaContext is the context of values in schema documents.
type schemaContext struct {
	datatype.Scope
	c *compiler
}

// UnparsedEntity implements [datatype.Context]. There are none in schema documents.
func (schemaContext) UnparsedEntity(string) bool { return true }

// Notation implements [datatype.Context].
func (s schemaContext) Notation(name Name) bool {
	return s.c.tables[notationKind][name] != nil || s.c.schema.Notation(name)
}

// localElement returns the particle of an element in a group.
func (c *compiler) localElement(d *document, n *read.Node) *component.Particle {
	value, isRef := n.Attr("ref")
	local, named := n.Attr("name")
	if isRef == named {
		c.say(n, "Either the attribute 'name' or the attribute 'ref' is needed.")
		return nil
	}
	if isRef {
		c.onlyRef(n, "type", "default", "fixed", "nillable", "block", "form")
		if len(n.Children) > 0 && !(len(n.Children) == 1 && n.Children[0].Is("annotation")) {
			c.say(n, "A reference cannot have the element '%s'.", n.Children[len(n.Children)-1].Name.Local)
		}
		if e := c.elementRef(d, n, value); e != nil {
			return c.particle(n, e)
		}
		return nil
	}
	e := &component.Element{Name: Name{Local: local}}
	if qualified(n, d.elements) {
		e.Name.Space = d.space
	}
	c.declare(d, n, e)
	return c.particle(n, e)
}

func qualified(n *read.Node, byDefault bool) bool {
	if form, ok := n.Attr("form"); ok {
		return form == "qualified"
	}
	return byDefault
}

// onlyRef reports attributes that references cannot have.
func (c *compiler) onlyRef(n *read.Node, others ...string) {
	for _, other := range others {
		if _, ok := n.Raw(other); ok {
			c.say(n, "The attributes 'ref' and '%s' exclude each other.", other)
		}
	}
}

// identityKinds are the kinds of identity constraints by their elements.
var identityKinds = map[string]identity.Kind{"unique": identity.Unique, "key": identity.Key, "keyref": identity.Keyref}

// identityConstraint makes an identity constraint of an element.
func (c *compiler) identityConstraint(d *document, n *read.Node, e *component.Element) {
	local, _ := n.Attr("name")
	i := &component.Identity{Name: Name{Space: d.space, Local: local}, Kind: identityKinds[n.Name.Local]}
	usable := true
	for _, child := range n.Children {
		usable = c.identityPath(child, i) && usable
	}
	if c.schema.Base.Identity(i.Name) != nil || c.identity[i.Name] != nil {
		c.say(n, "An identity constraint '%s' does already exist.", i.Name)
		return
	}
	c.identity[i.Name] = i
	c.schema.Identities[i.Name] = i
	if usable && i.Selector != nil {
		e.Identities = append(e.Identities, i)
	}
	if i.Kind == identity.Keyref {
		c.refers = append(c.refers, func() { c.refer(d, n, i) })
	}
}

// identityPath sets the selector or a field, and reports whether it is right.
func (c *compiler) identityPath(n *read.Node, i *component.Identity) bool {
	xpath, ok := n.Raw("xpath")
	if !ok { // an annotation, or what was reported
		return n.Is("annotation")
	}
	var err error
	switch n.Name.Local {
	case "selector":
		i.Selector, err = identity.Selector(xpath, n)
	case "field":
		var f *identity.Expression
		f, err = identity.Field(xpath, n)
		i.Fields = append(i.Fields, f)
	}
	if err != nil {
		c.say(n, "The XPath expression '%s' of the %s is not valid: %s.", xpath, n.Name.Local, err)
	}
	return err == nil
}

// refer resolves the key that a keyref refers to.
func (c *compiler) refer(d *document, n *read.Node, i *component.Identity) {
	value, _ := n.Attr("refer")
	name, ok := c.name(d, n, value)
	if !ok {
		return
	}
	if !d.visible(name.Space) {
		c.say(n, "The QName value '%s' refers to a namespace that is not imported.", name)
		return
	}
	target := c.identity[name]
	if target == nil {
		target = c.schema.Base.Identity(name)
	}
	switch {
	case target == nil || target.Kind == identity.Keyref:
		c.say(n, "The QName value '%s' does not resolve to a(n) key or unique constraint.", name)
	case len(target.Fields) != len(i.Fields):
		c.say(n, "The keyref '%s' has %d fields, and '%s' has %d.", i.Name, len(i.Fields), name, len(target.Fields))
	default:
		i.Refer = target
	}
}
