package proc_test

import (
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
)

// stopInTick attaches to a program with one thread that counts, and stops it
// there.
func stopInTick(b *testing.B) *proc.Process {
	b.Helper()
	program := debuggertest.Start(b, "threads.c", "1")
	p := attach(b, program, proc.Options{})
	set(b, p, proc.BreakpointSpec{Address: program.Mark("tick"), Once: true})
	resume(b, p)
	return p
}

func BenchmarkStep(b *testing.B) {
	p := stopInTick(b)
	b.ResetTimer()
	err := p.Step(b.Context(), 0, func(s *proc.Stepper) error {
		for range b.N {
			if _, err := s.Step(); err != nil {
				return err
			}
			if _, err := s.Regs(); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
}

func BenchmarkStepInstruction(b *testing.B) {
	p := stopInTick(b)
	for b.Loop() {
		if _, err := p.StepInstruction(b.Context(), 0); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkBreakpoint(b *testing.B) {
	for _, kind := range kinds {
		b.Run(kind.name, func(b *testing.B) {
			program := debuggertest.Start(b, "threads.c", "1")
			p := attach(b, program, kind.options)
			set(b, p, proc.BreakpointSpec{Address: program.Mark("tick")})
			for b.Loop() {
				resume(b, p)
			}
		})
	}
}

func BenchmarkAttach(b *testing.B) {
	for _, name := range []string{"threads.c", "busy.go"} {
		b.Run(name, func(b *testing.B) {
			program := debuggertest.Start(b, name)
			for b.Loop() {
				p, err := proc.Attach(b.Context(), program.PID, proc.Options{})
				if err != nil {
					b.Fatal(err)
				}
				b.StopTimer()
				if err := p.Detach(b.Context()); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
			}
		})
	}
}
