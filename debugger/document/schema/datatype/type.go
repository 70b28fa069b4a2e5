package datatype

// A Variety is the kind of a type.
type Variety uint8

// The kinds of types. Only anySimpleType is of kind Any.
const (
	Any Variety = iota
	Atomic
	List
	Union
)

// A Type is a simple type.
type Type struct {
	name    Name
	base    *Type
	variety Variety
	item    *Type
	members []*Type

	kind   kind // of atomic types
	subset subset
	role   role
	facets facets

	unknown    bool // it stands in for another type
	contextual bool // whether a text is a value, and which, depends on the context
	cost       int  // types that a value is compared with
	ids, refs  bool // values may have IDs, or IDREFs
}

// Name returns the name; the zero name for anonymous types.
func (t *Type) Name() Name { return t.name }

// Base returns the type that t restricts, anySimpleType for primitive types, lists and
// unions, nil for anySimpleType.
func (t *Type) Base() *Type { return t.base }

// Variety returns the kind of the type.
func (t *Type) Variety() Variety { return t.variety }

// Item returns the type of the items of a list, nil for other types.
func (t *Type) Item() *Type { return t.item }

// Members returns the member types of a union.
func (t *Type) Members() []*Type { return t.members }

// HasID reports whether values may be of type ID, or have items of it.
func (t *Type) HasID() bool { return t.ids }

// HasIDREF reports whether values may be of type IDREF, or have items of it.
func (t *Type) HasIDREF() bool { return t.refs }

// HasNotation reports whether the type is atomic and derived from NOTATION.
func (t *Type) HasNotation() bool { return t.kind == notationKind }

// NotationWithoutEnumeration reports whether the type is NOTATION or derived from it
// without an enumeration. Such types cannot be used (part 2, section 3.2.19).
func (t *Type) NotationWithoutEnumeration() bool {
	return t.kind == notationKind && t.facets.values == nil
}

// Normalize returns text with its white space as the type has it. For unions it
// returns text as it is.
func (t *Type) Normalize(text string) string { return t.facets.white.normalize(text) }

// Valid returns an error that says why text is no value of the type, or nil. It does
// not keep text, also not in the error, so text may be a view of a buffer.
func (t *Type) Valid(text string, ctx Context) error {
	if _, failed := t.check(text, ctx, nil); failed != nil {
		return failed.err()
	}
	return nil
}

// Validate is Valid, and returns the value. It does not keep text.
func (t *Type) Validate(text string, ctx Context) (Value, error) {
	var v Value
	if _, failed := t.check(text, ctx, &v); failed != nil {
		return Value{}, failed.err()
	}
	return v, nil
}
