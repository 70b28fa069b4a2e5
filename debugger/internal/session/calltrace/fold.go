package calltrace

// A fold is a visit, or a loop of which only the last iterations are shown.
type fold struct {
	visit int // index of the visit; of the first one in a loop
	count int // iterations of a loop, 0 for a visit
	body  []fold
}

// Loops with at least foldFrom iterations are shown by their last foldShown
// iterations.
const (
	foldFrom  = 5
	foldShown = 3
)

// A folder finds loops in the visits of a call: a loop returns to the first
// address of an earlier visit.
type folder struct {
	visits []visit
	next   []int // next visit with the same first address, or len(visits)
}

func newFolder(visits []visit) *folder {
	f := &folder{visits: visits, next: make([]int, len(visits))}
	later := map[uint64]int{}
	for i := len(visits) - 1; i >= 0; i-- {
		f.next[i] = len(visits)
		if n, ok := later[visits[i].pc]; ok {
			f.next[i] = n
		}
		later[visits[i].pc] = i
	}
	return f
}

// fold returns the visits in [from, to) with their loops folded.
func (f *folder) fold(from, to int) []fold {
	var all []fold
	for i := from; i < to; {
		heads := f.iterations(i, to)
		if len(heads) < foldFrom {
			all = append(all, fold{visit: i})
			i++
			continue
		}
		end := f.loopEnd(heads, to)
		loop := fold{visit: heads[len(heads)-foldShown], count: len(heads)}
		for k := len(heads) - foldShown; k < len(heads); k++ {
			last := end
			if k+1 < len(heads) {
				last = heads[k+1]
			}
			loop.body = append(loop.body, fold{visit: heads[k]})
			loop.body = append(loop.body, f.fold(heads[k]+1, last)...)
		}
		all = append(all, loop)
		i = end
	}
	return all
}

// iterations returns the visits in [i, to) that begin at the address of visit i.
func (f *folder) iterations(i, to int) []int {
	var heads []int
	for ; i < to; i = f.next[i] {
		heads = append(heads, i)
	}
	return heads
}

// loopEnd returns the end of a loop's last iteration: the first visit whose
// address no earlier iteration has visited.
func (f *folder) loopEnd(heads []int, to int) int {
	last := heads[len(heads)-1]
	body := map[uint64]bool{}
	for i := heads[0]; i < last; i++ {
		body[f.visits[i].pc] = true
	}
	end := last + 1
	for end < to && body[f.visits[end].pc] && f.visits[end].pc != f.visits[last].pc {
		end++
	}
	return end
}
