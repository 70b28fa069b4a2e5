package proc

import (
	"errors"

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
