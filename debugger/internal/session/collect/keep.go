package collect

import "math"

// indexedNumbers is the number of numbers of a hit.
const indexedNumbers = 2

// numbers returns an index up to the end of the history as numbers.
func (x *index) numbers() []uint64 {
	all := make([]uint64, 0, len(x.hits)*indexedNumbers+1)
	for _, hit := range x.hits {
		all = append(all, hit.position, hit.pc)
	}
	return append(all, uint64(x.gaps))
}

// kept returns the index of the points that was kept.
func (c *search) kept(key string) (x index, ok bool) {
	h := c.s.Target.History
	numbers, ok := h.Findings.Kept(key)
	n := len(numbers) / indexedNumbers
	if !ok || len(numbers)%indexedNumbers != 1 || n > maxIndexed || numbers[len(numbers)-1] > math.MaxInt32 {
		return index{}, false
	}
	x = index{to: h.End(), hits: make([]indexed, n), gaps: int(numbers[len(numbers)-1])}
	last := c.options.From
	for i := range x.hits {
		at := indexed{numbers[i*indexedNumbers], numbers[i*indexedNumbers+1]}
		if at.position < last || at.position > h.End() || len(c.at[at.pc]) == 0 {
			return index{}, false
		}
		last, x.hits[i] = at.position, at
	}
	return x, true
}
