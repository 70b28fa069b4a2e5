package ptrace_test

import (
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// What the kernel fills in is the caller's variable even when the goroutine gets
// another stack on the way to the kernel. Each call is a little deeper than the
// one before, so that stacks grow in the midst of them.
func TestStackMovesOnTheWay(t *testing.T) {
	tracer := start(t)
	p := debuggertest.Start(t, "forker.c")
	p.AwaitSleep()
	stopOne(t, tracer, p.PID)
	tests := []struct {
		name string
		ask  func() (uint64, error)
	}{
		{"registers", func() (uint64, error) {
			var r ptrace.Regs
			err := tracer.Regs(p.PID, &r)
			return r.RIP, err
		}},
		{"mask", func() (uint64, error) {
			if err := tracer.SetSigMask(p.PID, 0x1234); err != nil {
				return 0, err
			}
			return tracer.SigMask(p.PID)
		}},
	}
	for _, test := range tests {
		do(t, tracer, func() error {
			want, err := test.ask()
			if err != nil {
				return err
			}
			if n := wrongBelow(2000, want, test.ask); n > 0 {
				t.Errorf("%s: %d of 2000 answers are wrong", test.name, n)
			}
			return nil
		})
	}
}

// wrongBelow calls ask at n depths and counts the answers that are not want.
//
//go:noinline
func wrongBelow(n int, want uint64, ask func() (uint64, error)) int {
	if n == 0 {
		return 0
	}
	wrong := 0
	if got, err := ask(); err != nil || got != want {
		wrong = 1
	}
	return wrong + wrongBelow(n-1, want, ask)
}
