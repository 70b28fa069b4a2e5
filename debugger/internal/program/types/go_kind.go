package types

import "github.com/triptych-mcp/triptych/debugger/internal/program/lang"

// Kinds of Go's types as its compiler numbers them, like package reflect.
const (
	GoChan      = 18
	GoFunc      = 19
	GoInterface = 20
	GoMap       = 21
	GoPointer   = 22
	GoSlice     = 23
	GoString    = 24
)

// GoType follows type names to the type that has a kind. Go describes a map as
// a name of a pointer, and gives the kind at the name.
func (t *Type) GoType() *Type {
	for range MaxRenames {
		if t.GoKind >= GoChan && t.GoKind <= GoString || t.Kind != KindTypedef {
			break
		}
		t = t.Elem()
	}
	return t
}

// IsGoMap reports whether the type is a map of Go.
func (t *Type) IsGoMap() bool { return t.Lang == lang.Go && t.GoType().GoKind == GoMap }
