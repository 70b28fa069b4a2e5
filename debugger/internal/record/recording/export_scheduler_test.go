package recording

// A Slice is a choice of a scheduler.
type Slice struct {
	Thread int
	Length uint64
}

// Schedule returns the first slices of threads that can always run.
func Schedule(seed uint64, threads, count int) (list []Slice) {
	s := newScheduler(seed)
	for position := uint64(1); len(list) < count; {
		next := s.next(position, list, threads)
		list, position = append(list, next), position+next.Length
	}
	return list
}

// SlicesOf returns how many slices threads have that can always run, in a number of instructions.
func SlicesOf(seed uint64, threads int, instructions uint64) (count int) {
	s := newScheduler(seed)
	var last []Slice
	for position := uint64(1); position < instructions; count++ {
		next := s.next(position, last, threads)
		last, position = []Slice{next}, position+next.Length
	}
	return count
}

func (s *scheduler) next(position uint64, before []Slice, threads int) Slice {
	current := 0
	if len(before) > 0 {
		current = before[len(before)-1].Thread
	}
	ready := make([]int, threads)
	for n := range ready {
		ready[n] = n + 1
	}
	tid := s.choose(current, ready)
	return Slice{tid, s.length(tid, position)}
}

// Turns returns how often a thread has passed the turn to another one without a stop.
func Turns(r Result) int { return r.turns }

// Futexes returns how often the recorder has parked a thread, and woken one without the
// kernel.
func Futexes(r Result) (parked, woken int) { return r.parked, r.woken }

// Expired returns how often a system call was made again after its timeout.
func Expired(r Result) int { return r.expired }
