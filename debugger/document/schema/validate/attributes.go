package validate

import (
	"github.com/triptych-mcp/triptych/debugger/document/schema/component"
	"github.com/triptych-mcp/triptych/debugger/document/schema/datatype"
	"github.com/triptych-mcp/triptych/debugger/document/schema/event"
	"github.com/triptych-mcp/triptych/debugger/document/schema/identity"
	"github.com/triptych-mcp/triptych/debugger/document/schema/read"
)

// attributes validates the attributes of an element (part 1, section 3.4.4, clauses 3 to
// 5).
func (v *validator) attributes(f *frame, e *event.Event) {
	c := f.info.complex
	required, valued, identifiers := 0, 0, 0
	for i := range e.Attrs {
		if i%checkEvery == checkEvery-1 && v.Ended() {
			return
		}
		a := &e.Attrs[i]
		if isInstance(a.Name) {
			v.instanceAttribute(a)
			continue
		}
		var use *component.AttributeUse
		if c != nil {
			use = c.Use(a.Name)
		}
		switch {
		case use != nil:
			if use.Required {
				required++
			}
			if use.Constraint() != nil {
				valued++
			}
			identifiers += v.attribute(a, use.Decl.Type, use.Constraint())
		case c != nil && c.AnyAttribute != nil && c.AnyAttribute.Admits(a.Name.Space):
			identifiers += v.wildAttribute(a, c.AnyAttribute)
		default:
			v.sayOf(a.Name, "The attribute '%s' is not allowed.", a.Name)
			v.ids.lose(a.Value)
			v.track(a.Name, identity.Value{State: identity.Lost, Text: a.Value})
		}
	}
	if identifiers > 1 {
		v.say("An element may have at most one attribute of type ID.")
	}
	if required < len(f.info.required) {
		v.missingAttributes(f, e)
	}
	if valued < len(f.info.valued) {
		v.defaultAttributes(f, e)
	}
}

// instanceAttribute checks an attribute that every element may have.
func (v *validator) instanceAttribute(a *event.Attr) {
	v.track(a.Name, identity.Value{Key: a.Value, Text: a.Value})
	if a.Name.Local != "nil" {
		return
	}
	if err := component.Builtin(Name{Space: component.Space, Local: "boolean"}).(*component.Simple).Data.Valid(a.Value, v); err != nil {
		v.sayOf(a.Name, "%s", err)
	}
}

// attribute validates the value of an attribute. It returns 1 if that is an identifier.
func (v *validator) attribute(a *event.Attr, t *component.Simple, constraint *component.Constraint) int {
	data := t.Data
	wanted := v.tracker.WantsAttributes()
	if constraint == nil && !wanted && !data.HasID() && !data.HasIDREF() {
		if err := data.Valid(a.Value, v); err != nil {
			v.sayOf(a.Name, "%s", err)
		}
		return 0
	}
	value, err := data.Validate(a.Value, v)
	if err != nil {
		v.sayOf(a.Name, "%s", err)
		v.ids.lose(a.Value)
		v.track(a.Name, identity.Value{State: identity.Lost, Text: a.Value})
		return 0
	}
	if constraint != nil && constraint.Fixed && constraint.OK && !constraint.Value.Equal(value) {
		v.sayOf(a.Name, "The value '%s' does not match the fixed value constraint '%s'.", a.Value, constraint.Text)
	}
	if wanted {
		v.track(a.Name, known(value, data, a.Value))
	}
	return v.identifiers(value, data, a.Name.Local)
}

// known returns a value for identity constraints.
func known(value datatype.Value, data *datatype.Type, text string) identity.Value {
	return identity.Value{Key: value.Key(), Text: data.Normalize(text)}
}

// track tells the value of an attribute to identity constraints.
func (v *validator) track(name Name, value identity.Value) {
	if v.tracker.WantsAttributes() {
		value.Text = read.Collapse(value.Text)
		v.tracker.Attribute(name, value)
	}
}

// wildAttribute validates an attribute that a wildcard admits.
func (v *validator) wildAttribute(a *event.Attr, w *component.Wildcard) int {
	if w.Process == component.Skip {
		return 0
	}
	decl := v.schema.Attribute(a.Name)
	if decl != nil {
		return v.attribute(a, decl.Type, decl.Value)
	}
	if w.Process == component.Strict {
		v.sayOf(a.Name, "No matching global attribute declaration available, but demanded by the strict wildcard.")
	}
	return 0
}

// missingAttributes reports required attributes that are not there.
func (v *validator) missingAttributes(f *frame, e *event.Event) {
	there := v.namesOf(e)
	for _, use := range f.info.required {
		if !there[use.Decl.Name] {
			v.say("The attribute '%s' is required but missing.", use.Decl.Name)
		}
	}
}

// namesOf returns the names of the attributes of an element, until the next call.
func (v *validator) namesOf(e *event.Event) map[Name]bool {
	if v.names == nil {
		v.names = map[Name]bool{}
	}
	clear(v.names)
	for i := range e.Attrs {
		v.names[e.Attrs[i].Name] = true
	}
	return v.names
}

// defaultAttributes has identity constraints and references see the values of attributes
// that are not there.
func (v *validator) defaultAttributes(f *frame, e *event.Event) {
	uses := f.info.pointing
	if v.tracker.WantsAttributes() {
		uses = f.info.valued
	}
	if len(uses) == 0 {
		return
	}
	there := v.namesOf(e)
	for _, use := range uses {
		c := use.Constraint()
		if !c.OK || use.Required || there[use.Decl.Name] {
			continue
		}
		v.track(use.Decl.Name, known(c.Value, use.Decl.Type.Data, c.Text))
		v.identifiers(c.Value, use.Decl.Type.Data, use.Decl.Name.Local)
	}
}

// loseAttributes keeps in mind the values of an element that is not validated.
func (v *validator) loseAttributes(e *event.Event) {
	for i := range e.Attrs {
		a := &e.Attrs[i]
		v.ids.lose(a.Value)
		v.track(a.Name, identity.Value{State: identity.Lost, Text: a.Value})
	}
}
