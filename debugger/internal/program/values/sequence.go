package values

import (
	"github.com/triptych-mcp/triptych/debugger/internal/program/types"
)

// A sequence is a run of contiguous elements.
type sequence struct {
	length int64
	start  uint64
	elem   *types.Type
	owner  Object
}

// at returns an element. It does not check the index.
func (s *sequence) at(n int64) Object {
	return s.owner.At(s.elem, s.start+uint64(n*s.elem.ByteSize()))
}

// number reads an integer member; path lists the names of nested members.
func (o Object) number(path ...string) (uint64, error) {
	m, err := o.descend(path...)
	if err != nil {
		return 0, err
	}
	return m.Uint()
}

// descend follows a path of member names.
func (o Object) descend(path ...string) (Object, error) {
	for _, name := range path {
		m, err := o.Member(name)
		if err != nil {
			return Object{}, err
		}
		o = m
	}
	return o, nil
}

// find returns the first member that satisfies want, at a nesting depth of at
// most depth.
func (o Object) find(depth int, want func(types.Field) bool) (Object, bool) {
	fields := o.Type.Fields()
	for i := range fields {
		if f := &fields[i]; !f.Static && want(*f) {
			return o.Field(f), true
		}
	}
	for i := range fields {
		if f := &fields[i]; depth > 0 && !f.Static {
			if m, ok := o.Field(f).find(depth-1, want); ok {
				return m, true
			}
		}
	}
	return Object{}, false
}

// isPointer reports whether a member is a pointer.
func isPointer(f types.Field) bool { return f.Type().Strip().Kind == types.KindPointer }
