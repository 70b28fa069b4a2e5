package symbols

import "strings"

// isLetter reports whether C's strings are made of the type.
func (t *Type) isLetter() bool {
	s := t.Strip()
	return s.Kind == KindChar && s.Size == 1
}

// maxReferences bounds how many references are followed one after another.
const maxReferences = 4

// isReference reports whether a value of the type stands for what it refers to.
func (t *Type) isReference() bool {
	s := t.Strip()
	switch s.Kind {
	case KindReference, KindRvalueReference:
		return true
	case KindPointer:
		return t.Lang == Rust && strings.HasPrefix(s.name, "&")
	}
	return false
}

// referred is the type behind references.
func (t *Type) referred() *Type {
	for i := 0; i < maxReferences && t.isReference(); i++ {
		t = t.Strip().Elem()
	}
	return t
}
