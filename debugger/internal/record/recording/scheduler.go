package recording

import (
	"math/bits"
	"math/rand/v2"
)

// A scheduler chooses by a seed which thread runs next, and for how long.
//
// Each thread that can run runs once in a round. What else is the same in each round is a style,
// which is chosen again whenever the program has become twice as old. With the coarse style threads
// run in the order in which they were started, for a long time, as a kernel lets them run on
// one processor. With the fine style the order is random, and so are the lengths of slices, of
// which all magnitudes up to a limit are as frequent. The limit grows with the age of the program,
// so that a short program has many switches, and a long one loses little time by them. Some
// threads are slower than others. Slices are short when threads have just started, and end soon
// after some of the system calls by which threads synchronize. What short slices may cost is
// bounded, by the age of the program, too.
type scheduler struct {
	random *rand.Rand
	ran    map[int]bool // threads that have run in this round
	since  uint64       // position at which the program had several threads first, or 0

	coarse bool         // the style, and else fine
	newAge uint64       // age at which it is chosen again
	chaos  *chaos       // the style instead of these, or nil
	slow   map[int]uint // by how many powers of two slices of a thread are shorter
	hot    int          // slices that are short because a thread has started
	short  uint64       // number of short slices
}

// The lengths of slices in instructions, as powers of two.
const (
	longestSlice  = 24 // at most, of the fine style
	coarseSlice   = 22 // at least, of the coarse style
	growingSlice  = 13 // at most, of the fine style, in a program that has just started a thread
	shortestSlice = 10 // at least, of those that end where a block ends
	exactSlice    = 4  // at most, of those that end anywhere
)

const (
	ageOfSlice = 16      // age of a program, in the longest slices that it has
	firstStyle = 1 << 20 // age at which the style is chosen again first
	hotSlices  = 6       // after the start of a thread
	slowest    = 6       // the largest of slow
)

// There are not more short slices than a number at the start, and one for so many instructions
// since then.
const (
	shortAtStart = 192
	shortEvery   = 1 << 21
)

// newScheduler returns a scheduler with a seed.
func newScheduler(seed uint64) *scheduler {
	s := &scheduler{random: rand.New(rand.NewPCG(seed, 0)), ran: make(map[int]bool), newAge: firstStyle}
	s.chooseStyle()
	return s
}

func (s *scheduler) chooseStyle() {
	s.coarse = s.chance(2)
	s.slow = make(map[int]uint)
}

// chance returns true once in n times.
func (s *scheduler) chance(n int) bool { return s.random.IntN(n) == 0 }

// magnitude returns a random number from 1<<low to 1<<high whose logarithm is uniform.
func (s *scheduler) magnitude(low, high int) uint64 {
	first := uint64(1) << (low + s.random.IntN(high-low))
	return first + s.random.Uint64N(first)
}

// length returns the length of the slice of a thread that begins at a position.
func (s *scheduler) length(tid int, position uint64) uint64 {
	if s.since == 0 {
		s.since = position
	}
	age := position - s.since
	for ; age >= s.newAge && s.chaos == nil; s.newAge *= 2 {
		s.chooseStyle()
	}
	switch {
	case s.chaos.hasPriorities():
		return s.chaos.toChange(position)
	case s.coarse || s.spent(age):
		return s.magnitude(coarseSlice, longestSlice+1)
	}
	length := s.fine(tid, age)
	if length < 1<<coarseSlice {
		s.short++
	}
	return length
}

// spent reports whether there are no more short slices at an age.
func (s *scheduler) spent(age uint64) bool {
	if s.chaos != nil {
		return s.short > chaosAtStart+age/chaosEvery
	}
	return s.short > shortAtStart+age/shortEvery
}

// fine returns the length of a slice of the fine style.
func (s *scheduler) fine(tid int, age uint64) uint64 {
	if s.hot > 0 {
		s.hot--
		return s.briefly()
	}
	longest := bits.Len64(age / ageOfSlice)
	return max(1, s.magnitude(shortestSlice, min(max(longest, growingSlice), longestSlice))>>s.slowness(tid))
}

// slowness returns by how many powers of two slices of a thread are shorter.
func (s *scheduler) slowness(tid int) uint {
	n, ok := s.slow[tid]
	if !ok && s.chance(2) {
		n = s.random.UintN(slowest + 1)
	}
	s.slow[tid] = n
	return n
}

// briefly returns the length of a very short slice.
func (s *scheduler) briefly() uint64 {
	if s.chance(2) {
		return s.magnitude(0, exactSlice)
	}
	return s.magnitude(shortestSlice, growingSlice)
}

// rest returns the number of instructions, up to the middle of a block, after which a slice ends
// that has come to the end of a block.
func (s *scheduler) rest() uint64 { return s.random.Uint64N(1 << exactSlice) }

// started begins the short slices after the start of a thread.
func (s *scheduler) started() { s.hot = hotSlices }

// cut returns how long the slice goes on after a system call that synchronizes threads, and
// whether it is to end earlier than it would.
func (s *scheduler) cut(position uint64) (length uint64, ok bool) {
	if s.coarse || s.spent(position-s.since) || s.chance(2) {
		return 0, false
	}
	if s.short++; s.chaos.hasPriorities() {
		s.chaos.changes = false
		return 0, true // a thread of a higher priority may have been woken
	}
	return s.briefly(), true
}

// ended is called when the slice of a thread is over, and not when the thread waits.
func (s *scheduler) ended(tid int, position uint64) {
	if !s.chaos.hasPriorities() || !s.chaos.changes {
		return
	}
	dense := s.chaos.dense
	if s.spent(position - s.since) {
		dense = sparsest
	}
	s.short++
	s.chaos.change(tid, position+1+s.random.Uint64N(1<<dense))
}

// choose returns the thread that runs next, of those that can run, or 0. The current one is
// chosen only if it is alone, unless there are priorities.
func (s *scheduler) choose(current int, ready []int) int {
	if s.chaos.hasPriorities() {
		return s.chaos.highest(ready, s.random)
	}
	waiting := s.waiting(current, ready)
	if len(waiting) == 0 {
		clear(s.ran)
		waiting = s.waiting(current, ready)
	}
	switch {
	case len(waiting) == 0 && len(ready) > 0:
		return ready[0]
	case len(waiting) == 0:
		return 0
	}
	next := waiting[0]
	if !s.coarse {
		next = waiting[s.random.IntN(len(waiting))]
	}
	s.ran[next] = true
	return next
}

// waiting returns the threads but the current one that have not run in this round.
func (s *scheduler) waiting(current int, ready []int) (list []int) {
	for _, tid := range ready {
		if tid != current && !s.ran[tid] {
			list = append(list, tid)
		}
	}
	return list
}
