package inplace

import (
	"errors"
	"fmt"
	"maps"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// A Watch says where a thread stops, and which writes of it are noted.
type Watch struct {
	runner  *Runner
	stops   map[uint64]bool // addresses of instructions
	ranges  []ptrace.Range
	enough  int // number of writes after which no more are noted
	noted   int
	last    int64 // number of instructions executed before the last write, or before the next instruction
	reached bool  // as many writes as are enough were noted
}

// StopAt makes Run stop before instructions at the given addresses, with the kind Reached,
// in place of those of the call before. The first instruction of each Run is executed
// whatever its address is.
func (wt *Watch) StopAt(addresses []uint64) {
	stops := make(map[uint64]bool, len(addresses))
	for _, a := range addresses {
		stops[a] = true
	}
	if !maps.Equal(stops, wt.stops) {
		wt.stops = stops
		wt.runner.Forget()
	}
}

// Writes makes the processor note the writes of the current thread to the ranges, see
// ptrace.Tracer.WatchWrites. When enough writes were noted, no more are, and a Run ends soon
// after, with the kind Done. The writes of Write are not noted.
func (wt *Watch) Writes(ranges []ptrace.Range, enough int) error {
	wt.ranges, wt.enough, wt.noted, wt.reached = ranges, enough, 0, false
	err := wt.runner.tracer.WatchWrites(wt.runner.tid, ranges)
	if err == nil || errors.Is(err, ptrace.ErrGone) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrNotWatched, err)
}

// ErrNotWatched reports that the system does not let a process be watched by the processor.
var ErrNotWatched = errors.New("the processor cannot watch the memory")

// Noted returns how many writes were noted since Writes, and Executed at the last one:
// it was made by the instruction that was executed last then, or by the next one.
func (wt *Watch) Noted() (count int, executed int64) { return wt.noted, wt.last }

// stopsHere reports whether the thread, which is outside of the cache, stops at Regs.RIP. It
// does not at the first instruction of a Run.
func (wt *Watch) stopsHere() bool {
	return wt.stops[wt.runner.Regs.RIP] && wt.runner.space.context().Left() != wt.runner.translated.quantum
}

// stopsAt reports whether there is a stop at an address, see codecache.Config.
func (wt *Watch) stopsAt(pc uint64) bool { return wt.stops[pc] }

// watched reports whether the thread has stopped because it has written to watched memory.
func (wt *Watch) watched() bool {
	return len(wt.ranges) > 0 && wt.runner.signal.Signal() == unix.SIGTRAP && wt.runner.signal.Code() == ptrace.CodeWatch
}

// noteWatched notes a write by an instruction in the cache, after which the thread has
// stopped, and continues it.
func (wt *Watch) noteWatched(regs *ptrace.Regs) error {
	executed := wt.runner.translated.executedNow()
	if p, ok := wt.runner.space.cache.Position(regs.RIP); ok && p.Begun {
		executed -= int64(p.Undone)
	}
	wt.noteWrite(executed)
	if !wt.reached {
		return wt.runner.translated.resume(wt.runner.tracer.ToEmulated, 0)
	}
	if err := wt.runner.tracer.WatchWrites(wt.runner.tid, nil); err != nil {
		return err
	}
	return wt.runner.translated.leave()
}

func (wt *Watch) noteWrite(executed int64) {
	wt.noted++
	wt.last, wt.reached = executed, wt.noted >= wt.enough
}

// noteStep notes a write by the instruction of a step.
func (wt *Watch) noteStep() error {
	if len(wt.ranges) == 0 || wt.reached {
		return nil
	}
	wrote, err := wt.runner.tracer.Watched(wt.runner.tid)
	if wrote {
		wt.noteWrite(wt.runner.translated.executed)
	}
	return err
}

// noteOwn notes a write that this program makes for an instruction, the next one.
func (wt *Watch) noteOwn(addr, n uint64) {
	for _, w := range wt.ranges {
		if addr < w.End && w.Start < addr+n && !wt.reached {
			wt.noteWrite(wt.runner.translated.executedNow())
			return
		}
	}
}
