package document

import (
	dom "github.com/lestrrat-go/helium"
	"github.com/triptych-mcp/triptych/debugger/document/internal/xsd"
)

// An assessor validates one aspect of an element at a time with types derived
// from the element's type that accept everything else.

// notAsked is a content type that the engine does not validate.
const notAsked xsd.ContentTypeKind = -1

// anything is a wildcard that accepts every element or attribute without
// validating it.
var anything = &xsd.Wildcard{Namespace: xsd.WildcardNSAny, ProcessContents: xsd.ProcessSkip}

// anyOnce matches one element without validating it.
var anyOnce = &xsd.Particle{MinOccurs: 1, MaxOccurs: 1, Term: anything}

// attributesOnly returns a type that validates the attributes.
func attributesOnly(td *xsd.TypeDef) *xsd.TypeDef {
	asked := *td
	asked.ContentType, asked.Assertions = notAsked, nil
	return &asked
}

// contentOnly returns a type that validates the content.
func contentOnly(td *xsd.TypeDef) *xsd.TypeDef {
	asked := *td
	asked.Attributes, asked.AnyAttribute = nil, anything
	return &asked
}

// valueOnly returns a type that validates the value of simple content. A fixed
// value is the only valid one.
func valueOnly(td *xsd.TypeDef, decl *xsd.ElementDecl) *xsd.TypeDef {
	asked := contentOnly(td)
	if decl == nil || decl.Fixed == nil {
		return asked
	}
	return &xsd.TypeDef{
		ContentType: xsd.ContentTypeSimple, Derivation: xsd.DerivationRestriction, BaseType: asked, AnyAttribute: anything,
		Variety: td.Variety, ItemType: td.ItemType, MemberTypes: td.MemberTypes,
		Facets: &xsd.FacetSet{Enumeration: []string{*decl.Fixed}, EnumerationNS: []map[string]string{decl.FixedNS}},
	}
}

// textOnly returns a type that rejects text between elements.
func textOnly(td *xsd.TypeDef) *xsd.TypeDef {
	asked := contentOnly(td)
	asked.ContentModel = anyNumberOf(anyOnce)
	asked.OpenContent, asked.Assertions = nil, nil
	return asked
}

// anyNumberOf returns a content model of any number of the particles in any
// order.
func anyNumberOf(particles ...*xsd.Particle) *xsd.ModelGroup {
	return &xsd.ModelGroup{Compositor: xsd.CompositorChoice, Particles: particles, MaxOccurs: xsd.Unbounded}
}

// An openModel is a content model whose elements may come in any order and
// number, mixed with others.
type openModel struct {
	schema       *xsd.Schema
	group        *xsd.ModelGroup // nil for none
	declarations map[xsd.QName]*xsd.ElementDecl
}

// opened returns the open form of a type's content model.
func (a *assessor) opened(td *xsd.TypeDef) *openModel {
	if made, ok := a.models[td.ContentModel]; ok {
		return made
	}
	m := &openModel{schema: a.schema, declarations: map[xsd.QName]*xsd.ElementDecl{}}
	if td.ContentModel != nil {
		var elements, wildcards []*xsd.Particle
		m.collect(td.ContentModel, &elements, &wildcards)
		m.group = anyNumberOf(append(append(elements, wildcards...), anyOnce)...)
	}
	a.models[td.ContentModel] = m
	return m
}

// collect appends the elements and wildcards of a content model. Elements of the
// same name have the same type (XML Schema 1.0, part 1, section 3.8.6).
func (m *openModel) collect(group *xsd.ModelGroup, elements, wildcards *[]*xsd.Particle) {
	for _, p := range group.Particles {
		once := &xsd.Particle{MinOccurs: 1, MaxOccurs: 1, Term: p.Term}
		switch term := p.Term.(type) {
		case *xsd.ModelGroup:
			m.collect(term, elements, wildcards)
		case *xsd.Wildcard:
			*wildcards = append(*wildcards, once)
		case *xsd.ElementDecl:
			if m.declare(term) {
				*elements = append(*elements, once)
			}
		}
	}
}

// declare adds an element and those that may substitute it. It returns false if
// the element has been added before.
func (m *openModel) declare(decl *xsd.ElementDecl) bool {
	if m.declarations[decl.Name] != nil {
		return false
	}
	m.declarations[decl.Name] = decl
	for _, member := range substitutes(m.schema, decl) {
		if m.declarations[member.Name] == nil {
			m.declarations[member.Name] = member
		}
	}
	return true
}

// substitutes returns the elements that may substitute an element.
func substitutes(schema *xsd.Schema, decl *xsd.ElementDecl) []*xsd.ElementDecl {
	if global, ok := schema.LookupElement(decl.Name.Local, decl.Name.NS); !ok || global != decl && !decl.IsRef {
		return nil
	}
	return schema.SubstGroupMembers(decl.Name)
}

// question returns a type that validates each child by itself.
func (m *openModel) question(td *xsd.TypeDef) *xsd.TypeDef {
	asked := contentOnly(td)
	asked.ContentModel, asked.OpenContent, asked.Assertions = m.group, nil, nil
	if m.group != nil {
		asked.ContentType = xsd.ContentTypeMixed
	}
	return asked
}

// declaration returns the declaration of a child: that of the model, or else that
// of the schema, as for a wildcard. It returns nil if there is none.
func (m *openModel) declaration(child *dom.Element) *xsd.ElementDecl {
	if decl := m.declarations[xsd.QName{Local: child.LocalName(), NS: child.URI()}]; decl != nil {
		return decl
	}
	decl, _ := m.schema.LookupElement(child.LocalName(), child.URI())
	return decl
}
