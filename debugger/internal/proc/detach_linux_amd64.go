package proc

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/ptrace"
)

// Detach lets the process run on as if it had never been debugged: breakpoints
// are out, signals that it has yet to get are delivered. A Resume or Step that
// is on ends first. A process that has ended is only forgotten. Further calls
// do nothing.
func (p *Process) Detach(ctx context.Context) error {
	if err := p.retire(ctx); err != nil {
		return ignoreDetached(err)
	}
	err := p.tracer.Do(context.WithoutCancel(ctx), func() error {
		p.unpin()
		p.unwatchWrites()
		if p.ended == nil {
			return errors.Join(p.rest(), p.releaseChildren(), p.deliverTraps(), p.restoreTrapHandler(), p.rest(), p.leaveRescue(), p.letAllGo())
		}
		return nil
	})
	p.close()
	if p.launched && p.ended == nil {
		go await(p.pid)
	}
	return err
}

func ignoreDetached(err error) error {
	if errors.Is(err, ErrDetached) {
		return nil
	}
	return err
}

// await takes the status of a launched program that was let go, so that it
// does not stay a zombie. It ends with that program, or with this one. Nothing
// else is waited for: the program may be attached to again, and each way to wait
// for a process takes the stops of one that this program traces, too. A system
// without pidfd_open(2) keeps the zombie.
func await(pid int) {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return
	}
	defer func() { _ = unix.Close(fd) }()
	for {
		_, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, -1)
		if err == nil {
			break
		}
		if err != unix.EINTR {
			return
		}
	}
	for tracedHere(fmt.Sprintf("/proc/%d", pid)) { // its tracer wants to know how it has ended
		time.Sleep(awaitTracer)
	}
	_ = unix.Waitid(unix.P_PIDFD, fd, nil, unix.WEXITED|unix.WNOHANG|unix.WALL, nil) // the tracer may have taken it
}

// awaitTracer is the time that the tracer of an ended process gets to notice
// its end.
const awaitTracer = 50 * time.Millisecond

// tracedHere says whether a thread of this program traces a process or thread,
// which is given by its folder in /proc.
func tracedHere(folder string) bool {
	s, err := procfs.ReadStatus(folder + "/status")
	if err != nil || s.Number("TracerPid") == 0 {
		return false
	}
	_, err = os.Stat(fmt.Sprintf("/proc/self/task/%d", s.Number("TracerPid"))) // it is the thread's number
	return err == nil
}

// retire stops what is on and keeps anything new from beginning.
func (p *Process) retire(ctx context.Context) error {
	stop := context.AfterFunc(ctx, p.idle.Broadcast)
	defer stop()
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.running && !p.detached {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		p.requestPause()
		p.idle.Wait()
	}
	if p.detached {
		return ErrDetached
	}
	p.endDriftLocked()
	p.detached = true
	return nil
}

// close gives back what the Process has used.
func (p *Process) close() {
	for _, l := range p.locations {
		closeEvents(l)
	}
	p.guard.Close()
	_ = p.claim.Close()
	_ = p.memory.Close()
	p.tracer.Close()
}

// childTimeout limits the time that a child may take to reach its first stop.
const childTimeout = time.Second

// releaseChildren waits for children that were announced and lets them go.
func (p *Process) releaseChildren() error {
	ctx, cancel := context.WithTimeout(context.Background(), childTimeout)
	defer cancel()
	for len(p.children) > 0 && p.ended == nil {
		e, err := p.next(ctx, nil)
		if err != nil {
			return fmt.Errorf("children of the process do not stop: %w", err)
		}
		p.absorb(e)
	}
	return nil
}

// letAllGo detaches from every thread with the signal that it is about to get.
func (p *Process) letAllGo() error {
	var errs error
	for _, id := range p.ids() {
		t := p.threads[id]
		if t.running {
			continue
		}
		p.swallowTrap(t)
		if err := p.tracer.Detach(id, t.signal.number); err != nil && !errors.Is(err, ptrace.ErrGone) {
			errs = errors.Join(errs, err)
		}
	}
	return errs
}

// swallowTrap takes away the SIGTRAP of one of our breakpoints that waits
// because the thread blocks it: it would kill the process. Threads that do not
// block it have got it by now, see catchUp.
func (p *Process) swallowTrap(t *thread) {
	s, err := procfs.ReadStatus(fmt.Sprintf("/proc/%d/task/%d/status", p.pid, t.id))
	if err != nil || s.Bits("SigPnd")&trapBit == 0 || t.signal.number != 0 {
		return
	}
	mask, err := p.tracer.SigMask(t.id)
	if err != nil {
		return
	}
	if mask&trapBit != 0 && p.tracer.SetSigMask(t.id, ^uint64(trapBit)) != nil || p.tracer.Cont(t.id, 0) != nil {
		return
	}
	for t.running = true; t.running && p.ended == nil; {
		e, err := p.tracer.Wait()
		if err != nil {
			return
		}
		if e.Thread == t.id && e.Kind == ptrace.SignalStop && e.Signal == unix.SIGTRAP {
			t.running, t.trap = false, true
			p.settle(t)
		} else {
			p.absorb(e)
		}
	}
	_ = p.tracer.SetSigMask(t.id, mask)
}

// Kill ends a program that this one launched. It may be called at any time; a
// Resume or Step that is on returns the end.
func (p *Process) Kill() error {
	if !p.launched {
		return &PermissionError{PID: p.pid, Cause: "it was not launched by the debugger, which therefore does not kill it"}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.detached {
		return ErrDetached
	}
	if p.running {
		return unix.Kill(p.pid, unix.SIGKILL)
	}
	p.endDriftLocked()
	return p.tracer.Do(context.Background(), p.killNow)
}

// killNow kills a process that stands still and waits for its end.
func (p *Process) killNow() error {
	if p.ended != nil {
		return nil
	}
	if err := unix.Kill(p.pid, unix.SIGKILL); err != nil {
		return err
	}
	p.awaitEnd()
	if p.ended == nil {
		return fmt.Errorf("process %d does not end", p.pid)
	}
	return nil
}

// awaitEnd waits for the end of a process that was killed.
func (p *Process) awaitEnd() {
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	for p.ended == nil {
		e, err := p.next(ctx, nil)
		if err != nil {
			return
		}
		if e.Gone() || p.threads[e.Thread] == nil {
			p.absorb(e)
		}
	}
}
