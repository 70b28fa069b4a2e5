package proc

import (
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"golang.org/x/sys/unix"
)

// stopInCall brings the step that a thread is about to do, which is a system call,
// to the call's beginning, and ends all steps there.
func stopInCall(s *Stepper) error {
	if err := s.beginStep(); err != nil {
		return err
	}
	for procfs.ThreadStat(s.x.tracee.pid, s.t.id, procfs.StatState) != "t" {
		time.Sleep(time.Millisecond) // until it is there
	}
	return s.x.quiesce()
}

// A thread whose step has only come to the beginning of a system call when the
// steps end can be made to do calls, as any other.
func TestRestAtBeginningOfCall(t *testing.T) {
	program, p := attachInside(t, "forker.c", Options{})
	err := p.WithTracer(func() error {
		x := p.threads.byID[program.PID]
		return stopInCall(&Stepper{x: p.execution, ctx: t.Context(), t: x})
	})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := p.Inject(0, unix.SYS_GETPID); err != nil || int(got) != program.PID {
		t.Errorf("getpid = %d (%v), want %d", got, err, program.PID)
	}
	if err := p.Detach(t.Context()); err != nil {
		t.Error(err)
	}
	if got := program.Ask("fork"); got != "0 42 1" {
		t.Errorf("the program says %q", got)
	}
}

// The same where the call is vfork, which would wait for a child that stands still,
// and where a signal was put off. An interrupted vfork begins again instead.
func TestRestAtBeginningOfVfork(t *testing.T) {
	program, p := attachInside(t, "forker.c", Options{})
	program.Tell("vfork")
	err := p.Step(t.Context(), 0, func(s *Stepper) error {
		for {
			r, err := s.Regs()
			if err != nil {
				return err
			}
			if r.RAX == unix.SYS_VFORK && p.code.kindAt(r) == syscallCode {
				break
			}
			if _, err := s.Step(); err != nil {
				return err
			}
		}
		s.t.deferred = []signalled{{number: unix.SIGWINCH}}
		return stopInCall(s)
	})
	if err != nil {
		t.Error(err)
	}
	if err := p.Detach(t.Context()); err != nil {
		t.Error(err)
	}
	if got := program.Line(); got != "0 50 2" {
		t.Errorf("the program says %q", got)
	}
}
