package proc

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// Detach removes all breakpoints, delivers deferred signals and lets the process
// continue as if it had never been debugged. A current Resume or Step is paused
// first. Further calls do nothing.
func (p *Process) Detach(ctx context.Context) error {
	if err := p.access.beginDetach(ctx); err != nil {
		return ignoreDetached(err)
	}
	err := p.tracer.Do(context.WithoutCancel(ctx), func() error {
		p.threads.unpin()
		p.writes.unwatch()
		p.children.mode = FollowParent
		if p.tracee.ended == nil {
			return errors.Join(p.execution.quiesce(), p.events.releaseChildren(), p.execution.letGo())
		}
		return p.events.releaseChildren()
	})
	p.close()
	if p.tracee.launched && p.tracee.ended == nil {
		go reapLater(p.tracee.pid)
	}
	return err
}

// letGo removes what the debugger has changed and detaches from all threads.
func (x *execution) letGo() error {
	return errors.Join(x.quiesce(), x.traps.deliver(), x.traps.restore(), x.quiesce(), x.rescue.uninstall(), x.events.detachAll())
}

func ignoreDetached(err error) error {
	if errors.Is(err, ErrDetached) {
		return nil
	}
	return err
}

// reapLater reaps a launched program after Detach. It returns when the program has
// ended. It polls a pidfd, because the program may be attached to again, and
// wait(2) would then consume its ptrace stops. Without pidfd_open(2) the program
// stays a zombie.
func reapLater(pid int) {
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
	for tracedHere(fmt.Sprintf("/proc/%d", pid)) { // its tracer reads the exit status first
		time.Sleep(awaitTracer)
	}
	_ = unix.Waitid(unix.P_PIDFD, fd, nil, unix.WEXITED|unix.WNOHANG|unix.WALL, nil) // fails if the tracer has reaped it
}

// awaitTracer is the interval at which reapLater checks whether a tracer has read
// the exit status.
const awaitTracer = 50 * time.Millisecond

// tracedHere reports whether this program traces a process or thread, which is
// given by its folder in /proc.
func tracedHere(folder string) bool {
	s, err := procfs.ReadStatus(folder + "/status")
	if err != nil || s.Number("TracerPid") == 0 {
		return false
	}
	_, err = os.Stat(fmt.Sprintf("/proc/self/task/%d", s.Number("TracerPid"))) // TracerPid is a thread id
	return err == nil
}

// close releases the resources of the Process.
func (p *Process) close() {
	for _, l := range p.breakpoints.locations {
		closeEvents(l)
	}
	p.tracee.closeKept()
	p.rescue.guard.Close()
	_ = p.rescue.claim.Close()
	_ = p.tracee.memory.Close()
	p.tracer.Close()
}

// releaseChildren waits for announced children and detaches from them.
func (ev *events) releaseChildren() error {
	ctx, cancel := context.WithTimeout(context.Background(), childTimeout)
	defer cancel()
	ev.children.releaseSuccessor()
	ev.children.interruptHeld()
	for len(ev.children.announced)+len(ev.children.held) > 0 {
		e, err := ev.next(ctx, nil)
		if errors.Is(err, ErrExited) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("children of the process do not stop: %w", err)
		}
		ev.handle(e)
	}
	return nil
}

// detachAll detaches from all threads, with the signals of their stops.
func (ev *events) detachAll() error {
	var errs error
	for _, id := range ev.threads.ids() {
		t := ev.threads.byID[id]
		if t.running {
			continue
		}
		ev.dropPendingTrap(t)
		if err := ev.tracer.Detach(id, t.signal.number); err != nil && !errors.Is(err, ptrace.ErrGone) {
			errs = errors.Join(errs, err)
		}
	}
	return errs
}

// dropPendingTrap consumes a SIGTRAP of one of our breakpoints that is pending
// because the thread blocks it. It would kill the process after the detach. For
// threads that do not block SIGTRAP see deliverPendingTraps.
func (ev *events) dropPendingTrap(t *thread) {
	s, err := procfs.ReadStatus(fmt.Sprintf("/proc/%d/task/%d/status", ev.tracee.pid, t.id))
	if err != nil || s.Bits("SigPnd")&trapBit == 0 || t.signal.number != 0 {
		return
	}
	mask, err := ev.tracer.SigMask(t.id)
	if err != nil {
		return
	}
	if mask&trapBit != 0 && ev.tracer.SetSigMask(t.id, ^uint64(trapBit)) != nil || ev.tracer.Cont(t.id, 0) != nil {
		return
	}
	for t.running = true; t.running && ev.tracee.ended == nil; {
		e, err := ev.tracer.Wait()
		if err != nil {
			return
		}
		if e.Thread == t.id && e.Kind == ptrace.SignalStop && e.Signal == unix.SIGTRAP {
			t.running, t.trap = false, true
			ev.threads.leaveTrap(t)
		} else {
			ev.handle(e)
		}
	}
	_ = ev.tracer.SetSigMask(t.id, mask)
}

// Kill kills a program that this one launched. It may be called at any time; a
// current Resume or Step then returns the end of the process.
func (p *Process) Kill() error {
	if !p.tracee.launched {
		return &PermissionError{PID: p.tracee.pid, Cause: "it was not launched by the debugger, which therefore does not kill it"}
	}
	p.access.mu.Lock()
	defer p.access.mu.Unlock()
	if p.access.detached {
		return ErrDetached
	}
	if p.access.running {
		return unix.Kill(p.tracee.pid, unix.SIGKILL)
	}
	p.access.endFreeRunLocked()
	return p.tracer.Do(context.Background(), p.events.kill)
}

// kill kills a stopped process and waits for its end.
func (ev *events) kill() error {
	if ev.tracee.ended != nil {
		return nil
	}
	if err := unix.Kill(ev.tracee.pid, unix.SIGKILL); err != nil {
		return err
	}
	ev.awaitKilled()
	if ev.tracee.ended == nil {
		return fmt.Errorf("process %d does not end", ev.tracee.pid)
	}
	return nil
}

// awaitKilled waits for the end of a process that was killed.
func (ev *events) awaitKilled() {
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	for ev.tracee.ended == nil {
		e, err := ev.next(ctx, nil)
		if err != nil {
			return
		}
		if e.Gone() || ev.threads.byID[e.Thread] == nil {
			ev.handle(e)
		}
	}
}
