package heap

import "math"

// callNumbers is the number of numbers of a call.
const callNumbers = 11

// numbers returns the stretch as numbers, and set is its inverse: a call each, with the place of its
// return among the others, and the gaps at the end.
func (s *stretch) numbers() []uint64 {
	order := make([]uint64, len(s.calls)) // from 1; 0 for those that are not in returned
	for place, n := range s.returned {
		order[n] = uint64(place) + 1
	}
	all := make([]uint64, 0, len(s.calls)*callNumbers+1)
	for i := range s.calls {
		c := &s.calls[i]
		allocates := uint64(0)
		if c.allocates {
			allocates = 1
		}
		all = append(all, c.position, c.end, c.sp, c.ret, c.size, c.result, c.freed, c.chunk, uint64(c.thread), allocates, order[i])
	}
	return append(all, uint64(s.gaps))
}

// set takes the numbers, and reports whether they describe a stretch between two positions.
func (s *stretch) set(numbers []uint64, from, to uint64) bool {
	n := len(numbers) / callNumbers
	if len(numbers)%callNumbers != 1 || numbers[len(numbers)-1] > math.MaxInt32 {
		return false
	}
	s.gaps = int(numbers[len(numbers)-1])
	s.calls = make([]call, n)
	order := map[uint64]int{}
	for i := range s.calls {
		at := numbers[i*callNumbers:][:callNumbers]
		// The address where the result was stored is only needed until it is known.
		s.calls[i] = call{
			position: at[0], end: at[1], sp: at[2], ret: at[3], size: at[4], result: at[5], freed: at[6], chunk: at[7],
			thread: int(at[8]), allocates: at[9] == 1,
		}
		if at[0] < from || at[0] > to || at[1] != 0 && at[1] < at[0] || at[8] > math.MaxInt32 || i > 0 && at[0] < s.calls[i-1].position {
			return false
		}
		if at[10] != 0 {
			order[at[10]] = i
		}
	}
	s.returned = make([]int, len(order))
	for place := range s.returned {
		i, ok := order[uint64(place)+1]
		if !ok {
			return false
		}
		s.returned[place] = i
	}
	return true
}
