package memdiff

import "github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"

// A spanSet is a set of addresses: disjoint, non-adjacent ranges in ascending
// order.
type spanSet []ptrace.Range

// and returns the intersection of two sets.
func (s spanSet) and(o spanSet) spanSet {
	return s.combine(o, func(a, b bool) bool { return a && b })
}

// or returns the union of two sets.
func (s spanSet) or(o spanSet) spanSet {
	return s.combine(o, func(a, b bool) bool { return a || b })
}

// minus returns the addresses of s that are not in o.
func (s spanSet) minus(o spanSet) spanSet {
	return s.combine(o, func(a, b bool) bool { return a && !b })
}

// size returns the number of bytes in the set.
func (s spanSet) size() uint64 {
	n := uint64(0)
	for _, r := range s {
		n += r.Len()
	}
	return n
}

// combine returns the addresses for which want returns true, given whether they
// are in s and in o.
func (s spanSet) combine(o spanSet, want func(a, b bool) bool) spanSet {
	var result spanSet
	for at := uint64(0); ; {
		inS, endS, moreS := s.edge(at)
		inO, endO, moreO := o.edge(at)
		if !moreS && !moreO {
			return result
		}
		end := min(endS, endO)
		if want(inS, inO) {
			result = ptrace.AppendRange(result, ptrace.Range{Start: at, End: end})
		}
		at = end
		s, o = s.after(at), o.after(at)
	}
}

// edge reports whether an address is in the set, and where that changes next. The
// result more is false if s is empty.
func (s spanSet) edge(at uint64) (in bool, end uint64, more bool) {
	switch {
	case len(s) == 0:
		return false, ^uint64(0), false
	case at < s[0].Start:
		return false, s[0].Start, true
	}
	return true, s[0].End, true
}

// after returns the ranges that end after an address.
func (s spanSet) after(at uint64) spanSet {
	for len(s) > 0 && s[0].End <= at {
		s = s[1:]
	}
	return s
}
