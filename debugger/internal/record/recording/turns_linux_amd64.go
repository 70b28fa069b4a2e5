package recording

import (
	"slices"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
)

// turns says which thread runs next, and for how long, as the scheduler has decided. It needs
// no lock: only the recorder uses it.
type turns struct {
	log       *eventLog
	scheduler *scheduler
	end       uint64 // position at which another thread is to run
	slack     uint64 // instructions by which it may run earlier
	atAtomics bool   // slices end at atomic instructions
}

// sliceSlack is the number of instructions by which a slice may be shorter at most.
const sliceSlack = 1 << 15

// slice returns the number of instructions that the current thread runs, of those up to a limit.
func (t *turns) slice(limit int64) int64 {
	t.log.run.Early = 0
	if len(t.log.threads) == 1 {
		return limit
	}
	left := max(0, int64(t.end-t.log.position()))
	if left < limit {
		t.log.run.Early = int64(t.slack)
	}
	return min(limit, left)
}

// next begins the slice of the thread that is the current one now.
func (t *turns) next() { t.begin(t.scheduler.length(t.log.run.Thread(), t.log.position())) }

// begin begins a slice of a number of instructions. One that is not exact ends where a block
// does, which takes fewer stops, and is then followed by a few instructions.
func (t *turns) begin(length uint64) {
	t.end, t.slack = t.log.position()+length, 0
	if length >= 1<<shortestSlice {
		t.slack = min(length/2, sliceSlack)
	}
}

// over reports whether another thread is to run, if one can.
func (t *turns) over() bool {
	if len(t.log.threads) == 1 || t.log.position()+t.slack < t.end {
		return false
	}
	if t.slack > 0 {
		t.begin(t.scheduler.rest())
	}
	if t.log.position() < t.end {
		return false
	}
	t.scheduler.ended(t.log.run.Thread(), t.log.position())
	return true
}

// cut lets the slice end soon after a system call by which threads synchronize.
func (t *turns) cut() {
	if len(t.log.threads) == 1 {
		return
	}
	if length, ok := t.scheduler.cut(t.log.position()); ok && t.log.position()+length < t.end {
		t.begin(length)
	}
}

// cutAtAtomics lets slices end at atomic instructions from now on, with chaos, until there were
// many of those.
func (t *turns) cutAtAtomics() {
	if x := t.scheduler.chaos; x != nil && x.atomics > 0 && !t.atAtomics {
		t.atAtomics = true
		t.log.run.ExecuteInPlace(isAtomic)
	}
}

// isAtomic reports whether an instruction is one by which threads synchronize.
func isAtomic(in *x86.Inst) bool { return in.Locked() || in.Name() == "xchg" }

// cutAtAtomic lets the slice end soon after an atomic instruction.
func (t *turns) cutAtAtomic() {
	x := t.scheduler.chaos
	if !t.atAtomics {
		return
	}
	if x.atomics--; x.atomics <= 0 {
		t.atAtomics = false
		t.log.run.ExecuteInPlace(nil)
	}
	if x.hasPriorities() && len(t.log.threads) > 1 && t.scheduler.chance(8) {
		x.changes = true
		t.begin(0)
		return
	}
	t.cut()
}

// choose returns the thread that runs next, of those that do not wait in the kernel and are not
// parked, or 0.
func (t *turns) choose() int {
	ready := slices.DeleteFunc(t.log.run.Threads(), func(tid int) bool { return t.log.run.Waits(tid) || t.log.parked(tid) })
	return t.scheduler.choose(t.log.run.Thread(), ready)
}
