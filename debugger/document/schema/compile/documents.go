package compile

import (
	"errors"

	"github.com/triptych-mcp/triptych/debugger/document/schema/component"
	"github.com/triptych-mcp/triptych/debugger/document/schema/event"
	"github.com/triptych-mcp/triptych/debugger/document/schema/read"
)

// document reads the declarations of a document, and those of the documents that it
// refers to.
func (c *compiler) document(root *read.Node, space string, chameleon bool) *document {
	key := docKey{root, space}
	if d := c.docs[key]; d != nil || c.over() {
		return d
	}
	d := &document{root: root, space: space, chameleon: chameleon, imports: map[string]bool{}}
	d.elements = attrIs(root, "elementFormDefault", "qualified")
	d.attributes = attrIs(root, "attributeFormDefault", "qualified")
	d.block, _ = set(root, "blockDefault")
	d.final, _ = set(root, "finalDefault")
	c.docs[key] = d
	c.schema.Spaces[space] = true
	if value, ok := root.Attr("targetNamespace"); ok && value == "" {
		c.say(root, "The attribute 'targetNamespace' must not be empty.")
	}
	for _, n := range root.Children {
		switch n.Name.Local {
		case "include":
			c.include(d, n)
		case "import":
			c.imported(d, n)
		case "redefine":
			c.redefine(d, n)
		}
	}
	for _, n := range root.Children {
		if k, ok := kindOf(n); ok {
			c.register(k, n, d)
		}
	}
	return d
}

func attrIs(n *read.Node, local, value string) bool {
	got, ok := n.Attr(local)
	return ok && got == value
}

func kindOf(n *read.Node) (kind, bool) {
	switch n.Name.Local {
	case "simpleType", "complexType":
		return typeKind, true
	case "element":
		return elementKind, true
	case "attribute":
		return attributeKind, true
	case "group":
		return groupKind, true
	case "attributeGroup":
		return attributeGroupKind, true
	case "notation":
		return notationKind, true
	}
	return 0, false
}

// register records a global declaration.
func (c *compiler) register(k kind, n *read.Node, d *document) {
	local, ok := n.Attr("name")
	if !ok {
		return // which was reported
	}
	s := &source{kind: k, name: Name{Space: d.space, Local: local}, node: n, doc: d}
	if other := c.tables[k][s.name]; other != nil || c.inBase(k, s.name) {
		c.say(n, "A global %s '%s' does already exist.", nouns[k], s.name)
		return
	}
	c.tables[k][s.name] = s
	c.order = append(c.order, s)
}

// inBase reports whether the schema that is extended has a component.
func (c *compiler) inBase(k kind, name Name) bool {
	base := c.schema.Base
	if base == nil {
		return false
	}
	switch k {
	case typeKind:
		return base.Type(name) != nil
	case elementKind:
		return base.Element(name) != nil
	case attributeKind:
		return base.Attribute(name) != nil
	case notationKind:
		return base.Notation(name)
	}
	return false
}

// open loads the document that an element refers to. It returns nil if there is none or
// if it cannot be used.
func (c *compiler) open(n *read.Node) *read.Node {
	location, ok := n.Attr("schemaLocation")
	if !ok {
		return nil
	}
	root, err := c.load(n.File, location)
	if wrong, ok := errors.AsType[*Problem](err); ok {
		c.problems = append(c.problems, *wrong)
		return nil
	}
	if err != nil {
		c.err = err
		return nil
	}
	if root == nil || !c.check(root) {
		return nil
	}
	return root
}

func (c *compiler) include(d *document, n *read.Node) *document {
	root := c.open(n)
	if root == nil {
		return nil
	}
	space := targetSpace(root)
	if space != "" && space != d.space {
		c.say(n, "The target namespace of the included schema '%s' differs from the target namespace '%s' of the including schema.", space, d.space)
		return nil
	}
	return c.document(root, d.space, space == "" && d.space != "")
}

func (c *compiler) imported(d *document, n *read.Node) {
	space, ok := n.Attr("namespace")
	switch {
	case ok && space == d.space && !d.chameleon, ok && space == d.space && d.chameleon && targetSpace(d.root) == space:
		c.say(n, "The value of the attribute 'namespace' must not match the target namespace '%s' of the importing schema.", d.space)
		return
	case ok && space == "":
		c.say(n, "The value of the attribute 'namespace' must not be empty.")
		return
	case !ok && targetSpace(d.root) == "":
		c.say(n, "The attribute 'namespace' must be present if the importing schema has no target namespace.")
		return
	}
	d.imports[space] = true
	root := c.open(n)
	if root == nil {
		if space == event.XMLSpace {
			c.declareXML()
		}
		return
	}
	if got := targetSpace(root); got != space {
		c.say(n, "The target namespace '%s' of the imported schema differs from the attribute 'namespace' '%s'.", got, space)
		return
	}
	if c.schema.Base.HasSpace(space) {
		return
	}
	c.document(root, space, false)
}

// redefine includes a document and replaces some of its definitions.
func (c *compiler) redefine(d *document, n *read.Node) {
	if c.include(d, n) == nil && !c.over() {
		for _, child := range n.Children {
			if !child.Is("annotation") {
				c.say(n, "The document that is redefined cannot be read.")
				return
			}
		}
		return
	}
	for _, child := range n.Children {
		k, ok := kindOf(child)
		if !ok {
			continue
		}
		local, ok := child.Attr("name")
		if !ok {
			continue
		}
		name := Name{Space: d.space, Local: local}
		old := c.tables[k][name]
		if old == nil || (old.node.Name != child.Name) {
			c.say(child, "There is no %s '%s' to redefine.", nouns[k], name)
			continue
		}
		if old.node.Parent == n {
			c.say(child, "The %s '%s' is redefined twice.", nouns[k], name)
			continue
		}
		s := &source{kind: k, name: name, node: child, doc: d, old: old}
		c.tables[k][name] = s
		c.order = append(c.order, s)
	}
}

// build makes the component of a source.
func (c *compiler) build(s *source) {
	switch s.kind {
	case typeKind:
		c.typeOf(s)
	case elementKind:
		c.element(s)
	case attributeKind:
		c.attribute(s)
	case groupKind:
		c.group(s)
	case attributeGroupKind:
		c.attributeGroup(s)
	case notationKind:
		c.notation(s)
	}
}

func (c *compiler) notation(s *source) {
	_, public := s.node.Attr("public")
	_, system := s.node.Attr("system")
	if !public && !system {
		c.say(s.node, "A notation needs the attribute 'public' or 'system'.")
	}
	c.schema.Notations[s.name] = true
}

// set returns the kinds of derivation in an attribute, and whether it is there.
func set(n *read.Node, local string) (component.Set, bool) {
	value, ok := n.Attr(local)
	if value == "#all" {
		return component.Extension | component.Restriction | component.Substitution | component.List | component.Union, true
	}
	var all component.Set
	for _, w := range []struct {
		word string
		bit  component.Set
	}{
		{"extension", component.Extension}, {"restriction", component.Restriction}, {"substitution", component.Substitution},
		{"list", component.List}, {"union", component.Union},
	} {
		if hasWord(value, w.word) {
			all |= w.bit
		}
	}
	return all, ok
}
