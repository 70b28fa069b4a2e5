package validate

import (
	"context"

	"github.com/triptych-mcp/triptych/debugger/document/schema/component"
	"github.com/triptych-mcp/triptych/debugger/document/schema/event"
	"github.com/triptych-mcp/triptych/debugger/document/schema/identity"
)

// The namespace of the attributes that every element may have.
const instanceSpace = component.InstanceSpace

// start validates a start tag.
func (v *validator) start(ctx context.Context, e *event.Event) {
	f := v.push(e)
	x := v.instanceAttributes(ctx, e)
	if len(v.stack) == 1 {
		v.root(f, x)
	} else {
		v.child(&v.stack[len(v.stack)-2], f, x)
	}
	var constraints []*component.Identity
	if f.decl != nil && f.mode == assessed {
		constraints = f.decl.Identities
	}
	v.tracker.Start(f.name, constraints, f.mode == lost, func() *identity.Place { return v.place(len(v.stack) - 1) })
	switch f.mode {
	case assessed:
		v.attributes(f, e)
		v.content(f)
	case lost:
		v.loseAttributes(e)
	}
	f.keep = f.keep || f.mode == lost || v.tracker.WantsValue()
}

// root decides what the root is.
func (v *validator) root(f *frame, x instance) {
	decl := v.schema.Element(f.name)
	switch {
	case decl != nil:
		v.declared(f, decl, x)
	case x.hasType:
		v.undeclared(f, x)
	default:
		v.say("No matching global declaration available for the validation root.")
		f.mode = lost
	}
}

// child decides what a child is.
func (v *validator) child(parent, f *frame, x instance) {
	first := !parent.children
	parent.children = true
	switch {
	case parent.mode != assessed:
		f.mode = parent.mode
	case parent.nilled:
		v.say("This element is not expected, because the element '%s' is nilled.", parent.name)
		f.mode = lost
	case parent.info.content == component.SimpleContent:
		if first {
			v.say("This element is not expected, because the content of the element '%s' is simple.", parent.name)
		}
		f.mode = lost
	case parent.info.content == component.Empty:
		v.say("This element is not expected.")
		f.mode = lost
	default:
		v.match(parent, f, x)
	}
}

// match follows the content model of the parent.
func (v *validator) match(parent, f *frame, x instance) {
	m, ok := parent.matcher.Next(f.name)
	if !ok {
		v.say("This element is not expected.%s", parent.matcher.Expected())
		parent.matcher.Recover(f.name)
		if m.Decl != nil && m.Decl.Abstract {
			f.mode = lost
			return
		}
	}
	switch {
	case m.Decl != nil:
		v.declared(f, m.Decl, x)
	case m.Wildcard == nil:
		f.mode = lost
	default:
		v.wildcard(f, m.Wildcard, x)
	}
}

// wildcard decides what an element is that a wildcard admits.
func (v *validator) wildcard(f *frame, w *component.Wildcard, x instance) {
	if w.Process == component.Skip {
		f.mode = skipped
		return
	}
	switch decl := v.schema.Element(f.name); {
	case decl != nil:
		v.declared(f, decl, x)
	case x.hasType && (w.Process == component.Strict || v.typeOf(x.typeName) != nil):
		v.undeclared(f, x)
	case w.Process == component.Strict:
		v.say("No matching global declaration available, but demanded by the strict wildcard.")
		f.mode = lost
	default:
		if x.hasType {
			v.warnType(f, x)
		}
		v.governed(f, component.AnyType)
	}
}

// declared begins an element with a declaration.
func (v *validator) declared(f *frame, decl *component.Element, x instance) {
	f.decl = decl
	switch {
	case decl.Missing != "":
		v.say("%s", decl.Missing)
		f.mode = lost
		return
	case decl.Abstract:
		v.say("The element declaration is abstract.")
		f.mode = lost
		return
	}
	v.checkNil(f, decl, x)
	t := decl.Type
	if x.hasType {
		if t = v.instanceType(decl, x); t == nil {
			f.mode = lost
			return
		}
	}
	v.governed(f, t)
}

// undeclared begins an element that has no declaration but xsi:type.
func (v *validator) undeclared(f *frame, x instance) {
	t := v.typeOf(x.typeName)
	if t == nil {
		v.say("The value '%s' of the xsi:type attribute does not resolve to a type definition.", x.typeName)
		f.mode = lost
		return
	}
	f.nilled = x.isNil
	v.governed(f, t)
}

// governed sets the type of an element.
func (v *validator) governed(f *frame, t component.Type) {
	if t == nil {
		f.mode = lost
		return
	}
	f.info = v.info(t)
	if f.info.complex != nil && f.info.complex.Abstract {
		v.say("The type definition is abstract.")
		f.mode = lost
	}
}

// content prepares for the content of an element.
func (v *validator) content(f *frame) {
	switch f.info.content {
	case component.SimpleContent:
		f.keep = true
	case component.ElementOnly, component.Mixed:
		f.matcher.Begin(v.runner, f.info.model)
		f.keep = f.info.content == component.Mixed && f.decl != nil && f.decl.Value != nil
	}
}
