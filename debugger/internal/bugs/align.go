package bugs

// An alignment is a part of a stream that corresponds to a query.
type alignment struct {
	similarity float64 // from 0 to 1
	begin, end int     // the part, in the other stream
	at         int     // the token that corresponds to the query's focus
}

// A query is the part of a stream that other streams are compared with.
type query struct {
	codes []uint16
	names []uint32
	focus int // the token of interest
}

// gapCost is the cost of a token without a counterpart. Additional statements
// between those of the query are expected, since edits insert them.
const gapCost = 0.15

// weight returns the weight of a token.
func weight(code uint16) float32 {
	switch code {
	case codeName, codeNumber, codeString:
		return 0.6
	case codeCall:
		return 0.9
	default:
		return 1
	}
}

// The steps of an alignment's path.
const (
	stop uint8 = iota
	both
	skipOther
	skipQuery
)

// An aligner computes alignments. It reuses its memory.
type aligner struct {
	scores []float32
	steps  []uint8
}

// align finds the part of other that is most similar to q, by local alignment.
func (a *aligner) align(q query, other stream, low, high int) alignment {
	low, high = max(0, low), min(len(other.codes), high)
	if low >= high || len(q.codes) == 0 {
		return alignment{}
	}
	i, j := a.fill(q.codes, other.codes[low:high])
	pairs := a.trace(i, j, high-low)
	return judge(q, other, pairs, low)
}

// fill computes the table of scores and returns the end of the best path. Row i
// and column j stand for the first i tokens of the query and the first j of
// other.
func (a *aligner) fill(query, other []uint16) (bestRow, bestColumn int) {
	width := len(other) + 1
	a.scores = resize(a.scores, 2*width)
	a.steps = resize(a.steps, (len(query)+1)*width)
	clear(a.scores)
	clear(a.steps[:width])
	best := float32(0)
	for i, code := range query {
		above, row := a.scores[i%2*width:][:width], a.scores[(i+1)%2*width:][:width]
		steps := a.steps[(i+1)*width:][:width]
		w := weight(code)
		row[0], steps[0] = 0, stop
		for j, c := range other {
			score, step := float32(0), stop
			if c == code {
				score, step = above[j]+w, both
			}
			if s := row[j] - gapCost; s > score {
				score, step = s, skipOther
			}
			if s := above[j+1] - gapCost; s > score {
				score, step = s, skipQuery
			}
			row[j+1], steps[j+1] = score, step
			if score > best {
				best, bestRow, bestColumn = score, i+1, j+1
			}
		}
	}
	return bestRow, bestColumn
}

// resize returns a slice of length n, reusing s if it is large enough.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// A pair is two corresponding tokens.
type pair struct{ query, other int }

// trace follows the best path back and returns its pairs, last first.
func (a *aligner) trace(i, j, n int) []pair {
	var pairs []pair
	for i > 0 && j > 0 {
		switch a.steps[i*(n+1)+j] {
		case both:
			i, j = i-1, j-1
			pairs = append(pairs, pair{i, j})
		case skipOther:
			j--
		case skipQuery:
			i--
		default:
			return pairs
		}
	}
	return pairs
}

// judge computes the similarity of the pairs: twice the corresponding weight
// divided by the weight of both parts. Names count in full if they are renamed
// consistently.
func judge(q query, other stream, pairs []pair, low int) alignment {
	if len(pairs) == 0 {
		return alignment{}
	}
	for i := range pairs {
		pairs[i].other += low
	}
	last, first := pairs[0], pairs[len(pairs)-1]
	renamed := renaming(q, other, pairs)
	var common float32
	for _, p := range pairs {
		w := weight(q.codes[p.query])
		if name := q.names[p.query]; name != 0 && q.codes[p.query] != codeString && renamed[name] != other.names[p.other] {
			w *= 0.4
		}
		common += w
	}
	whole := total(q.codes) + total(other.codes[first.other:last.other+1])
	return alignment{
		similarity: float64(2 * common / whole),
		begin:      first.other,
		end:        last.other + 1,
		at:         counterpart(pairs, q.focus),
	}
}

func total(codes []uint16) float32 {
	var sum float32
	for _, c := range codes {
		sum += weight(c)
	}
	return sum
}

// renaming maps each name of the query to its most frequent counterpart in the
// other stream, unless that is more often the counterpart of another name.
func renaming(q query, other stream, pairs []pair) map[uint32]uint32 {
	type names struct{ query, other uint32 }
	counts := map[names]int{}
	for _, p := range pairs {
		if q.names[p.query] != 0 && q.codes[p.query] != codeString {
			counts[names{q.names[p.query], other.names[p.other]}]++
		}
	}
	forth, back := map[uint32]names{}, map[uint32]names{}
	better := func(n, than names) bool {
		return counts[n] > counts[than] || counts[n] == counts[than] && n.query^n.other < than.query^than.other
	}
	for n := range counts {
		if known, ok := forth[n.query]; !ok || better(n, known) {
			forth[n.query] = n
		}
		if known, ok := back[n.other]; !ok || better(n, known) {
			back[n.other] = n
		}
	}
	renamed := map[uint32]uint32{}
	for from, n := range forth {
		if back[n.other] == n {
			renamed[from] = n.other
		}
	}
	return renamed
}

// counterpart returns the token of the pair whose query token is nearest to
// focus.
func counterpart(pairs []pair, focus int) int {
	best := pairs[0]
	for _, p := range pairs {
		if distance(p.query, focus) <= distance(best.query, focus) {
			best = p
		}
	}
	return best.other
}

func distance(a, b int) int {
	return max(a-b, b-a)
}
