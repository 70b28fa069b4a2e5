package bugs

import (
	"math"
	"math/rand/v2"
	"testing"
)

// streamOf is a stream of tokens that are codes, without names, one a line.
func streamOf(codes ...uint16) stream {
	s := stream{codes: codes, names: make([]uint32, len(codes))}
	for i := range codes {
		s.starts = append(s.starts, uint32(i))
	}
	return s
}

func queryOf(s stream) query { return query{codes: s.codes, names: s.names} }

// sequence is n codes from a number on; all of them weigh 1.
func sequence(from, n int) []uint16 {
	codes := make([]uint16, n)
	for i := range codes {
		codes[i] = uint16(100 + from + i)
	}
	return codes
}

func TestAlign(t *testing.T) {
	ten := sequence(0, 10)
	for _, c := range []struct {
		name         string
		query, other []uint16
		similarity   float64
		begin, end   int
	}{
		{"the same", ten, ten, 1, 0, 10},
		{"inside of other code", ten, append(append(sequence(500, 5), ten...), sequence(600, 5)...), 1, 5, 15},
		{"nothing in common", ten, sequence(500, 10), 0, 0, 0},
		{"two tokens put in", ten, append(append(sequence(0, 5), sequence(500, 2)...), sequence(5, 5)...), 20. / 22, 0, 12},
		{"two tokens left out", ten, append(sequence(0, 4), sequence(6, 4)...), 16. / 18, 0, 8},
		{"the first half", ten, sequence(0, 5), 10. / 15, 0, 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			var a aligner
			got := a.align(queryOf(streamOf(c.query...)), streamOf(c.other...), 0, len(c.other))
			if math.Abs(got.similarity-c.similarity) > 1e-6 || got.begin != c.begin || got.end != c.end {
				t.Errorf("got %+v, want %.3f of [%d:%d)", got, c.similarity, c.begin, c.end)
			}
		})
	}
}

// The focus of the query is found again behind what was put in.
func TestAlignFocus(t *testing.T) {
	q := queryOf(streamOf(sequence(0, 10)...))
	other := streamOf(append(append(sequence(0, 5), sequence(500, 3)...), sequence(5, 5)...)...)
	for _, c := range []struct{ focus, want int }{{0, 0}, {4, 4}, {5, 8}, {9, 12}} {
		var a aligner
		q.focus = c.focus
		if got := a.align(q, other, 0, len(other.codes)); got.at != c.want {
			t.Errorf("focus %d corresponds to %d, want %d", c.focus, got.at, c.want)
		}
	}
}

// A name counts fully when it is renamed the same way everywhere.
func TestAlignNames(t *testing.T) {
	names := func(n ...uint32) stream {
		s := streamOf(make([]uint16, len(n))...)
		for i := range n {
			s.codes[i] = codeName
		}
		s.names = n
		return s
	}
	q := queryOf(names(1, 2, 1, 2))
	for _, c := range []struct {
		name  string
		other stream
		want  float64
	}{
		{"the same", names(1, 2, 1, 2), 1},
		{"renamed", names(7, 8, 7, 8), 1},
		{"exchanged", names(2, 1, 2, 1), 1},
		{"renamed once differently", names(7, 8, 7, 9), (3 + 0.4) / 4},
		{"two names became one", names(7, 7, 7, 7), (2 + 2*0.4) / 4},
	} {
		var a aligner
		if got := a.align(q, c.other, 0, 4).similarity; math.Abs(got-c.want) > 1e-6 {
			t.Errorf("%s: %.3f, want %.3f", c.name, got, c.want)
		}
	}
}

// The best score is that of the definition.
func TestAlignScore(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		q, other := randomCodes(r), randomCodes(r)
		var a aligner
		i, j := a.fill(q, other)
		var got float32
		for _, p := range a.trace(i, j, len(other)) {
			got += weight(q[p.query])
		}
		got -= gapCost * float32(gaps(a.trace(i, j, len(other))))
		if want := bestScore(q, other); math.Abs(float64(got-want)) > 1e-4 {
			t.Fatalf("%v, %v: score %.3f, want %.3f", q, other, got, want)
		}
	}
}

func randomCodes(r *rand.Rand) []uint16 {
	codes := make([]uint16, 1+r.IntN(12))
	for i := range codes {
		codes[i] = 1 + uint16(r.IntN(6))
	}
	return codes
}

// gaps returns the number of tokens between the first and the last pair that have no
// counterpart.
func gaps(pairs []pair) int {
	n := 0
	for i := 1; i < len(pairs); i++ {
		n += pairs[i-1].query - pairs[i].query - 1
		n += pairs[i-1].other - pairs[i].other - 1
	}
	return n
}

// bestScore tries all pairs to end with, and all ways to get there.
func bestScore(q, other []uint16) float32 {
	known := map[[2]int]float32{}
	var ending func(i, j int) float32 // the best that ends with the pair i, j
	ending = func(i, j int) float32 {
		if s, ok := known[[2]int{i, j}]; ok {
			return s
		}
		best := float32(0)
		for k := range i {
			for l := range j {
				if q[k] == other[l] {
					best = max(best, ending(k, l)-gapCost*float32(i-k-1+j-l-1))
				}
			}
		}
		known[[2]int{i, j}] = best + weight(q[i])
		return best + weight(q[i])
	}
	best := float32(0)
	for i := range q {
		for j := range other {
			if q[i] == other[j] {
				best = max(best, ending(i, j))
			}
		}
	}
	return best
}

// The part of the bands that two windows share is the square of the part of
// their shingles, on the average.
func TestSketchEstimatesSimilarity(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, changed := range []int{0, 2, 5, 10, 20, 40} {
		var shared, want float64
		const tries = 200
		for range tries {
			a := make([]uint16, windowTokens)
			for i := range a {
				a[i] = uint16(r.IntN(1 << 16))
			}
			b := append([]uint16(nil), a...)
			for i := range changed {
				b[windowTokens-1-i] = uint16(r.IntN(1 << 16))
			}
			shared += float64(newProbe(a).shared(newSketch(b, windowStep))) / bands
			j := jaccard(shingles(a), shingles(b))
			want += j * j
		}
		if got, want := shared/tries, want/tries; math.Abs(got-want) > 0.03 {
			t.Errorf("%d tokens changed: %.3f of the bands are shared, want %.3f", changed, got, want)
		}
	}
}

func jaccard(a, b []uint32) float64 {
	both, in := 0, map[uint32]bool{}
	for _, h := range a {
		in[h] = true
	}
	all := len(in)
	for _, h := range b {
		if in[h] {
			both++
		} else {
			all++
		}
	}
	return float64(both) / float64(all)
}

// Windows cover a stream whole.
func TestSketchWindows(t *testing.T) {
	for _, c := range []struct{ tokens, windows int }{
		{0, 0}, {3, 0}, {4, 1}, {39, 1}, {40, 1}, {41, 2}, {60, 2}, {61, 3}, {400, 19},
	} {
		got := len(newSketch(sequence(0, c.tokens), windowStep)) / bands
		if got != c.windows {
			t.Errorf("%d tokens have %d windows, want %d", c.tokens, got, c.windows)
		}
		if got == 0 {
			continue
		}
		if last := windowAt(got-1, c.tokens); last+windowTokens < c.tokens {
			t.Errorf("%d tokens: the last window begins at %d", c.tokens, last)
		}
	}
}
