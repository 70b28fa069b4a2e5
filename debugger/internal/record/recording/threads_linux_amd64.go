package recording

import (
	"context"
	"encoding/binary"
	"errors"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/record/inplace"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recfile"
	"github.com/triptych-mcp/triptych/debugger/internal/record/replay"
)

// slice returns the number of instructions that the current thread runs.
func (r *recorder) slice() int64 {
	return r.turns.slice(min(r.stretch.left(r.log.position()), r.late.left()))
}

// schedule makes another thread the current one, which can execute instructions.
//
// The kernel writes memory only while no thread executes instructions: otherwise a thread
// could read what was written before the position at which a replay writes it. So threads
// wait inside of the kernel for calls that write nothing, and otherwise only while all
// threads wait. Before another one runs, their calls are withdrawn, and they are made again
// when it is their turn.
func (r *recorder) schedule(ctx context.Context) error {
	for next := 0; ; {
		if err := r.run.Collect(); err != nil {
			return err
		}
		r.futexes.unparkOld()
		if next == 0 {
			next = r.turns.choose()
		}
		if next == 0 && r.futexes.unpark() {
			continue
		}
		if next == 0 {
			if ended, err := r.awaitOrEnd(ctx); ended || err != nil {
				return err
			}
			continue
		}
		if err := r.log.switchTo(next); err != nil {
			return err
		}
		blocked, err := r.completeCall()
		if err != nil || r.gone {
			return err
		}
		if next = 0; blocked {
			continue
		}
		current := r.run.Thread()
		if next, err = r.withdrawOthers(); err != nil {
			return err
		}
		if next != 0 {
			continue // the call of that thread has returned
		}
		r.turns.next()
		return errors.Join(r.log.switchTo(current), r.log.show(r.log.position()))
	}
}

// await waits until a thread returns from the kernel. It returns true if the
// process has ended.
func (r *recorder) await(ctx context.Context) (bool, error) {
	err := r.run.Await(ctx)
	switch {
	case errors.Is(err, ptrace.ErrWoken):
		return false, errStopped
	case err != nil || !r.run.Gone():
		return false, err
	}
	r.log.recorded = r.log.position()
	_, err = r.handleAll(r.run.Execute())
	return true, err
}

// completeCall makes the system call of the current thread, if it has one. It returns true
// if the call waits in the kernel.
func (r *recorder) completeCall() (blocked bool, err error) {
	c := r.log.current.call
	if c == nil {
		return false, nil
	}
	r.log.recorded = r.log.position()
	if c.woken {
		return false, r.futexes.returnWoken(c)
	}
	if err := r.adjuster.resume(c); err != nil {
		return false, err
	}
	stop, err := r.execute(c)
	if err == nil && stop.Kind == inplace.Signal {
		err = r.log.show(r.log.position())
	}
	stop, err = r.handleAll(stop, err)
	return stop.Kind == inplace.Blocked, err
}

// withdrawOthers withdraws the system calls of other threads that may write memory, or all if
// a segment is to begin. If one of them has returned, it returns the id of that thread.
func (r *recorder) withdrawOthers() (int, error) {
	current := r.run.Thread()
	for _, tid := range r.run.Threads() {
		t := r.log.threads[tid]
		if tid == current || !r.run.Waits(tid) || t == nil || t.call == nil || !t.call.mayWrite() && !r.segmentDue {
			continue
		}
		if err := r.log.switchTo(tid); err != nil {
			return 0, err
		}
		if done, err := r.adjuster.withdraw(t.call); !done || err != nil {
			return tid, err
		}
	}
	return 0, nil
}

// started adds a thread that a system call has started.
func (r *recorder) started(c *call) error {
	g, result := &c.regs, int64(r.run.Regs.RAX)
	if g.RAX == unix.SYS_SET_TID_ADDRESS {
		r.log.current.clear = g.RDI
		return nil
	}
	flags, clear := cloneFlags(r.run, g)
	if result <= 0 || flags&unix.CLONE_THREAD == 0 {
		return nil
	}
	if flags&unix.CLONE_CHILD_CLEARTID == 0 {
		clear = 0
	}
	parent := r.run.Thread()
	for _, tid := range r.run.Threads() {
		if r.log.threads[tid] != nil {
			continue
		}
		t := &thread{clear: clear}
		r.log.threads[tid] = t
		if err := r.run.Switch(tid); err != nil {
			return err
		}
		t.regs = r.run.Regs
		state, err := replay.VectorState(r.tracer, tid)
		if err := errors.Join(err, r.run.Switch(parent)); err != nil {
			return err
		}
		r.turns.scheduler.started()
		r.turns.cutAtAtomics()
		r.turns.next()
		c.event.Threads = append(c.event.Threads, recfile.Thread{ID: tid, Registers: recfile.ChangedRegisters(new(ptrace.Regs), &t.regs), Vector: state})
	}
	return nil
}

// cloneFlags returns the flags of a system call that makes a thread or a process, or 0, and
// the address of the id that the kernel clears at the end of a thread with
// CLONE_CHILD_CLEARTID.
func cloneFlags(run *inplace.Runner, g *ptrace.Regs) (flags, clear uint64) {
	switch g.RAX {
	case unix.SYS_CLONE:
		return g.RDI, g.R10
	case unix.SYS_CLONE3:
		var b [24]byte
		_, _ = run.Memory().Read(g.RDI, b[:]) // the kernel fails too
		return binary.LittleEndian.Uint64(b[:]), binary.LittleEndian.Uint64(b[16:])
	}
	return 0, 0
}

// endThread records the end of the current thread by exit(2), after which the process runs
// on.
func (r *recorder) endThread(e *recfile.Event) (inplace.Stop, error) {
	tid := r.run.Thread()
	e.Kind, e.Number = recfile.Exit, uint64(tid)
	spans := r.log.clearedAtEnd()
	old := make([][4]byte, len(spans))
	for n, at := range spans {
		_, _ = r.run.Memory().Read(at, old[n][:]) // the kernel does not write it either
	}
	stop, err := r.run.EndThread()
	if err != nil || stop.Kind != inplace.Done {
		return stop, err
	}
	for n, at := range spans {
		var now [4]byte
		if k, _ := r.run.Memory().Read(at, now[:]); k == len(now) && now != old[n] {
			e.Writes = append(e.Writes, recfile.Write{Address: at, Data: now[:]})
		}
	}
	delete(r.log.threads, tid)
	r.log.noteWritten(e.Writes)
	r.log.recorded = r.log.position()
	return inplace.Stop{Kind: inplace.Blocked}, r.log.out.Add(e)
}

// detachThread lets a thread run on by itself.
func (r *recorder) detachThread(tid int) error {
	if err := r.leaveCall(tid); err != nil {
		return err
	}
	return r.run.Detach()
}

// leaveCall makes a thread the current one of the Runner, outside of a system call that waits.
func (r *recorder) leaveCall(tid int) error {
	if err := r.run.Switch(tid); err != nil {
		return err
	}
	if t := r.log.threads[tid]; t != nil && t.call != nil {
		if r.run.Waits(tid) {
			if _, err := r.run.Withdraw(); err != nil {
				return err
			}
		}
		if err := r.adjuster.exchange(t.call); err != nil {
			return err
		}
		if t.call.woken {
			r.run.Skip(0)
		}
		if t.call.altered { // it is not one that the kernel restarts
			return r.adjuster.returnAltered(t.call)
		}
	}
	return nil
}
