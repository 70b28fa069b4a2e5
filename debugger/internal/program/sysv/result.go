package sysv

import (
	"encoding/binary"
	"slices"

	"github.com/triptych-mcp/triptych/debugger/internal/program/types"
)

// A Class says where eight bytes of a result are.
type Class uint8

// The classes of the ABI that results have here.
const (
	None    Class = iota // padding, or nothing
	Integer              // rax, then rdx
	SSE                  // xmm0, then xmm1
	X87                  // st0: a long double
	Memory               // where the pointer in rdi says, which the caller sets
)

// Classify returns the classes of the eightbytes of a result: {Memory} if the caller
// provides the memory, none for void. ok is false for types that are not supported.
func Classify(t *types.Type) (classes []Class, ok bool) {
	s := t.Strip()
	size := t.ByteSize()
	switch {
	case s.Kind == types.KindVoid:
		return nil, true
	case size <= 0 || !t.PassedByValue():
		return nil, false
	case s.Kind == types.KindArray || hasVector(s, map[*types.Type]bool{}): // C has no functions that return other arrays
		return nil, false
	case size > 16:
		return []Class{Memory}, s.Kind != types.KindFloat && s.Kind != types.KindComplex
	}
	classes = make([]Class, (size+7)/8)
	if !classify(t, 0, classes, maxNesting) {
		return nil, false
	}
	return classes, true
}

// maxNesting bounds how deep types are nested.
const maxNesting = 32

// hasVector reports whether a type is or has a vector of the processor, which are
// returned in registers of other sizes.
func hasVector(t *types.Type, seen map[*types.Type]bool) bool {
	s := t.Strip()
	if seen[s] {
		return false
	}
	seen[s] = true
	switch s.Kind {
	case types.KindArray:
		return s.Vector() || hasVector(s.Elem(), seen)
	case types.KindStruct, types.KindClass, types.KindUnion:
		return slices.ContainsFunc(s.Fields(), func(f types.Field) bool { return !f.Static && hasVector(f.Type(), seen) })
	}
	return false
}

// classify merges the classes of an object at an offset.
func classify(t *types.Type, offset int64, classes []Class, depth int) bool {
	s := t.Strip()
	size := t.ByteSize()
	if depth == 0 || offset < 0 || size <= 0 || offset+size > int64(len(classes))*8 {
		return false
	}
	merge := func(c Class) bool {
		for i := offset / 8; i <= (offset+size-1)/8; i++ {
			if classes[i] == None || c == Integer {
				classes[i] = c
			}
		}
		return offset%min(size, 8) == 0 // a member that is not aligned makes all Memory
	}
	switch s.Kind {
	case types.KindFloat:
		if size == 16 {
			classes[0], classes[1] = X87, None
			return offset == 0 && len(s.Fields()) == 0 && s.Name() == "long double"
		}
		return size <= 8 && merge(SSE)
	case types.KindBool, types.KindInt, types.KindUint, types.KindChar, types.KindEnum, types.KindPointer,
		types.KindReference, types.KindRvalueReference:
		return size <= 8 && merge(Integer)
	case types.KindArray:
		elem := s.Elem()
		width := elem.ByteSize()
		if width <= 0 {
			return false
		}
		for at := int64(0); at < size; at += width {
			if !classify(elem, offset+at, classes, depth-1) {
				return false
			}
		}
		return true
	case types.KindStruct, types.KindClass, types.KindUnion:
		return classifyFields(s, offset, classes, depth)
	}
	return false
}

func classifyFields(s *types.Type, offset int64, classes []Class, depth int) bool {
	fields := s.Fields()
	for i := range fields {
		f := &fields[i]
		switch {
		case f.Static:
			continue
		case f.Virtual, f.BitSize > 0:
			return false
		case f.Base && f.Type().ByteSize() <= 1 && len(f.Type().Fields()) == 0: // an empty base
			continue
		}
		if !classify(f.Type(), offset+f.Offset, classes, depth-1) {
			return false
		}
	}
	return true
}

// Result returns the bytes of a result that is in registers.
func Result(classes []Class, size int64, rax, rdx uint64, vector []byte) ([]byte, bool) {
	if len(vector) < minSize {
		return nil, false
	}
	ints := []uint64{rax, rdx}
	xmm := 0
	var b []byte
	for _, c := range classes {
		switch c {
		case Integer:
			b, ints = binary.LittleEndian.AppendUint64(b, ints[0]), ints[1:]
		case SSE:
			b = append(b, vector[offsetXMM+16*xmm:][:8]...)
			xmm++
		case X87:
			return append(append(b, vector[offsetST0:][:10]...), make([]byte, 6)...), true
		default:
			b = append(b, make([]byte, 8)...)
		}
	}
	return b[:min(size, int64(len(b)))], true
}

// Float returns the bits of the first floating-point result.
func Float(vector []byte) uint64 {
	if len(vector) < minSize {
		return 0
	}
	return binary.LittleEndian.Uint64(vector[offsetXMM:])
}
