package proc

import (
	"context"
	"errors"
	"os"

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
	return p.withTracerReadOnly(func() error {
		p.follow, p.taker = mode, taker
		return nil
	})
}

// A successor is the child with which the process goes on, stopped.
type successor struct {
	id        int // 0 if there is none
	inherited inheritance
	executed  bool // it has begun another program
}

// takeChild decides about a child in its first stop.
func (p *Process) takeChild(child int, inherited inheritance) {
	follows := p.follow != FollowParent && !p.runningFree && p.successor.id == 0
	switch {
	case !follows:
		p.releaseChild(child, inherited)
	case p.sharesMemory(child):
		p.cleanChild(child, inherited, true)
		p.shareMemory(child)
		p.held[child] = true
		_ = p.tracer.Cont(child, 0) // its end is an event
	case p.follow == FollowChild:
		p.successor = successor{id: child, inherited: inherited}
	default:
		p.handOver(child, inherited, false)
	}
}

// onHeld handles an event of a held child.
func (p *Process) onHeld(e ptrace.Event) {
	child := e.Thread
	var sig signalNumber
	switch e.Kind {
	case ptrace.Exec:
		delete(p.held, child)
		switch {
		case p.follow == FollowChild && p.successor.id == 0:
			p.successor = successor{id: child, executed: true}
		case p.follow == FollowBoth:
			p.handOver(child, inheritance{}, true)
		default:
			_ = p.tracer.Detach(child, 0) // fails if the child was killed
		}
		return
	case ptrace.SignalStop:
		sig = e.Signal
	case ptrace.GroupStop:
		_ = p.tracer.Listen(child) // likewise
		return
	case ptrace.Clone, ptrace.Fork, ptrace.Vfork:
		p.children[int(e.Message)] = inheritance{}
	}
	if p.follow == FollowParent {
		delete(p.held, child)
		_ = p.tracer.Detach(child, sig) // likewise
		return
	}
	_ = p.tracer.Cont(child, sig) // likewise
}

// handOver makes a Process of a stopped child, or detaches from it.
func (p *Process) handOver(child int, inherited inheritance, executed bool) {
	if p.taker == nil || !p.taker.Admit() {
		p.releaseChild(child, inherited)
		return
	}
	if !executed {
		p.cleanChild(child, inherited, false)
	}
	c, err := p.adoptChild(child)
	if err != nil {
		_ = p.tracer.Detach(child, 0) // it may be detached already
		if !errors.Is(err, ptrace.ErrGone) && !errors.Is(err, ErrExited) {
			p.log.Warn("a child cannot be followed", "child", child, "err", err)
		}
		return
	}
	p.taker.Take(c, executed)
}

// spin is an instruction that jumps to itself. A child executes it from the end of one
// tracer to the begin of the next, so that it does not move in between.
var spin = []byte{0xeb, 0xfe}

