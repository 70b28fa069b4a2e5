package document

import (
	"context"
	"strconv"
	"strings"

	dom "github.com/lestrrat-go/helium"
	"github.com/triptych-mcp/triptych/debugger/document/internal/xsd"
)

// An assessor finds the violations that the engine misses. The engine leaves an
// element at the first violation: after a bad attribute it does not validate the
// content, and after a misplaced child no other child. The assessor visits every
// element that has a violation in it and validates one aspect at a time, its
// attributes, its text, the order of its children and each child, with types made
// for that purpose:
//
//	element ─┬─ ask(attributesOnly)
//	         ├─ ask(valueOnly) or ask(textOnly)
//	         ├─ order                   the children's names, see orderer
//	         └─ children ─ ask(opened) ─► element, for each that is not right
//
// Violations that are found again are recorded once, see remarks.
type assessor struct {
	schema *xsd.Schema
	tree   *heliumTree
	found  *remarks
	orders *orderer
	models map[*xsd.ModelGroup]*openModel
}

func newAssessor(schema *xsd.Schema, t *heliumTree, found *remarks) *assessor {
	return &assessor{schema, t, found, newOrderer(schema), map[*xsd.ModelGroup]*openModel{}}
}

// document assesses a document that the engine has found invalid.
func (a *assessor) document(ctx context.Context) error {
	root := a.tree.doc.DocumentElement()
	decl, _ := a.schema.LookupElement(root.LocalName(), root.URI())
	return a.element(ctx, root, decl)
}

// element assesses an element that has a violation in it. decl may be nil. It
// does nothing if the type is unknown or the list of violations is full.
func (a *assessor) element(ctx context.Context, e *dom.Element, decl *xsd.ElementDecl) error {
	td := a.governing(e, decl)
	if td == nil || a.found.full() {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	hidden := len(a.ask(ctx, e, attributesOnly(td))) > 0
	switch {
	case saysNil(e):
		return nil
	case td.ContentType == xsd.ContentTypeSimple:
		if hidden && !takesDefault(e, decl) {
			a.ask(ctx, e, valueOnly(td, decl))
		}
		return nil
	case td.ContentModel == nil && !takesAny(td):
		a.ask(ctx, e, contentOnly(td))
		a.found.setOrder(e.Line(), a.orders.judge(ctx, e, td))
		return nil
	case td.ContentType == xsd.ContentTypeElementOnly:
		a.ask(ctx, e, textOnly(td))
	}
	a.found.setOrder(e.Line(), a.orders.judge(ctx, e, td))
	return a.children(ctx, e, td)
}

// children assesses the invalid children.
func (a *assessor) children(ctx context.Context, e *dom.Element, td *xsd.TypeDef) error {
	model := a.opened(td)
	wrong := map[*dom.Element]bool{}
	for _, r := range a.ask(ctx, e, model.question(td)) {
		child := a.childWith(e, r.number)
		if child == nil || wrong[child] {
			continue
		}
		wrong[child] = true
		if err := a.element(ctx, child, model.declaration(child)); err != nil {
			return err
		}
	}
	return nil
}

// ask validates an element against a type, and records and returns the
// violations.
func (a *assessor) ask(ctx context.Context, e *dom.Element, td *xsd.TypeDef) []remark {
	err := td.ValidateElement(ctx, e, a.schema)
	if err == nil {
		return nil
	}
	answer := parseRemarks(err.Error(), e.Line())
	for _, r := range answer {
		a.found.add(r)
	}
	return answer
}

// validity matches the start of a violation in the engine's text. No file is
// named, and the line is the element's number.
var validity = lazyRegexp(`(?m)^:(\d+): Schemas validity error : Element '.*?'(?:, attribute '(.*?)')?: `)

// parseRemarks splits the engine's text into violations. A text in any other form
// becomes a violation of the element with the given number.
func parseRemarks(text string, number int) []remark {
	heads := validity().FindAllStringSubmatchIndex(text, -1)
	if len(heads) == 0 {
		return []remark{{number: number, message: strings.TrimSpace(text)}}
	}
	all := make([]remark, len(heads))
	end := len(text)
	for i := len(heads) - 1; i >= 0; i-- {
		h := heads[i]
		all[i].message = strings.TrimSuffix(text[h[1]:end], "\n")
		all[i].number, _ = strconv.Atoi(text[h[2]:h[3]]) // the expression matches digits only
		if h[4] >= 0 {
			all[i].attribute = text[h[4]:h[5]]
		}
		end = h[0]
	}
	return all
}

// childWith returns the child of e that is or contains the element with a number,
// or nil.
func (a *assessor) childWith(e *dom.Element, number int) *dom.Element {
	if number < 1 || number > len(a.tree.elements) {
		return nil
	}
	child := a.tree.elements[number-1]
	for {
		parent, ok := child.Parent().(*dom.Element)
		if !ok {
			return nil
		}
		if parent == e {
			return child
		}
		child = parent
	}
}

// governing returns the type of an element: that of xsi:type or of its
// declaration. It returns nil if there is neither, or if xsi:type names an
// unknown type.
func (a *assessor) governing(e *dom.Element, decl *xsd.ElementDecl) *xsd.TypeDef {
	said, _ := e.GetAttributeNS("type", namespaceXSI)
	if said = strings.TrimSpace(said); said != "" {
		prefix, local, prefixed := strings.Cut(said, ":")
		if !prefixed {
			prefix, local = "", said
		}
		td, _ := a.schema.LookupType(local, namespaceOf(e, prefix))
		return td
	}
	for decl != nil && decl.Type == nil { // it has the type of the head of its substitution group
		head := decl.SubstitutionGroup
		decl, _ = a.schema.LookupElement(head.Local, head.NS)
	}
	if decl == nil {
		return nil
	}
	return decl.Type
}

const namespaceXSI = "http://www.w3.org/2001/XMLSchema-instance"

// namespaceOf returns the namespace of a prefix in an element, or "".
func namespaceOf(e *dom.Element, prefix string) string {
	for {
		for _, n := range e.Namespaces() {
			if n.Prefix() == prefix {
				return n.URI()
			}
		}
		parent, ok := e.Parent().(*dom.Element)
		if !ok {
			return ""
		}
		e = parent
	}
}

// saysNil reports whether an element has xsi:nil="true".
func saysNil(e *dom.Element) bool {
	said, _ := e.GetAttributeNS("nil", namespaceXSI)
	said = strings.TrimSpace(said)
	return said == "true" || said == "1"
}

// takesDefault reports whether an element is empty and gets a default value from
// its declaration.
func takesDefault(e *dom.Element, decl *xsd.ElementDecl) bool {
	return e.FirstChild() == nil && decl != nil && (decl.Default != nil || decl.Fixed != nil)
}
