package types

import (
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/symbols/lang"
)

// IsCharacter reports whether C's strings are made of the type.
func (t *Type) IsCharacter() bool {
	s := t.Strip()
	return s.Kind == KindChar && s.Size == 1
}

// MaxReferences bounds how many references are followed one after another.
const MaxReferences = 4

// IsReference reports whether a value of the type stands for what it refers to.
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

// Referred is the type behind references.
func (t *Type) Referred() *Type {
	for i := 0; i < MaxReferences && t.IsReference(); i++ {
		t = t.Strip().Elem()
	}
	return t
}