// adoptChild detaches from a stopped child and attaches to it with another tracer. If
// this program is killed meanwhile, the guard of the child replaces spin by the
// original code.
func (p *Process) adoptChild(child int) (*Process, error) {
	var r ptrace.Regs
	if err := p.tracer.Regs(child, &r); err != nil {
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
	g := p.guardSpin(child, memory, claim, Patch{Address: r.RIP, Data: code})
	_, err = memory.Write(r.RIP, spin)
	if err == nil {
		err = p.tracer.Detach(child, 0)
	}
	var c *Process
	if err == nil {
		c, err = open(context.Background(), child, p.options, func(c *Process) error {
			c.memory, c.claim, c.guard, c.launched, c.actions = memory, claim, g, p.launched, p.actions
			c.filtered = p.filtered
			c.is32Bit = is32Bit(child)
			c.noTrapHandler = c.is32Bit
			return c.seizeChild(Patch{Address: r.RIP, Data: code})
		})
	}
	if err != nil {
		_, _ = memory.Write(r.RIP, code) // it has ended if this fails
		_, _ = memory.Close(), claim.Close()
		g.Close()
	}
	return c, err
}

// guardSpin starts the guard of a child, which knows the code that spin replaces. It
// returns nil without a guard.
func (p *Process) guardSpin(child int, memory *ptrace.Memory, claim *os.File, code Patch) *guard.Guard {
	j, err := guard.NewJournal()
	if err != nil {
		return nil
	}
	g, err := guard.Start(p.options.Guard, memory.File(), j, claim)
	if err != nil {
		j.Close()
		return nil
	}
	j.Write(child, code.Address, code.Data)
	j.Publish(guard.WorkMemory)
	return g
}

// seizeChild traces a child that executes spin, and gives it its code again.
func (p *Process) seizeChild(code Patch) error {
	options := ptrace.Options
	if p.launched {
		options |= ptrace.ExitKill
	}
	if err := p.tracer.Seize(p.pid, options); err != nil {
		return err
	}
	p.threads[p.pid] = &thread{id: p.pid, running: true}
	if err := p.tracer.Interrupt(p.pid); err != nil {
		return err
	}
	err := p.checkEnded(p.stopAll())
	_, failed := p.memory.Write(code.Address, code.Data)
	if j := p.guard.Journal(); j != nil {
		j.Publish(guard.NoWork)
		j.Truncate(0)
	}
	return errors.Join(err, failed)
}

// goOnWithChild makes the process that of its child, with the same breakpoints. All
// threads are stopped, or the process has ended.
func (p *Process) goOnWithChild() error {
	next := p.successor
	mode := p.follow
	p.follow, p.successor = FollowParent, successor{}
	defer func() { p.follow = mode }()
	errs := p.releaseChildren()
	if !next.executed {
		p.cleanChild(next.id, next.inherited, false)
	}
	if p.ended == nil {
		errs = errors.Join(errs, p.letGo())
		if p.launched {
			go reapLater(p.pid)
		}
	}
	memory, err := ptrace.OpenMemory(next.id)
	if err != nil {
		return errors.Join(errs, err)
	}
	p.guard.Close()
	_ = p.claim.Close()
	_ = p.memory.Close()
	p.guard, p.claim, p.memory = nil, guard.Claim(context.Background(), next.id), memory
	p.left = p.pid
	p.setID(next.id)
	clear(p.threads)
	clear(p.early)
	clear(p.cached)
	t := &thread{id: next.id}
	p.threads[t.id], p.current = t, t.id
	p.queue, p.sharers, p.site, p.ended = nil, nil, 0, nil
	p.trapHandler, p.is32Bit = nil, is32Bit(p.pid)
	p.noTrapHandler = p.is32Bit
	p.rescue, p.rescueFailed = 0, false
	p.unwatchWrites()
	p.code.drop()
	if next.executed {
		p.forgetBreakpoints()
		p.leaveSyscallStop(t)
		p.recordStop(t, Stop{Why: Executed})
		return errs
	}
	p.moveBreakpoints()
	return errs
}

// moveBreakpoints sets the breakpoints of the parent in the child.
func (p *Process) moveBreakpoints() {
	p.armed = false
	maps, _ := p.readMaps() // without them no breakpoint can be set
	for _, l := range append([]*location(nil), p.locations...) {
		closeEvents(l)
		l.inserted = false
		m, _ := maps.Find(l.address)
		err := p.install(l, m)
		if err == nil {
			continue
		}
		p.log.Warn("a breakpoint is lost in the child", "addr", l.address, "err", err)
		for _, b := range append([]*breakpoint(nil), l.breakpoints...) {
			_ = p.remove(b.ID) // it is there
		}
	}
}

// succeed goes on with a child if there is one to go on with. A process that has ended
// may have one whose first stop is still to come.
func (p *Process) succeed() error {
	if p.follow != FollowChild {
		return nil
	}
	if p.ended != nil && p.successor.id == 0 && len(p.children)+len(p.held) > 0 {
		ctx, cancel := context.WithTimeout(context.Background(), childTimeout)
		defer cancel()
		for p.successor.id == 0 && len(p.children)+len(p.held) > 0 {
			e, err := p.tracer.Next(ctx, p.pause)
			if err != nil {
				break
			}
			p.handleEvent(e)
		}
	}
	if p.successor.id == 0 {
		return nil
	}
	return p.goOnWithChild()
}

// releaseHeld interrupts held children, so that onHeld detaches from them.
func (p *Process) releaseHeld() {
	for child := range p.held {
		_ = p.tracer.Interrupt(child) // its end is an event
	}
}

// releaseSuccessor detaches from the child with which the process was to go on.
func (p *Process) releaseSuccessor() {
	if next := p.successor; next.id != 0 {
		p.successor = successor{}
		p.releaseChild(next.id, next.inherited)
	}
}
