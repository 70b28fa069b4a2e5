package proc

import (
	"context"
	"errors"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/guard"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// The kernel traces a new child before its first instruction, for the thread that
// traces its parent. With FollowChild that thread goes on with the child; with
// FollowBoth the child is handed over to a tracer of its own.
//
// A child that shares the memory of its parent, as after vfork, is held: it runs
// traced, without breakpoints, until it has begun another program or ended.

// SetFollow decides what happens to children from now on. taker is used with
// FollowBoth only.
func (p *Process) SetFollow(mode Follow, taker ChildTaker) error {
	return p.access.withTracerReadOnly(func() error {
		p.children.mode, p.children.taker = mode, taker
		return nil
	})
}

// take decides about a child in its first stop.
func (cs *children) take(child int, inherited inheritance) {
	follows := cs.mode != FollowParent && !cs.tracee.runningFree && cs.successor.id == 0
	switch {
	case !follows:
		cs.release(child, inherited)
	case cs.tracee.sharesMemory(child):
		cs.clean(child, inherited, true)
		cs.breakpoints.shareMemory(child)
		cs.held[child] = true
		_ = cs.tracer.Cont(child, 0) // its end is an event
	case cs.mode == FollowChild:
		cs.successor = successor{id: child, inherited: inherited}
	default:
		cs.handOver(child, inherited, false)
	}
}

// onHeld handles an event of a held child.
func (cs *children) onHeld(e ptrace.Event) {
	child := e.Thread
	var sig signalNumber
	switch e.Kind {
	case ptrace.Exec:
		delete(cs.held, child)
		switch {
		case cs.mode == FollowChild && cs.successor.id == 0:
			cs.successor = successor{id: child, executed: true}
		case cs.mode == FollowBoth:
			cs.handOver(child, inheritance{}, true)
		default:
			_ = cs.tracer.Detach(child, 0) // fails if the child was killed
		}
		return
	case ptrace.SignalStop:
		sig = e.Signal
	case ptrace.GroupStop:
		_ = cs.tracer.Listen(child) // likewise
		return
	case ptrace.Clone, ptrace.Fork, ptrace.Vfork:
		cs.announced[int(e.Message)] = inheritance{}
	}
	if cs.mode == FollowParent {
		delete(cs.held, child)
		_ = cs.tracer.Detach(child, sig) // likewise
		return
	}
	_ = cs.tracer.Cont(child, sig) // likewise
}

// handOver makes a Process of a stopped child, or detaches from it.
func (cs *children) handOver(child int, inherited inheritance, executed bool) {
	if cs.taker == nil || !cs.taker.Admit() {
		cs.release(child, inherited)
		return
	}
	if !executed {
		cs.clean(child, inherited, false)
	}
	c, err := cs.adopt(child)
	if err != nil {
		_ = cs.tracer.Detach(child, 0) // it may be detached already
		if !errors.Is(err, ptrace.ErrGone) && !errors.Is(err, ErrExited) {
			cs.tracee.log.Warn("a child cannot be followed", "child", child, "err", err)
		}
		return
	}
	cs.taker.Take(c, executed)
}

// spin is an instruction that jumps to itself. A child executes it from the end of one
// tracer to the begin of the next, so that it does not move in between.
var spin = []byte{0xeb, 0xfe}

// adopt detaches from a stopped child and attaches to it with another tracer. If
// this program is killed meanwhile, the guard of the child replaces spin by the
// original code.
func (cs *children) adopt(child int) (*Process, error) {
	var r ptrace.Regs
	if err := cs.tracer.Regs(child, &r); err != nil {
		return nil, err
	}
	memory, err := ptrace.OpenMemory(child)
	if err != nil {
		return nil, err
	}
	code := make([]byte, len(spin))
	if _, err := memory.Read(r.RIP, code); err != nil {
		return nil, errors.Join(err, memory.Close())
	}
	claim := guard.Claim(context.Background(), child)
	g := cs.rescue.guardSpin(child, memory, claim, Patch{Address: r.RIP, Data: code})
	_, err = memory.Write(r.RIP, spin)
	if err == nil {
		err = cs.tracer.Detach(child, 0)
	}
	var c *Process
	if err == nil {
		c, err = open(context.Background(), child, cs.tracee.options, func(c *Process) error {
			c.tracee.memory, c.rescue.claim, c.rescue.guard, c.tracee.launched, c.tracee.actions = memory, claim, g, cs.tracee.launched, cs.tracee.actions
			c.tracee.filtered = cs.tracee.filtered
			c.tracee.is32Bit = is32Bit(child)
			c.traps.none = c.tracee.is32Bit
			return c.events.seizeChild(Patch{Address: r.RIP, Data: code})
		})
	}
	if err != nil {
		_, _ = memory.Write(r.RIP, code) // it has ended if this fails
		_, _ = memory.Close(), claim.Close()
		g.Close()
	}
	return c, err
}

// interruptHeld interrupts held children, so that onHeld detaches from them.
func (cs *children) interruptHeld() {
	for child := range cs.held {
		_ = cs.tracer.Interrupt(child) // its end is an event
	}
}
