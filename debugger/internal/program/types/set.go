package types

import (
	"context"
	"debug/dwarf"

	"github.com/triptych-mcp/triptych/debugger/internal/program/dwarfread"
)

// A Set holds the types of one file.
type Set struct {
	Info  *dwarfread.Info
	known map[dwarf.Offset]*Type // guarded by the lock of info
}

// NewSet returns a Set of the types that info describes.
func NewSet(info *dwarfread.Info) *Set {
	return &Set{Info: info, known: map[dwarf.Offset]*Type{}}
}

// At returns the type of an entry. It is void when there is none, and on a nil
// Set.
func (s *Set) At(off dwarf.Offset) *Type {
	if s == nil {
		return Void
	}
	t := Void
	err := s.Info.Do(func() error {
		if known := s.known[off]; known != nil {
			t = known
			return nil
		}
		if e := s.Info.EntryLocked(off); e != nil {
			t = s.newTypeLocked(s.Info.SignedLocked(e))
		}
		s.known[off] = t
		return nil
	})
	if err != nil {
		return Void
	}
	return t
}

// Named returns the type of a name that is defined in any unit, nil when there
// is none.
func (s *Set) Named(name string) *Type {
	off, ok := s.Info.TypeOffset(name)
	if !ok {
		return nil
	}
	return s.At(off)
}

// NamedIn is like Named for a type of the unit of a name. Other units are not
// read.
func (s *Set) NamedIn(unit, name string) *Type {
	off, found, err := s.Info.TypeOffsetIn(unit, name)
	if err != nil || !found {
		return s.Named(name)
	}
	return s.At(off)
}

// OfTable returns the type that a Rust vtable belongs to, by the table's
// address in the file; nil when there is none.
func (s *Set) OfTable(ctx context.Context, table uint64) *Type {
	if s.Info.LoadAll(ctx) != nil {
		return nil
	}
	off, ok := s.Info.TableType(table)
	if !ok {
		return nil
	}
	return s.At(off)
}
