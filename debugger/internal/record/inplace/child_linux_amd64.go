package inplace

import (
	"encoding/binary"
	"errors"
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// A Child is a process that the program has created. It waits, not traced, in a system
// call, with all signals blocked, until [Child.Take]. After ten seconds it runs on, if its
// vdso has room for a few instructions.
type Child struct {
	PID int
	New bool // it has just begun to execute a program; else it is a copy of its parent

	Filtered bool // it has the filter of [CallBuffer.Use]

	regs ptrace.Regs
	mask uint64
	code uint64 // address of the code in which it waits, or 0
}

// children holds the processes that the program begins.
type children struct {
	runner  *Runner
	sharing map[int]bool   // those that are followed and have the memory of the process
	births  []ptrace.Event // of those that are followed, not handled yet
}

// handleAll handles the events of children that have come. It must not be called
// while an event of a thread of the process is waited for.
func (ch *children) handleAll() {
	for len(ch.births) > 0 {
		e := ch.births[0]
		ch.births = ch.births[1:]
		ch.handle(e)
	}
}

// handle handles an event of a child. One that has its parent's memory runs until it
// executes another program.
func (ch *children) handle(e ptrace.Event) {
	var err error
	switch {
	case e.Gone():
		delete(ch.sharing, e.Thread)
	case e.Kind == ptrace.Exec:
		delete(ch.sharing, e.Thread)
		err = ch.handOver(e.Thread, true)
	case ch.sharing[e.Thread]:
		err = ch.runner.tracer.Cont(e.Thread, e.Signal)
	case ch.sharesParent(e.Thread):
		if ch.sharing == nil {
			ch.sharing = make(map[int]bool)
		}
		ch.sharing[e.Thread] = true
		err = ch.runner.tracer.Cont(e.Thread, 0)
	default:
		err = ch.handOver(e.Thread, false)
	}
	if err != nil {
		_ = ch.runner.tracer.Detach(e.Thread, 0) // it may have been killed
	}
}

// sharesParent reports whether a new child has the memory of its parent.
func (ch *children) sharesParent(pid int) bool {
	var regs ptrace.Regs
	if ch.runner.tracer.Regs(pid, &regs) != nil {
		return true
	}
	flags := uint64(0)
	switch regs.OrigRAX {
	case unix.SYS_VFORK:
		return true
	case unix.SYS_CLONE:
		flags = regs.RDI
	case unix.SYS_CLONE3:
		var b [8]byte
		_, _ = ch.runner.memory.Read(regs.RDI, b[:]) // the kernel has read it
		flags = binary.LittleEndian.Uint64(b[:])
	}
	return flags&unix.CLONE_VM != 0
}

// handOver makes a stopped child wait for another tracer.
func (ch *children) handOver(pid int, isNew bool) error {
	if _, err := ch.runner.tracer.ToEventStop(pid, ch.runner.other); err != nil {
		return err
	}
	c := Child{PID: pid, New: isNew, Filtered: ch.runner.Buffer.used()}
	if !isNew {
		site, err := SyscallSite(pid)
		if err != nil {
			return err
		}
		inject := func(number uint64, args ...uint64) (uint64, error) {
			return ch.runner.tracer.Inject(pid, site, number, [6]uint64(append(args, 0, 0, 0, 0)), ch.runner.other)
		}
		if err := unmap(ch.runner.space.shared.mapped, inject); err != nil {
			return err
		}
	}
	var err error
	if c.mask, err = ch.runner.tracer.SigMask(pid); err != nil {
		return err
	}
	if err := ch.runner.tracer.Regs(pid, &c.regs); err != nil {
		return err
	}
	c.regs.OrigRAX = ptrace.NoSyscall
	if err := errors.Join(c.wait(ch.runner.tracer), ch.runner.tracer.Detach(pid, 0)); err != nil {
		return err
	}
	ch.runner.Follow(c)
	return nil
}

// Take traces the child, which is then in an event stop as its parent's tracer had found it.
// If the error is ErrRanOn, it is anywhere in the program, in an event stop, too.
func (c *Child) Take(tracer *ptrace.Tracer) error {
	if err := errors.Join(tracer.Seize(c.PID, ptrace.Options|ptrace.FilterEvents), tracer.Interrupt(c.PID)); err != nil {
		return err
	}
	for {
		e, err := tracer.Wait()
		switch {
		case err != nil:
			return err
		case e.Gone():
			return fmt.Errorf("process %d: %w", c.PID, ptrace.ErrGone)
		case e.Kind == ptrace.EventStop:
			return c.restore(tracer)
		}
		signal := syscall.Signal(0)
		if e.Kind == ptrace.SignalStop && e.Signal != unix.SIGSTOP { // it has run on
			signal = e.Signal
		}
		if err := tracer.Cont(c.PID, signal); err != nil {
			return err
		}
	}
}
