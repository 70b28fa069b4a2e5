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
	// skipped is set in what a wildcard skips, the element that it matches included.
	skipped bool
}

// isAssessed reports whether the content of an element was assessed by a type.
func (r *records) isAssessed(elem *helium.Element) bool {
	record := r.get(elem)
	return record != nil && record.assessed != nil
}

// isSkipped reports whether a wildcard skips an element.
func (r *records) isSkipped(elem *helium.Element) bool {
	record := r.get(elem)
	return record != nil && record.skipped
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
	// haveConstraints is set if a declaration with identity constraints was recorded.
	haveConstraints bool
	spare           []attributeRecord // room for the attributes of the next elements
}

// spareAttributes is the number of attributes that room is made for at a time.
const spareAttributes = 512

// reserve makes room for the records of a document whose elements are numbered.
func (r *records) reserve(root *helium.Element) {
	r.first = root.Line()
	last := root
	for next := root; next != nil; next = lastElement(next) {
		last = next
	}
	if at := r.slot(last); at >= 0 {
		r.byLine = make([]elementRecord, at+1)
	}
}

// lastElement returns the last element among the children of elem; nil if there is none.
func lastElement(elem *helium.Element) *helium.Element {
	for n := elem.LastChild(); n != nil; n = n.PrevSibling() {
		if e, ok := n.(*helium.Element); ok {
			return e
		}
	}
	return nil
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
	if len(record.attributes) == cap(record.attributes) {
		record.attributes = append(r.room(len(record.attributes)), record.attributes...)
	}
	record.attributes = append(record.attributes, attributeRecord{attr: a})
	return &record.attributes[len(record.attributes)-1]
}

// room returns an empty slice for twice as many attributes as there are.
func (r *records) room(have int) []attributeRecord {
	n := max(2*have, 2)
	if n > len(r.spare) {
		r.spare = make([]attributeRecord, max(spareAttributes, n))
	}
	made := r.spare[:0:n]
	r.spare = r.spare[n:]
	return made
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

// walkIfConstrained visits all nodes of a document if one of its elements may have
// identity constraints: those of the declaration that was recorded, or of a global one.
func (vc *validationContext) walkIfConstrained(doc *helium.Document, visit helium.NodeWalkerFunc) error {
	if vc.records.haveConstraints {
		return walkTree(doc, visit)
	}
	for _, decl := range vc.schema.elements {
		if len(decl.IDCs) > 0 {
			return walkTree(doc, visit)
		}
	}
	return nil
}
