package types

// maxAlignment bounds what a file may say that objects are aligned to.
const maxAlignment = 1 << 20

// OffsetAfter is where a value of a type lies that follows so many bytes of links.
func (t *Type) OffsetAfter(links uint64) uint64 {
	left := maxMembers
	a := uint64(t.alignment(&left))
	return (links + a - 1) / a * a
}

// alignment is what addresses of objects are multiples of (System V ABI for AMD64
// version 1.0, section 3.1.2, and what the program asks for beyond it). At most so
// many members are looked at.
func (t *Type) alignment(left *int) int64 {
	s := t.Strip()
	n := max(t.align, s.align, 1)
	switch s.Kind {
	case KindStruct, KindClass, KindUnion:
		fields := s.Fields()
		for i := range fields {
			if f := &fields[i]; *left > 0 && !f.Static {
				*left--
				n = max(n, f.Type().alignment(left))
			}
		}
	case KindArray:
		if *left--; *left > 0 {
			n = max(n, s.Elem().alignment(left))
		}
	case KindInt, KindUint, KindFloat:
		n = max(n, min(s.Size, 16))
	case KindComplex:
		n = max(n, min(s.Size/2, 16))
	default:
		n = max(n, min(s.ByteSize(), 8))
	}
	for n > maxAlignment || n&(n-1) != 0 || n > 1 && s.ByteSize()%n != 0 { // packed, or not valid
		n /= 2
	}
	return n
}
