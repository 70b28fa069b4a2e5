package streamable

import (
	"bytes"
	"sync"
)

// rooms are memory in which answers are made, and which is used again when they
// were written.
type rooms struct{ free sync.Pool } // of *[]byte

// Most answers have at most usualAnswer bytes; a longer one makes its room
// larger. Rooms of more than keptAnswer are not used again.
const (
	usualAnswer = 512
	keptAnswer  = 64 << 10
)

func (r *rooms) get() *[]byte {
	if room, _ := r.free.Get().(*[]byte); room != nil {
		return room
	}
	return new(make([]byte, 0, usualAnswer))
}

// put takes a room back that nobody else looks into any more.
func (r *rooms) put(room *[]byte) {
	if cap(*room) <= keptAnswer {
		r.free.Put(room)
	}
}

// vacate takes the answer out of its room, for somebody who keeps it: a short one
// must not hold a large room.
func (r *rooms) vacate(room *[]byte) []byte {
	if cap(*room) > keptAnswer {
		return *room
	}
	defer r.put(room)
	return bytes.Clone(*room)
}
