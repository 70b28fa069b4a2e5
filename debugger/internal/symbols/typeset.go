package symbols

import (
	"debug/dwarf"
)

// A typeSet is the types that the debug information of one image describes.
type typeSet struct {
	info  *debugInfo
	known map[dwarf.Offset]*Type // guarded by the lock of info
}

func newTypeSet(info *debugInfo) *typeSet {
	return &typeSet{info: info, known: map[dwarf.Offset]*Type{}}
}

// typeAt returns the type that an entry describes; void when there is none, and
// on a nil set.
func (s *typeSet) typeAt(off dwarf.Offset) *Type {
	if s == nil {
		return voidType
	}
	t := voidType
	err := s.info.do(func() error {
		if known := s.known[off]; known != nil {
			t = known
			return nil
		}
		if e := s.info.entryLocked(off); e != nil {
			t = s.newTypeLocked(e)
		}
		s.known[off] = t
		return nil
	})
	if err != nil {
		return voidType
	}
	return t
}

// typeNamed returns the type of a name that has a description, from all units;
// nil when there is none.
func (s *typeSet) typeNamed(name string) *Type {
	off, ok := s.info.typeOffset(name)
	if !ok {
		return nil
	}
	return s.typeAt(off)
}

// typeIn is typeNamed for a type that is described in a unit whose name is known,
// so that the others need not be read.
func (s *typeSet) typeIn(unit, name string) *Type {
	off, found, err := s.info.typeOffsetIn(unit, name)
	if err != nil || !found {
		return s.typeNamed(name)
	}
	return s.typeAt(off)
}
