package recording

import (
	"math/rand/v2"
	"time"
)

// With chaos a scheduler looks for schedules that are rare, and the same seed leads to the same
// one. Half of the seeds take the fine style with more short slices. The others give
// threads priorities: the thread with the highest one runs until it waits or until a change point,
// where its priority becomes the lowest. That is the randomized scheduler of Burckhardt, Kothari,
// Musuvathi and Nagarakatte, "A Randomized Scheduler with Probabilistic Guarantees of Finding
// Bugs" (ASPLOS 2010), without its bound on the number of change points: how dense they are is
// random instead. From the chaos mode of rr there are that threads start and are woken with any
// priority, and that a seed prefers long or short times. What system calls do is in disturb_linux_amd64.go.
type chaos struct {
	priorities map[int]uint64 // nil for the fine style
	lowest     uint64
	dense      int    // the distance of change points in instructions is at most that power of two
	next       uint64 // position of the next change point
	changes    bool   // the slice ends there
	moves      bool   // new mappings are at random addresses
	atomics    int    // at so many atomic instructions slices may end
	hastens    bool   // timeouts expire early
	postpones  bool   // signals are delivered late

	ahead time.Duration // by which the clocks that the program reads are ahead
}

const (
	chaosAtStart = 4096    // short slices
	chaosEvery   = 1 << 18 // instructions for each one more
	densest      = 6       // the least of dense
	sparsest     = 22      // the most
	mostAtomics  = 1 << 13 // instructions that are executed in place, in some 20 µs each
	newPriority  = 1 << 62 // new priorities are above
)

// newChaos returns a scheduler with chaos.
func newChaos(seed uint64) *scheduler {
	s := newScheduler(seed)
	s.coarse, s.chaos = false, &chaos{lowest: newPriority, moves: s.chance(2)}
	if s.chance(2) {
		s.chaos.priorities = make(map[int]uint64)
	}
	s.chaos.dense = densest + s.random.IntN(sparsest-densest)
	s.chaos.hastens, s.chaos.postpones = s.chance(2), s.chance(2)
	if s.chance(2) {
		s.chaos.atomics = mostAtomics
	}
	return s
}

// hasPriorities reports whether threads have priorities.
func (c *chaos) hasPriorities() bool { return c != nil && c.priorities != nil }

// toChange returns the number of instructions up to the next change point.
func (c *chaos) toChange(position uint64) uint64 {
	c.changes = true
	if position >= c.next {
		return 1
	}
	return c.next - position
}

// change gives a thread the lowest priority. The next change point is at a position.
func (c *chaos) change(tid int, next uint64) {
	c.lowest--
	c.priorities[tid], c.next = c.lowest, next
}

// highest returns the thread with the highest priority, or 0 if there is none. New threads get one.
func (c *chaos) highest(ready []int, random *rand.Rand) (tid int) {
	for _, t := range ready {
		if c.priorities[t] == 0 {
			c.priorities[t] = newPriority + random.Uint64N(newPriority)
		}
		if tid == 0 || c.priorities[t] > c.priorities[tid] {
			tid = t
		}
	}
	return tid
}
