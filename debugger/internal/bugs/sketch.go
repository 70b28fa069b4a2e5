package bugs

import "math"

// How streams are compared in a hurry. Two windows with a part J of their
// shingles in common share a band with probability J²: of windows alike by half
// one in a thousand shares none, and the number they share says how alike they
// are, and ranks them.
const (
	windowTokens = 40 // about five lines
	windowStep   = 20
	shingle      = 4 // tokens
	bands        = 24
	bandRows     = 2
)

// A sketch has the band keys of all windows of a stream, bands keys a window.
// Keys are short: a chance agreement of one costs nothing but a closer look.
type sketch []uint16

// newSketch computes the keys of windows that begin every step tokens of codes.
// A stream shorter than a window is one window.
func newSketch(codes []uint16, step int) sketch {
	hashes := shingles(codes)
	if len(hashes) == 0 {
		return nil
	}
	const width = windowTokens - shingle + 1
	windows := 1 + max(0, len(hashes)-width+step-1)/step
	s := make(sketch, 0, windows*bands)
	for w := range windows {
		end := min(len(hashes), w*step+width)
		s = appendKeys(s, hashes[max(0, end-width):end])
	}
	return s
}

// shingles are the hashes of all sequences of shingle codes.
func shingles(codes []uint16) []uint32 {
	if len(codes) < shingle {
		return nil
	}
	hashes := make([]uint32, len(codes)-shingle+1)
	for i := range hashes {
		h := uint64(14695981039346656037)
		for _, c := range codes[i : i+shingle] {
			h = (h ^ uint64(c)) * 1099511628211
		}
		hashes[i] = uint32(h ^ h>>32)
	}
	return hashes
}

// permutation returns the parameters that reorder shingles for a row. Any odd multipliers do;
// these are multiples of the golden ratio's.
func permutation(row int) (multiplier, summand uint32) {
	n := uint32(row + 1)
	return n*0x9E3779B1 | 1, n * 0x85EBCA77
}

// appendKeys appends the band keys of one window.
func appendKeys(s sketch, hashes []uint32) sketch {
	for band := range bands {
		key := uint32(2166136261)
		for row := range bandRows {
			key = (key ^ minimum(hashes, band*bandRows+row)) * 16777619
			key ^= key >> 15
		}
		s = append(s, uint16(key^key>>16))
	}
	return s
}

// minimum is the least hash in the order of a row.
func minimum(hashes []uint32, row int) uint32 {
	multiplier, summand := permutation(row)
	least := uint32(math.MaxUint32)
	for _, h := range hashes {
		h = (h ^ summand) * multiplier
		h ^= h >> 16
		h *= 0x7FEB352D
		least = min(least, h)
	}
	return least
}

// windowAt returns the first token of window w of a stream of n tokens.
func windowAt(w, n int) int {
	return max(0, min(w*windowStep, n-windowTokens))
}

// A probe is a set of keys to look for, one bit for each key of each band.
type probe [bands][1 << 16 / 64]uint64

// newProbe has the keys of all windows of a query, at every token.
func newProbe(codes []uint16) *probe {
	p := new(probe)
	keys := newSketch(codes, 1)
	for i, key := range keys {
		p[i%bands][key>>6] |= 1 << (key & 63)
	}
	return p
}

// shared returns the number of bands of a window that have a key of the probe.
func (p *probe) shared(window []uint16) int {
	n := 0
	for band, key := range window {
		n += int(p[band][key>>6] >> (key & 63) & 1)
	}
	return n
}
