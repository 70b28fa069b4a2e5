package xsd

import (
	"context"

	"github.com/lestrrat-go/helium"
)

// plainContent reports whether the content of an element is known to be valid without
// all that validateSimpleContent does: one text of a type that does not constrain it,
// or a value that was valid before, under a declaration without a default. The place
// is that of the value in the plan, for remember.
func (vc *validationContext) plainContent(elem *helium.Element, edecl *ElementDecl, plan *typePlan) (valid bool, place int) {
	if vc.version == Version11 || edecl != nil && (edecl.Fixed != nil || edecl.Default != nil) {
		return false, -1
	}
	text, ok := elem.FirstChild().(*helium.Text)
	if !ok || nextChild(elem, text) != nil {
		return false, -1
	}
	if !plan.constrains {
		return true, -1
	}
	return vc.recall(plan, text.Content())
}

// validAttribute validates the value of an attribute, without a report.
func (vc *validationContext) validAttribute(ctx context.Context, elem *helium.Element, a *helium.Attribute, td *TypeDef) error {
	plan := vc.plan(td)
	content := attributeContent(a)
	valid, place := vc.recall(plan, content)
	if valid {
		return nil
	}
	value := string(content)
	if err := validateValue(ctx, value, vc.valueNS(elem, td), td, elemDisplayName(elem), vc.filename, elem.Line(), vc.unreported()); err != nil {
		return err
	}
	plan.remember(value, place)
	return nil
}

// attributeContent returns the value of an attribute, which seldom is more than one text.
func attributeContent(a *helium.Attribute) []byte {
	if text, ok := a.FirstChild().(*helium.Text); ok && text.NextSibling() == nil {
		return text.Content()
	}
	return a.Content()
}

// unreported returns a context that validates as vc does and reports nothing.
func (vc *validationContext) unreported() *validationContext {
	if vc.silent == nil {
		vc.silent = &validationContext{
			schema: vc.schema, version: vc.version, errorHandler: helium.NilErrorHandler{},
			allowXSD10LegacyGMonthInstance: vc.allowXSD10LegacyGMonthInstance,
		}
	}
	return vc.silent
}
