package bugs

import "math"

// Parameters of MinHash. Two windows with a Jaccard similarity J of their
// shingles share a band with probability J². Of windows with a similarity of one
// half, one in a thousand shares none. The number of shared bands estimates the
// similarity.
const (
	windowTokens = 40 // about five lines
	windowStep   = 20
	shingle      = 4 // tokens
	bands        = 24
	bandRows     = 2
)

// A sketch holds the band keys of all windows of a stream. Keys are short: a
// chance match costs only a comparison.
type sketch []uint16

// newSketch computes the keys of windows that begin at every step-th token. A
// stream shorter than a window is one window.
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

// shingles returns the hashes of all sequences of shingle codes.
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

// permutation returns the parameters of the hash function of a row. Any odd
// multipliers would do; these are multiples of the golden ratio's.
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

// minimum returns the smallest hash by the hash function of a row.
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

// windowAt returns the first token of window w in a stream of n tokens.
func windowAt(w, n int) int {
	return max(0, min(w*windowStep, n-windowTokens))
}

// A probe is a set of keys, with one bit for each possible key of each band.
type probe [bands][1 << 16 / 64]uint64

// newProbe returns a probe with the keys of all windows of a query, at every
// token.
func newProbe(codes []uint16) *probe {
	p := new(probe)
	keys := newSketch(codes, 1)
	for i, key := range keys {
		p[i%bands][key>>6] |= 1 << (key & 63)
	}
	return p
}

// shared returns the number of bands of a window whose key is in the probe.
func (p *probe) shared(window []uint16) int {
	n := 0
	for band, key := range window {
		n += int(p[band][key>>6] >> (key & 63) & 1)
	}
	return n
}
