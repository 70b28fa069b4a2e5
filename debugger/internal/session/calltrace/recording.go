package calltrace

import "sort"

// A visit is a period during which the traced function stays on one source line,
// with the calls that it makes there.
type visit struct {
	pc       uint64 // first address
	from, to uint64 // positions
	calls    []int  // indexes into recording.calls
}

// A call is a call that the traced function makes.
type call struct {
	pc       uint64
	from, to uint64 // positions after the call and after its end
	slot     uint64 // address of its return address
	returned bool
}

// A leg is a part of a call, made by one thread with the stack in one place. Goroutines change both.
type leg struct {
	from   uint64 // position
	thread int
	moved  uint64 // what is added to the addresses of the stack at the start
}

// A recording is the course of one recorded call.
type recording struct {
	start
	legs     []leg // in order; never empty
	visits   []visit
	calls    []call
	body     uint64 // position after the prologue
	end      uint64 // position after the last step
	last     uint64 // position before the last step
	steps    uint64
	returned bool
	ended    bool // the call has ended; otherwise history ends within it
	cut      bool // there are more visits or calls than maxVisits or maxCalls

	reached uint64 // position up to which the call was followed
	goesOn  bool   // it can be followed further
}

// at returns the leg of the call at a position.
func (r *recording) at(position uint64) leg {
	n := sort.Search(len(r.legs), func(n int) bool { return r.legs[n].from > position })
	return r.legs[max(n, 1)-1]
}
