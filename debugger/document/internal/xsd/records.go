package xsd

import "github.com/lestrrat-go/helium"

// An elementRecord holds the results of pass 1 for an element.
type elementRecord struct {
	elem *helium.Element
	// actual is the type with any xsi:type, so that the fields of identity
	// constraints are compared in the right value space.
	actual *TypeDef
	// assessed is the type if the content was assessed; content that a wildcard
	// skips is not. Only it shows which elements are an xs:ID or xs:IDREF.
	assessed *TypeDef
	// decl is the declaration, also a local one. It is set as soon as a particle
	// matches, so it does not show that the element was assessed.
	decl       *ElementDecl
	attributes []attributeRecord // those that were assessed
}

// An attributeRecord holds the type of an attribute that was assessed; nil if its
// declaration has none.
type attributeRecord struct {
	attr *helium.Attribute
	td   *TypeDef
}

// records holds the records of a document. Most lie in a slice by the line of their
// element, which is unique if the caller has numbered the elements; all others in a map.
// That takes a third of the time of a map by node for each kind of result.
type records struct {
	first  int // line of the first record that was made
	byLine []elementRecord
	others map[*helium.Element]*elementRecord
	ids    map[*TypeDef]bool // whether a type that was assessed is or contains xs:ID or xs:IDREF
	haveID bool              // one of them is
}

// maxLines limits the slice to the lines of documents that fit into memory.
const maxLines = 1 << 26

// slot returns the place of an element in the slice; negative if it belongs into the map.
func (r *records) slot(elem *helium.Element) int {
	if elem == nil || elem.Line()-r.first > maxLines {
		return -1
	}
	return elem.Line() - r.first
}

// get returns the record of an element; nil if it has none.
func (r *records) get(elem *helium.Element) *elementRecord {
	if at := r.slot(elem); at >= 0 && at < len(r.byLine) && r.byLine[at].elem == elem {
		return &r.byLine[at]
	}
	return r.others[elem]
}

// of returns the record of an element, which is valid until the next one is made.
func (r *records) of(elem *helium.Element) *elementRecord {
	if found := r.get(elem); found != nil {
		return found
	}
	if r.byLine == nil && elem != nil {
		r.first = elem.Line()
	}
	at := r.slot(elem)
	if at < 0 || at < len(r.byLine) && r.byLine[at].elem != nil {
		made := &elementRecord{elem: elem}
		if r.others == nil {
			r.others = map[*helium.Element]*elementRecord{}
		}
		r.others[elem] = made
		return made
	}
	if at >= len(r.byLine) {
		grown := make([]elementRecord, max(at+1, 2*len(r.byLine), 16))
		copy(grown, r.byLine)
		r.byLine = grown
	}
	r.byLine[at].elem = elem
	return &r.byLine[at]
}

// attribute returns the record of an attribute; nil if it was not assessed.
func (r *records) attribute(a *helium.Attribute) *attributeRecord {
	owner, _ := a.Parent().(*helium.Element)
	record := r.get(owner)
	if record == nil {
		return nil
	}
	for i := range record.attributes {
		if record.attributes[i].attr == a {
			return &record.attributes[i]
		}
	}
	return nil
}

// assess records that an attribute was assessed.
func (r *records) assess(a *helium.Attribute) *attributeRecord {
	if found := r.attribute(a); found != nil {
		return found
	}
	owner, _ := a.Parent().(*helium.Element)
	record := r.of(owner)
	record.attributes = append(record.attributes, attributeRecord{attr: a})
	return &record.attributes[len(record.attributes)-1]
}

// noteType records whether pass 3 has something to do for a type.
func (r *records) noteType(td *TypeDef) {
	if r.haveID || td == nil {
		return
	}
	is, known := r.ids[td]
	if !known {
		is = idFamilyType(td)
		if r.ids == nil {
			r.ids = map[*TypeDef]bool{}
		}
		r.ids[td] = is
	}
	r.haveID = is
}
