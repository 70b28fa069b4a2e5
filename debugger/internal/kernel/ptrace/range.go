package ptrace

// A Range is the memory from Start to before End.
type Range struct{ Start, End uint64 }

// Len returns the number of bytes in the range.
func (r Range) Len() uint64 { return r.End - r.Start }

// AppendRange appends a range to ranges in ascending order. It merges a range with
// the last one if they are adjacent or overlap.
func AppendRange(ranges []Range, r Range) []Range {
	if n := len(ranges); n > 0 && ranges[n-1].End >= r.Start {
		ranges[n-1].End = max(ranges[n-1].End, r.End)
		return ranges
	}
	return append(ranges, r)
}
