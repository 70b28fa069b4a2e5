package validate

import (
	"context"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/document/schema/compile"
	"github.com/triptych-mcp/triptych/debugger/document/schema/component"
	"github.com/triptych-mcp/triptych/debugger/document/schema/event"
	"github.com/triptych-mcp/triptych/debugger/document/schema/read"
)

// An instance holds the attributes that an element has whatever its type is.
type instance struct {
	hasType  bool
	typeName string
	hasNil   bool
	isNil    bool
}

// instanceAttributes reads them, and loads the schemas that they point to.
func (v *validator) instanceAttributes(ctx context.Context, e *event.Event) instance {
	var x instance
	for i := range e.Attrs {
		a := &e.Attrs[i]
		if a.Name.Space != instanceSpace {
			continue
		}
		switch a.Name.Local {
		case "type":
			x.hasType, x.typeName = true, read.Collapse(a.Value)
		case "nil":
			value := read.Collapse(a.Value)
			x.hasNil, x.isNil = true, value == "true" || value == "1"
		case "schemaLocation":
			words := strings.Fields(a.Value)
			for i := 0; i+1 < len(words); i += 2 {
				v.hint(ctx, words[i], words[i+1])
			}
		case "noNamespaceSchemaLocation":
			v.hint(ctx, "", strings.TrimSpace(a.Value))
		}
	}
	return x
}

// isInstance reports whether an attribute is one of those.
func isInstance(n Name) bool {
	if n.Space != instanceSpace {
		return false
	}
	switch n.Local {
	case "type", "nil", "schemaLocation", "noNamespaceSchemaLocation":
		return true
	}
	return false
}

// maxHints limits the schemas that a document may point to.
const maxHints = 100

// hint loads a schema that a document points to, if its namespace is not known. One that
// cannot be used is disregarded.
func (v *validator) hint(ctx context.Context, space, location string) {
	if v.options.Loader == nil || v.schema.HasSpace(space) || v.hinted[space] || len(v.hinted) == maxHints {
		return
	}
	if v.hinted == nil {
		v.hinted = map[string]bool{}
	}
	v.hinted[space] = true
	root, err := v.options.Loader.Load(ctx, v.options.File, location)
	if err != nil || root == nil {
		return
	}
	if target, _ := root.Attr("targetNamespace"); target != space {
		return
	}
	extended, problems, err := compile.Extend(ctx, v.schema, []*read.Node{root}, v.options.Loader)
	if err != nil || len(problems) > 0 {
		return
	}
	v.schema = extended
	v.runner.Extend(extended)
}

// typeOf returns the type that a qualified name in the current element means, or nil.
func (v *validator) typeOf(name string) component.Type {
	prefix, local, prefixed := strings.Cut(name, ":")
	if !prefixed {
		prefix, local = "", name
	}
	space, ok := v.parser.Lookup(prefix)
	if !ok || event.NCNameLength(local) != len(local) || local == "" || prefixed && prefix == "" {
		return nil
	}
	return v.schema.Type(Name{Space: space, Local: local})
}

// instanceType returns the type that xsi:type gives to an element, or nil if it cannot be
// used (part 1, section 3.3.4, clause 4).
func (v *validator) instanceType(decl *component.Element, x instance) component.Type {
	t := v.typeOf(x.typeName)
	switch {
	case t == nil:
		v.say("The value '%s' of the xsi:type attribute does not resolve to a type definition.", x.typeName)
		return nil
	case t == decl.Type:
		return t
	}
	switch v.instead(decl, t) {
	case underived:
		v.say("The type definition '%s' is not validly derived from the type definition '%s'.", typeName(t), typeName(decl.Type))
		return nil
	case blocked:
		v.say("The xsi:type definition is blocked by the element declaration.")
		return nil
	}
	return t
}

// A substitution says whether a type may stand for that of a declaration.
type substitution uint8

const (
	allowed substitution = iota + 1
	underived
	blocked
)

// An instead is a type that stands for that of a declaration.
type instead struct {
	decl *component.Element
	t    component.Type
}

// maxInsteads limits the types that are kept.
const maxInsteads = 100_000

// instead reports whether t may stand for the type of a declaration. It keeps the answer:
// there can be many types between the two.
func (v *validator) instead(decl *component.Element, t component.Type) substitution {
	key := instead{decl, t}
	if known := v.insteads[key]; known != 0 {
		return known
	}
	block := decl.Block
	if c, ok := decl.Type.(*component.Complex); ok {
		block |= c.Block
	}
	answer := allowed
	switch {
	case !component.DerivesFrom(t, decl.Type, 0):
		answer = underived
	case !component.DerivesFrom(t, decl.Type, block&(component.Extension|component.Restriction)):
		answer = blocked
	}
	if v.insteads == nil || len(v.insteads) == maxInsteads {
		v.insteads = map[instead]substitution{}
	}
	v.insteads[key] = answer
	return answer
}

// typeName describes a type for messages.
func typeName(t component.Type) string {
	if name := t.TypeName(); name.Local != "" {
		return name.String()
	}
	return "local type"
}

// warnType warns of a type that is nowhere, where that is no violation.
func (v *validator) warnType(f *frame, x instance) {
	const limit = 100
	if len(v.warnings) < limit {
		v.warnings = append(v.warnings, cut("the value '"+x.typeName+"' of xsi:type does not resolve to a type definition, so "+v.place(len(v.stack)-1).Path()+" was not validated by it"))
	}
}

// checkNil checks xsi:nil (part 1, section 3.3.4, clause 3).
func (v *validator) checkNil(f *frame, decl *component.Element, x instance) {
	switch {
	case !x.hasNil:
	case !decl.Nillable:
		v.say("Element is not nillable.")
		f.nilled = x.isNil
	case x.isNil && decl.Value != nil && decl.Value.Fixed:
		v.say("The element cannot be nilled because there is a fixed value constraint defined for it.")
		f.nilled = true
	default:
		f.nilled = x.isNil
	}
}
