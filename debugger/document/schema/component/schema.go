package component

// A Schema is the set of all global components. It extends another one if Base is not
// nil. It is not modified after it was compiled.
type Schema struct {
	Base       *Schema
	Types      map[Name]Type
	Elements   map[Name]*Element
	Attributes map[Name]*Attribute
	Notations  map[Name]bool
	Identities map[Name]*Identity
	Members    map[*Element][]*Element // direct members of substitution groups
	Spaces     map[string]bool         // target namespaces of the documents
}

// NewSchema returns an empty schema that extends base, which may be nil.
func NewSchema(base *Schema) *Schema {
	return &Schema{
		Base: base, Types: map[Name]Type{}, Elements: map[Name]*Element{}, Attributes: map[Name]*Attribute{},
		Notations: map[Name]bool{}, Identities: map[Name]*Identity{}, Members: map[*Element][]*Element{}, Spaces: map[string]bool{},
	}
}

// Type returns the type with a name, or nil.
func (s *Schema) Type(name Name) Type {
	for ; s != nil; s = s.Base {
		if t := s.Types[name]; t != nil {
			return t
		}
	}
	if t := Builtin(name); t != nil {
		return t
	}
	return nil
}

// Element returns the element with a name, or nil.
func (s *Schema) Element(name Name) *Element {
	for ; s != nil; s = s.Base {
		if e := s.Elements[name]; e != nil {
			return e
		}
	}
	return nil
}

// Attribute returns the attribute with a name, or nil.
func (s *Schema) Attribute(name Name) *Attribute {
	for ; s != nil; s = s.Base {
		if a := s.Attributes[name]; a != nil {
			return a
		}
	}
	return instanceAttributes[name]
}

// Notation reports whether there is a notation with a name.
func (s *Schema) Notation(name Name) bool {
	for ; s != nil; s = s.Base {
		if s.Notations[name] {
			return true
		}
	}
	return false
}

// HasSpace reports whether a document with a target namespace was read.
func (s *Schema) HasSpace(space string) bool {
	for ; s != nil; s = s.Base {
		if s.Spaces[space] {
			return true
		}
	}
	return false
}

// Substitutes calls visit for every element that may stand for head, itself included,
// until it returns false. It skips abstract elements.
func (s *Schema) Substitutes(head *Element, visit func(*Element) bool) {
	s.substitutes(head, head, visit)
}

func (s *Schema) substitutes(head, e *Element, visit func(*Element) bool) bool {
	if !e.Abstract && Substitutable(e, head) && !visit(e) {
		return false
	}
	if !e.Global {
		return true
	}
	for t := s; t != nil; t = t.Base {
		for _, m := range t.Members[e] {
			if !s.substitutes(head, m, visit) {
				return false
			}
		}
	}
	return true
}

// Identity returns the identity constraint with a name, or nil.
func (s *Schema) Identity(name Name) *Identity {
	for ; s != nil; s = s.Base {
		if i := s.Identities[name]; i != nil {
			return i
		}
	}
	return nil
}
