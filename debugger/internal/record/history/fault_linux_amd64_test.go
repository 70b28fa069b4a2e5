package history_test

import (
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
)

// Where a thread stands at a fault, its registers are the same when that was just
// seen and when it is seen again. The processor sets the resume flag there (Intel
// SDM volume 3, 18.3.1.1), but not in a thread that is about to fault.
func TestRegistersAtFault(t *testing.T) {
	p, err := proc.Launch(t.Context(), proc.Spec{Path: debuggertest.Build(t, "wild.c"), Args: []string{"store"}}, proc.Options{})
	if err != nil {
		t.Skip("launching is not possible here: ", err)
	}
	t.Cleanup(func() {
		_ = p.Kill()
		_ = p.Detach(t.Context())
	})
	r, err := history.New(history.NewTarget(p), history.Options{})
	if err != nil {
		t.Fatal(err)
	}
	result, err := r.Run(t.Context(), 0, history.Limits{})
	if err != nil || result.Why != history.GotSignal || result.Signal != syscall.SIGSEGV {
		t.Fatalf("%+v, %v, want SIGSEGV", result, err)
	}
	stepProcess, err := p.Regs(0)
	if err != nil {
		t.Fatal(err)
	}
	h := r.History()
	for _, n := range []uint64{1, 100} {
		if _, err := h.Back(n); err != nil {
			t.Fatal(err)
		}
		if _, err := h.Forward(n); err != nil {
			t.Fatal(err)
		}
		seen, err := h.View().Regs(0)
		if err != nil {
			t.Fatal(err)
		}
		seen.OrigRAX = stepProcess.OrigRAX // it tells how the thread was stopped
		if diff := cmp.Diff(stepProcess, seen); diff != "" {
			t.Errorf("after %d steps back and forward (-live +seen):\n%s", n, diff)
		}
	}
	if stepProcess.EFlags&ptrace.ResumeFlag != 0 {
		t.Errorf("eflags are %#x, with the resume flag", stepProcess.EFlags)
	}
}
