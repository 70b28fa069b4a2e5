package types

// maxAlignment bounds the alignment that a file may declare.
const maxAlignment = 1 << 20

// OffsetAfter returns the offset of a value of the type that follows a number
// of bytes.
func (t *Type) OffsetAfter(links uint64) uint64 {
	left := maxMembers
	a := uint64(t.alignment(&left))
	return (links + a - 1) / a * a
}

// alignment returns the alignment of a type (System V ABI for AMD64 version
// 1.0, section 3.1.2, or as declared). It examines at most left members.
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
