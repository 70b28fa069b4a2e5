package ptrace

import (
	"errors"
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"
)

// Launch starts a program and returns its process id. The program is seized
// with options and stopped before its first instruction.
//
// syscall.ForkExec supports only PTRACE_TRACEME, whose tracees cannot be
// interrupted. So Launch detaches with SIGSTOP, seizes the stopped process, and
// continues it to the SIGCONT that it sends, which it drops.
func (t *Tracer) Launch(path string, argv []string, attr *syscall.ProcAttr, options int) (int, error) {
	if attr.Sys == nil {
		attr.Sys = new(syscall.SysProcAttr)
	}
	attr.Sys.Ptrace = true
	pid, err := syscall.ForkExec(path, argv, attr)
	if err != nil {
		return 0, err
	}
	if err := t.adopt(pid, options); err != nil {
		return 0, errors.Join(fmt.Errorf("take over the new process %d: %w", pid, err), t.reap(pid))
	}
	return pid, nil
}

// adopt replaces PTRACE_TRACEME of a child by PTRACE_SEIZE.
func (t *Tracer) adopt(pid, options int) error {
	if err := t.expect(pid, unix.SIGTRAP); err != nil {
		return err
	}
	if err := t.Detach(pid, unix.SIGSTOP); err != nil {
		return err
	}
	if err := t.expect(pid, unix.SIGSTOP); err != nil {
		return err
	}
	if err := t.Seize(pid, options); err != nil {
		return err
	}
	if err := unix.Kill(pid, unix.SIGCONT); err != nil {
		return err
	}
	return t.awaitSIGCONT(pid)
}

// expect waits for a stop of a child by a signal.
func (t *Tracer) expect(pid int, sig syscall.Signal) error {
	status, err := wait4(pid)
	if err == nil && (!status.Stopped() || status.StopSignal() != sig) {
		err = fmt.Errorf("it has status %#x instead of a stop by %v", uint32(status), sig)
	}
	return err
}

// awaitSIGCONT continues the child to the stop for the SIGCONT that was sent to it,
// and drops the signal.
func (t *Tracer) awaitSIGCONT(pid int) error {
	for {
		status, err := wait4(pid)
		if err != nil {
			return err
		}
		switch e := Decode(pid, uint32(status)); {
		case e.Gone():
			return ErrGone
		case e.Kind == SignalStop && e.Signal == unix.SIGCONT:
			_, err := t.ToEventStop(pid, func(Event) {})
			return err
		}
		if err := t.Cont(pid, 0); err != nil {
			return err
		}
	}
}

// wait4 waits for a stop or the end of a child.
func wait4(pid int) (unix.WaitStatus, error) {
	var status unix.WaitStatus
	for {
		_, err := unix.Wait4(pid, &status, unix.WALL|unix.WUNTRACED, nil)
		if err != unix.EINTR {
			return status, err
		}
	}
}

// reap kills a child and waits for its end.
func (t *Tracer) reap(pid int) error {
	err := unix.Kill(pid, unix.SIGKILL)
	for err == nil {
		var status unix.WaitStatus
		status, err = wait4(pid)
		if status.Exited() || status.Signaled() {
			break
		}
	}
	return err
}
