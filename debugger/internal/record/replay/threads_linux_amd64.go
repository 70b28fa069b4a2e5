package replay

import (
	"fmt"
	"slices"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/xsave"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recfile"
)

// A replay has one process with one thread, which has the registers of the thread of the
// program that executes instructions at the position. The others are copies of registers.

// Thread returns the id of the current thread.
func (p *Player) Thread() int { return p.thread }

// Threads returns the ids of all threads, in ascending order.
func (p *Player) Threads() []int {
	ids := make([]int, 0, len(p.threads)+1)
	for id := range p.threads {
		ids = append(ids, id)
	}
	if !p.ended() {
		ids = append(ids, p.thread)
	}
	slices.Sort(ids)
	return ids
}

// ended reports whether the current thread has ended.
func (p *Player) ended() bool { return p.thread < 0 }

// addThreads adds the threads that an event has started.
func (p *Player) addThreads(e *recfile.Event) error {
	for _, t := range e.Threads {
		if _, ok := p.threads[t.ID]; ok || t.ID == p.thread || t.ID == 0 || len(p.threads) >= recfile.MaxThreads {
			return p.diverged("thread %d is started again", t.ID)
		}
		var regs ptrace.Regs
		recfile.SetRegisters(&regs, t.Registers)
		if regs.CS != recfile.LongMode {
			return p.diverged("thread %d has no 64-bit code", t.ID)
		}
		regs.OrigRAX = ptrace.NoSyscall
		vector, err := xsave.Own(t.Vector)
		if err != nil {
			return fmt.Errorf("thread %d: %w", t.ID, err)
		}
		p.threads[t.ID] = state{regs, vector}
	}
	return nil
}

// switchTo does what an event of kind Switch says.
func (p *Player) switchTo(id int) error {
	to, ok := p.threads[id]
	if !ok {
		return p.diverged("there is no thread %d", id)
	}
	delete(p.threads, id)
	if !p.ended() {
		vector, err := VectorState(p.tracer, p.run.Thread())
		if err != nil {
			return err
		}
		p.threads[p.thread] = state{p.run.Regs, vector}
	}
	p.thread = id
	p.run.Emulate(to.regs)
	p.event++
	return setVectorState(p.tracer, p.run.Thread(), to.vector)
}
