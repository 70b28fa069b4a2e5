package types

import (
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/program/lang"
)

// IsCharacter reports whether strings of C consist of the type.
func (t *Type) IsCharacter() bool {
	s := t.Strip()
	return s.Kind == KindChar && s.Size == 1
}

// MaxReferences bounds chains of references.
const MaxReferences = 4

// IsReference reports whether a value of the type is a reference.
func (t *Type) IsReference() bool {
	s := t.Strip()
	switch s.Kind {
	case KindReference, KindRvalueReference:
		return true
	case KindPointer:
		return t.Lang == lang.Rust && strings.HasPrefix(s.name, "&")
	}
	return false
}

// Referred returns the type that references of this type refer to, the type
// itself if it is none.
func (t *Type) Referred() *Type {
	for i := 0; i < MaxReferences && t.IsReference(); i++ {
		t = t.Strip().Elem()
	}
	return t
}
