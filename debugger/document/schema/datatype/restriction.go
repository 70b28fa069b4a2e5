package datatype

// A Facet is a constraining facet as a schema document has it.
type Facet struct {
	Name  string // such as maxLength
	Value string
	Fixed bool
	Scope Scope // of the prefixes in the value; may be nil if there are none
}

// A Problem is an error in the definition of a type.
type Problem struct {
	Facet   int // index of the facet, -1 if it concerns none
	Message string
}

// NewRestriction returns the type that restricts base by facets. Facets with problems
// are left out; the type can be used all the same.
func NewRestriction(name Name, base *Type, facets []Facet) (*Type, []Problem) {
	return &Type{name: name, base: base, variety: base.variety, item: base.item, members: base.members}, nil
}

// NewList returns the type of lists of items. Its base is anySimpleType.
func NewList(name Name, item *Type) (*Type, []Problem) {
	return &Type{name: name, base: Builtin("anySimpleType"), variety: List, item: item}, nil
}

// NewUnion returns the type whose values are those of the members. Its base is
// anySimpleType.
func NewUnion(name Name, members []*Type) (*Type, []Problem) {
	return &Type{name: name, base: Builtin("anySimpleType"), variety: Union, members: members}, nil
}
