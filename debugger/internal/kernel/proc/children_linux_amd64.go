package proc

import (
	"errors"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// children holds the children that are announced, followed or left.
type children struct {
	tracer      *ptrace.Tracer
	tracee      *tracee
	rescue      *rescue
	traps       *traps
	breakpoints *breakpoints

	announced map[int]inheritance // to detach from at their first stop
	mode      Follow
	taker     ChildTaker
	held      map[int]bool // children that run traced until they have memory of their own
	successor successor    // the child to go on with
	left      int          // the process that was left for a child since the last stop
}

// A patch is an int3 instruction in memory and the byte that it replaced.
type patch struct {
	address  uint64
	original byte
}

// An inheritance lists what a new child has of the debugger in its memory and its signal handlers.
type inheritance struct {
	patches []patch
	handler *trapHandler // nil if none of the debugger was installed
	rescue  uint64       // as rescue.address
}

// inheritance returns what a child inherits that is created now.
func (cs *children) inheritance() inheritance {
	all := inheritance{handler: cs.traps.handler, rescue: cs.rescue.address}
	for _, l := range cs.breakpoints.locations {
		if l.inserted {
			all.patches = append(all.patches, patch{l.address, l.original})
		}
	}
	return all
}

// release detaches from a child, after removing what it has inherited from
// the debugger. A child that shares the memory, as after vfork, would die of int3
// instructions: they are removed until it has its own memory.
func (cs *children) release(child int, inherited inheritance) {
	shared := cs.tracee.sharesMemory(child)
	cs.clean(child, inherited, shared)
	if shared {
		cs.breakpoints.shareMemory(child)
	}
	_ = cs.tracer.Detach(child, 0) // fails if the child was killed
}

// shareMemory removes the int3 instructions as long as a child shares the memory.
func (bs *breakpoints) shareMemory(child int) {
	bs.sharers = append(bs.sharers, child)
	for _, l := range bs.locations {
		if err := bs.removeInt3(l); err != nil {
			bs.tracee.log.Warn("cannot remove a breakpoint from a child", "err", err)
		}
	}
}

// clean removes what a child has inherited. The process may have got its handler of
// SIGTRAP and the rescue code only after the fork, so they are not looked up there. If this
// program is killed meanwhile, an int3 that is still there needs the handler, and the handler
// needs the rescue code.
func (cs *children) clean(child int, inherited inheritance, shared bool) {
	if len(inherited.patches) == 0 && inherited.handler == nil && inherited.rescue == 0 {
		return
	}
	m, err := ptrace.OpenMemory(child)
	if err != nil {
		return // the child was killed
	}
	defer func() { _ = m.Close() }()
	for _, x := range inherited.patches {
		err = errors.Join(err, restoreByte(m, x.address, x.original))
	}
	if inherited.handler != nil {
		err = errors.Join(err, cs.traps.restoreOf(child, m, inherited.handler))
	}
	if !shared && err == nil {
		err = removeRescue(m, inherited.rescue)
	}
	if err != nil && !errors.Is(err, ptrace.ErrGone) {
		cs.tracee.log.Warn("cannot remove all breakpoints from a child", "child", child, "err", err)
	}
}

// kcmpVM is KCMP_VM of kcmp(2).
const kcmpVM = 1

// sharesMemory reports whether a child shares the memory of the process. It
// returns false if kcmp(2) fails, because most programs use fork.
func (t *tracee) sharesMemory(child int) bool {
	same, _, e := unix.Syscall6(unix.SYS_KCMP, uintptr(t.pid), uintptr(child), kcmpVM, 0, 0, 0)
	return e == 0 && same == 0
}

// forgetSharers drops the children that have their own memory by now. After the
// last of them it inserts the int3 instructions again.
func (bs *breakpoints) forgetSharers() {
	if len(bs.sharers) == 0 {
		return
	}
	bs.sharers = slices.DeleteFunc(bs.sharers, func(child int) bool { return !bs.tracee.sharesMemory(child) })
	if len(bs.sharers) > 0 || !bs.armed {
		return
	}
	for _, l := range bs.locations {
		if l.hardware() {
			continue
		}
		if err := bs.insertInt3(l); err != nil {
			bs.tracee.log.Warn("cannot insert a breakpoint again", "err", err)
		}
	}
}
