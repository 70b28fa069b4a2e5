package proc_test

import (
	"context"
	"errors"
	"io"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
)

// closed counts how often it was closed.
type closed int

func (c *closed) Close() error {
	*c++
	return nil
}

// What a borrower keeps is there in the next loan, and is closed with the process.
func TestLendKeeps(t *testing.T) {
	for name, end := range map[string]func(p *proc.Process) error{
		"detach": func(p *proc.Process) error { return p.Detach(context.Background()) },
		"end": func(p *proc.Process) error {
			if err := unix.Kill(p.ID(), unix.SIGKILL); err != nil {
				return err
			}
			_, err := p.Resume(context.Background())
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := attach(t, debuggertest.Start(t, "threads.c", "1"), proc.Options{})
			kept := new(closed)
			for _, want := range []io.Closer{nil, kept} {
				err := p.Lend(t.Context(), func(l *proc.Loan) error {
					if l.Kept != want {
						t.Errorf("kept is %v, want %v", l.Kept, want)
					}
					l.Kept = kept
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
			}
			if *kept != 0 {
				t.Errorf("closed %d times while the process was there", *kept)
			}
			if err := end(p); err != nil {
				t.Fatal(err)
			}
			if *kept != 1 {
				t.Errorf("closed %d times", *kept)
			}
		})
	}
}

// A signal that was reported is not reported again after a loan whose borrower could not let the
// process run.
func TestLendKeepsReportedSignal(t *testing.T) {
	program := debuggertest.Start(t, "ticker.c")
	p := attach(t, program, proc.Options{})
	if err := unix.Kill(program.PID, unix.SIGUSR1); err != nil {
		t.Fatal(err)
	}
	if stop := resume(t, p); stop.Why != proc.Signalled || stop.Signal != unix.SIGUSR1 {
		t.Fatalf("stop %+v, want SIGUSR1", stop)
	}
	failed := errors.New("not translated")
	if err := p.Lend(t.Context(), func(*proc.Loan) error { return failed }); !errors.Is(err, failed) {
		t.Fatalf("%v, want %v", err, failed)
	}
	b, err := p.SetBreakpoint(proc.BreakpointSpec{Address: program.Symbol("on_signal")})
	if err != nil {
		t.Fatal(err)
	}
	if stop := resume(t, p); stop.Breakpoint != b.ID {
		t.Errorf("stop %+v, want the handler", stop)
	}
	if err := p.Detach(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := program.Ask("signals"); got[:2] != "1 " {
		t.Errorf("the program counted %q, want one signal", got)
	}
	requireUnharmed(t, program)
}
