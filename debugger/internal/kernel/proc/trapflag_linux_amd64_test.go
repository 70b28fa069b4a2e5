package proc_test

import (
	"testing"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
)

// stepSome does n steps of a thread, those into the handlers of signals too. It
// reports whether the thread has come to an address.
func stepSome(t *testing.T, p *proc.Process, n int, end uint64) bool {
	t.Helper()
	there := false
	err := p.Step(t.Context(), 0, func(s *proc.Stepper) error {
		for done := 0; done < n && !there; {
			outcome, err := s.Step()
			if err != nil {
				return err
			}
			r, err := s.Regs()
			if err != nil {
				return err
			}
			if there = r.RIP == end; outcome == proc.StepDone {
				done++
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return there
}

// stopForFlags stops a new flags program at the beginning of what it does.
func stopForFlags(t *testing.T, symbol string) (*debuggertest.Program, *proc.Process) {
	t.Helper()
	program := debuggertest.Start(t, "flags.c")
	p := attach(t, program, proc.Options{})
	for _, sig := range []unix.Signal{unix.SIGUSR1, unix.SIGUSR2} {
		if err := p.SetSignal(sig, proc.Pass); err != nil {
			t.Fatal(err)
		}
	}
	program.Tell("flags")
	stopAtMark(t, p, program.Symbol(symbol))
	return program, p
}

// requireNoFlag lets a process go and checks that it finds no trap flag.
func requireNoFlag(t *testing.T, program *debuggertest.Program, p *proc.Process) {
	t.Helper()
	if err := p.Detach(t.Context()); err != nil {
		t.Fatal(err)
	}
	requireUnharmed(t, program)
	if got := program.Line(); got != "0" {
		t.Errorf("the program finds %s trap flags, want 0", got)
	}
	if got := program.Ask("flags"); got != "0" {
		t.Errorf("after that the program finds %s trap flags, want 0", got)
	}
}

// However far a process was stepped through instructions that load and store the
// flags, it is let go without the flag of the steps.
func TestStepsOverFlags(t *testing.T) {
	every := 1
	if !sample.Whole() {
		every = 6
	}
	for n := 1; ; n += every {
		program, p := stopForFlags(t, "at_pushf")
		there := stepSome(t, p, n, program.Symbol("copied"))
		requireNoFlag(t, program, p)
		if there {
			t.Logf("%d instructions", n)
			return
		}
		if t.Failed() {
			t.Fatalf("after %d steps", n)
		}
	}
}

// The same when a signal comes just before such an instruction: one that has a
// handler, and one that is ignored. It is met by the second step, or put off.
func TestSignalsAtFlags(t *testing.T) {
	for _, at := range []string{"at_pushf", "at_popf", "at_iret", "at_syscall"} {
		for _, sig := range []unix.Signal{unix.SIGUSR1, unix.SIGUSR2} {
			for _, way := range []struct {
				name string
				do   func(*proc.Stepper) error
			}{
				{"let go", func(*proc.Stepper) error { return nil }},
				{"put off", func(s *proc.Stepper) error { s.DeferSignal(); return steps(s, 3) }},
				{"put off and let go", func(s *proc.Stepper) error { s.DeferSignal(); return nil }},
				{"delivered", func(s *proc.Stepper) error { return steps(s, 1) }},
				{"delivered and on", func(s *proc.Stepper) error { return steps(s, 4) }},
			} {
				t.Run(at+" "+sig.String()+" "+way.name, func(t *testing.T) {
					sample.Case(t)
					program, p := stopForFlags(t, at)
					if err := unix.Tgkill(program.PID, program.PID, sig); err != nil {
						t.Fatal(err)
					}
					err := p.Step(t.Context(), 0, func(s *proc.Stepper) error {
						if outcome, err := s.Step(); err != nil || outcome != proc.StepSignal {
							t.Fatalf("%v, %v, want the signal", outcome, err)
						}
						return way.do(s)
					})
					if err != nil {
						t.Fatal(err)
					}
					requireNoFlag(t, program, p)
				})
			}
		}
	}
}

func steps(s *proc.Stepper, n int) error {
	for range n {
		if outcome, err := s.Step(); err != nil || outcome != proc.StepDone {
			return err
		}
	}
	return nil
}

// The step over popf is not taken for a flag of the program's when the thread is
// moved elsewhere and steps there.
func TestMoveAwayFromPopf(t *testing.T) {
	program, p := stopForFlags(t, "at_popf")
	if err := unix.Tgkill(program.PID, program.PID, unix.SIGUSR1); err != nil {
		t.Fatal(err)
	}
	err := p.Step(t.Context(), 0, func(s *proc.Stepper) error {
		if outcome, err := s.Step(); err != nil || outcome != proc.StepSignal {
			t.Fatalf("%v, %v, want the signal", outcome, err)
		}
		r, err := s.Regs()
		if err != nil {
			return err
		}
		moved := *r
		moved.RIP, moved.RSP = program.Symbol("at_pushf"), r.RSP+8
		if err := s.SetRegs(moved); err != nil {
			return err
		}
		return steps(s, 2)
	})
	if err != nil {
		t.Fatal(err)
	}
	requireNoFlag(t, program, p)
}
