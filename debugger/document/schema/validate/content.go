package validate

import (
	"github.com/triptych-mcp/triptych/debugger/document/schema/component"
	"github.com/triptych-mcp/triptych/debugger/document/schema/datatype"
	"github.com/triptych-mcp/triptych/debugger/document/schema/identity"
	"github.com/triptych-mcp/triptych/debugger/document/schema/read"
)

// characters validates a piece of text.
func (v *validator) characters(text []byte) {
	if len(v.stack) == 0 || len(text) == 0 {
		return
	}
	f := v.top()
	f.chars = true
	if f.keep {
		v.text = append(v.text, text...)
	}
	if f.mode != assessed || f.spoken {
		return
	}
	switch {
	case f.nilled:
		f.spoken = true
		v.say("Character content is not allowed, because the element is nilled.")
	case f.info.content == component.Empty:
		f.spoken = true
		v.say("Character content is not allowed, because the content type is empty.")
	case f.info.content == component.ElementOnly && !blank(text):
		f.spoken = true
		v.say("Character content other than whitespace is not allowed because the content type is 'element-only'.")
	}
}

func blank(text []byte) bool {
	for _, b := range text {
		if b != ' ' && b != '\t' && b != '\n' && b != '\r' {
			return false
		}
	}
	return true
}

// end validates what is known at the end of an element.
func (v *validator) end() {
	f := v.top()
	value := identity.Value{State: identity.Skipped}
	switch f.mode {
	case lost:
		value = v.endLost(f)
	case assessed:
		value = v.endAssessed(f)
	}
	v.tracker.End(value)
	v.text = v.text[:f.from]
	v.stack = v.stack[:len(v.stack)-1]
}

// endLost keeps the value of an element that is not validated in mind.
func (v *validator) endLost(f *frame) identity.Value {
	if f.children {
		return identity.Value{State: identity.Lost}
	}
	text := read.Collapse(string(v.text[f.from:]))
	v.ids.lose(text)
	return identity.Value{State: identity.Lost, Text: text}
}

// endAssessed validates the content of an element, and returns its value.
func (v *validator) endAssessed(f *frame) identity.Value {
	nillable := f.decl != nil && f.decl.Nillable
	switch {
	case f.nilled:
		if f.info.content == component.SimpleContent {
			return identity.Value{State: identity.Skipped, Nillable: nillable}
		}
		return identity.Value{State: identity.Complex}
	case f.info.content == component.SimpleContent:
		value := v.endSimple(f)
		value.Nillable = nillable
		return value
	case f.info.content != component.Empty && !f.matcher.End():
		v.say("Missing child element(s).%s", f.matcher.Expected())
	}
	if f.info.content == component.Mixed && f.decl != nil && f.decl.Value != nil && f.decl.Value.Fixed {
		v.endFixed(f)
	}
	return identity.Value{State: identity.Complex}
}

// endFixed compares mixed content with a fixed value (part 1, section 3.3.4, clause 5.2.2).
func (v *validator) endFixed(f *frame) {
	fixed := f.decl.Value.Text
	switch text := v.text[f.from:]; {
	case f.children:
		v.say("Element children are not allowed because the element declaration has a fixed value constraint '%s'.", fixed)
	case f.chars && string(text) != fixed:
		v.say("The element content '%s' does not match the fixed value constraint '%s'.", text, fixed)
	}
}

// endSimple validates a value.
func (v *validator) endSimple(f *frame) identity.Value {
	data := f.info.simple.Data
	if f.children {
		return identity.Value{State: identity.Lost}
	}
	var constraint *component.Constraint
	if f.decl != nil {
		constraint = f.decl.Value
	}
	text := string(v.text[f.from:])
	empty := text == ""
	if empty && constraint != nil {
		text = constraint.Text
	}
	if constraint == nil && !v.tracker.WantsValue() && !data.HasID() && !data.HasIDREF() {
		if err := data.Valid(text, v); err != nil {
			v.say("%s", err)
		}
		return identity.Value{}
	}
	value, err := v.simpleValue(f, data, text, empty && constraint != nil)
	if err != nil {
		v.say("%s", err)
		v.ids.lose(text)
		return identity.Value{State: identity.Lost, Text: read.Collapse(text)}
	}
	if constraint != nil && constraint.Fixed && constraint.OK && !empty && !constraint.Value.Equal(value) {
		v.say("The element content '%s' does not match the fixed value constraint '%s'.", text, constraint.Text)
	}
	v.identifiers(value, data, "")
	if !v.tracker.WantsValue() {
		return identity.Value{}
	}
	return known(value, data, text)
}

// simpleValue returns the value of the text of an element, or of its declaration if
// inherited is set.
func (v *validator) simpleValue(f *frame, data *datatype.Type, text string, inherited bool) (datatype.Value, error) {
	c := f.decl
	if inherited && c.Value.OK && v.info(c.Type).simple == f.info.simple {
		return c.Value.Value, nil
	}
	return data.Validate(text, v)
}
