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
// fork and exec know only PTRACE_TRACEME, whose threads cannot be interrupted;
// so the new process is let go into a SIGSTOP, seized there, and its SIGCONT
// swallowed.
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

// adopt turns a child that traces itself into a seized one.
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
	return t.swallow(pid)
}

// expect waits until a child has stopped by a signal.
func (t *Tracer) expect(pid int, sig syscall.Signal) error {
	status, err := wait4(pid)
	if err == nil && (!status.Stopped() || status.StopSignal() != sig) {
		err = fmt.Errorf("it has status %#x instead of a stop by %v", uint32(status), sig)
	}
	return err
}

// swallow lets the child run into the SIGCONT that was sent to it, and leaves
// it there without the signal.
func (t *Tracer) swallow(pid int) error {
	for {
		status, err := wait4(pid)
		if err != nil {
			return err
		}
		switch e := Decode(pid, uint32(status)); {
		case e.Gone():
			return ErrGone
		case e.Kind == SignalStop && e.Signal == unix.SIGCONT:
			_, err := t.Settle(pid, func(Event) {})
			return err
		}
		if err := t.Cont(pid, 0); err != nil {
			return err
		}
	}
}

// wait4 waits for a change of one child.
func wait4(pid int) (unix.WaitStatus, error) {
	var status unix.WaitStatus
	for {
		_, err := unix.Wait4(pid, &status, unix.WALL|unix.WUNTRACED, nil)
		if err != unix.EINTR {
			return status, err
		}
	}
}

// reap kills a child and takes its status away.
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
