package history_test

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/xsave"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
)

// A stretch that ran freely is one position: back over it everything is as at
// the stop before it, and the way says that it was not recorded.
func TestResume(t *testing.T) {
	for _, part := range []string{"text", "memory", "threads", "signals"} {
		t.Run(part, func(t *testing.T) {
			s := start(t, build(t, "-O1"), part)
			for _, sig := range []syscall.Signal{syscall.SIGUSR1, syscall.SIGUSR2} {
				if err := s.process.SetSignal(sig, proc.Pass); err != nil {
					t.Fatal(err)
				}
			}
			r := s.recorder(history.Options{})
			moments := []moment{s.stepProcess(0, 0)}
			if _, err := r.Step(t.Context(), 0, 2); err != nil {
				t.Fatal(err)
			}
			moments = append(moments, s.stepProcess(2, 0))
			b, err := s.process.SetBreakpoint(proc.BreakpointSpec{Address: s.end, Once: true})
			if err != nil {
				t.Fatal(err)
			}
			stop, err := r.Resume(t.Context())
			if err != nil || stop.Breakpoint != b.ID {
				t.Fatalf("%+v, %v", stop, err)
			}
			moments = append(moments, s.stepProcess(3, 0))
			if _, err := r.Step(t.Context(), 0, 3); err != nil {
				t.Fatal(err)
			}
			moments = append(moments, s.stepProcess(6, 0))
			s.there(r, moments)
			h := r.History()
			if _, err := h.Seek(6); err != nil {
				t.Fatal(err)
			}
			traversal, err := h.Back(4)
			if err != nil || len(traversal.Gaps) != 1 || traversal.Gaps[0].Position != 2 || traversal.Gaps[0].Note == "" {
				t.Errorf("%+v, %v, want one gap at 2", traversal, err)
			}
		})
	}
}

// When there is too much memory to be copied, history begins at the stop and
// says so.
func TestResumeTooLarge(t *testing.T) {
	s := start(t, build(t, "-O1"), "text")
	r := s.recorder(history.Options{MaxSnapshot: 1 << 12})
	if _, err := r.Step(t.Context(), 0, 2); err != nil {
		t.Fatal(err)
	}
	if _, err := s.process.SetBreakpoint(proc.BreakpointSpec{Address: s.end}); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Resume(t.Context()); err != nil {
		t.Fatal(err)
	}
	h := r.History()
	if h.Oldest() != 3 || h.End() != 3 || h.View().PC() != s.end {
		t.Errorf("positions %d to %d at %#x: %s", h.Oldest(), h.End(), h.View().PC(), h.StartReason())
	}
	if _, err := h.Back(1); !errors.Is(err, history.ErrNoHistory) {
		t.Errorf("back: %v", err)
	}
}

// A variable's value comes from the last write to it, and conditions see memory
// that so far only the interpreter has written.
func TestLastWriteOfVariable(t *testing.T) {
	for _, single := range []bool{true, false} {
		s := start(t, build(t, "-O0"), "calls")
		total := s.program.Symbol("total")
		r := s.recorder(history.Options{Single: single})
		value := func(v *history.View) uint64 {
			var b [8]byte
			if _, err := v.ReadMemory(total, b[:]); err != nil {
				t.Fatal(err)
			}
			return binary.LittleEndian.Uint64(b[:])
		}
		h := r.History()
		first := value(h.View())
		result, err := r.Run(t.Context(), 0, history.Limits{Until: func(v *history.View) bool { return value(v) > first+1 }})
		if err != nil || result.Why != history.ConditionMet {
			t.Fatalf("%+v, %v", result, err)
		}
		last := value(h.View())
		write, ok, err := h.Steps.LastWrite(t.Context(), total, 8)
		if err != nil || !ok || write.Position != result.Position-1 || write.Thread != result.Thread {
			t.Fatalf("%+v, %v, %v, want position %d", write, ok, err, result.Position-1)
		}
		if _, err := h.Seek(write.Position); err != nil || value(h.View()) != first+1 {
			t.Errorf("before the write it is %d, %v, want %d, then %d", value(h.View()), err, first+1, last)
		}
		// Forward goes through the past, and then on.
		if result, err := r.Step(t.Context(), 0, 3); err != nil || result.Replayed.Steps != 1 || result.Steps != 2 {
			t.Errorf("%+v, %v", result, err)
		}
		hit, err := h.ReverseContinue(t.Context(), func(v *history.View) bool { return value(v) == first })
		if err != nil || !hit {
			t.Errorf("%v, %v", hit, err)
		}
		s.requireUnharmed()
	}
}

// Changes that the debugger makes are in the history too.
func TestChanges(t *testing.T) {
	s := start(t, build(t, "-O0"), "text")
	left := s.program.Symbol("left")
	r := s.recorder(history.Options{})
	moments := []moment{s.stepProcess(0, 0)}
	if _, err := r.WriteMemory(left, []byte("changed")); err != nil {
		t.Fatal(err)
	}
	moments = append(moments, s.stepProcess(1, 0))
	regs, err := s.process.Regs(0)
	if err != nil {
		t.Fatal(err)
	}
	regs.R15 = 77
	if err := r.SetRegs(0, regs); err != nil {
		t.Fatal(err)
	}
	moments = append(moments, s.stepProcess(2, 0))
	state, err := s.process.XState(0, nil)
	if err != nil {
		t.Fatal(err)
	}
	state = slices.Clone(state)
	copy(xsave.Machine().Bytes(state, xsave.XMM, 3), "sixteen bytes...")
	xsave.Mark(state, xsave.XMM, 3)
	if err := r.SetXState(0, state); err != nil {
		t.Fatal(err)
	}
	moments = append(moments, s.stepProcess(3, 0))
	s.there(r, moments)
	if got, err := s.process.XState(0, nil); err != nil || string(xsave.Machine().Bytes(got, xsave.XMM, 3)) != "sixteen bytes..." {
		t.Errorf("xmm3 of the process: %q, %v", xsave.Machine().Bytes(got, xsave.XMM, 3), err)
	}
}

// Steps stop before the process ends, because its history ends with it.
func TestExit(t *testing.T) {
	s := start(t, build(t, "-O1"), "leave")
	r := s.recorder(history.Options{})
	result, err := r.Run(t.Context(), 0, history.Limits{})
	if err != nil || result.Why != history.Exiting {
		t.Fatalf("%+v, %v", result, err)
	}
	if _, err := r.History().Back(result.Steps); err != nil {
		t.Error(err)
	}
	if result, err = r.Run(t.Context(), 0, history.Limits{}); err != nil || result.Why != history.Exiting && result.Why != history.ProcessEnded {
		t.Fatalf("%+v, %v", result, err)
	}
	if result.Why == history.Exiting {
		result, err = r.Run(t.Context(), 0, history.Limits{})
	}
	if err != nil || result.Why != history.ProcessEnded {
		t.Fatalf("%+v, %v", result, err)
	}
	if stop, ok := s.process.End(); !ok || stop.Status != 5 {
		t.Errorf("%+v, %v, want status 5", stop, ok)
	}
}

// Another program begins a history of its own.
func TestExec(t *testing.T) {
	s := start(t, build(t, "-O1"), "replace")
	r := s.recorder(history.Options{})
	result, err := r.Run(t.Context(), 0, history.Limits{})
	if err != nil || result.Why != history.Executed {
		t.Fatalf("%+v, %v", result, err)
	}
	h := r.History()
	at := h.End()
	if h.Oldest() != at || h.StartReason() != "another program was begun" {
		t.Errorf("positions %d to %d: %s", h.Oldest(), at, h.StartReason())
	}
	if _, err := r.Step(t.Context(), 0, 100); err != nil || h.End() != at+100 {
		t.Errorf("%v, positions to %d, want %d", err, h.End(), at+100)
	}
}

// A run ends when its time is up, be it that steps never end or that a call
// never does.
func TestLimits(t *testing.T) {
	for _, part := range []string{"spin", "wait"} {
		s := start(t, build(t, "-O0"), part)
		r := s.recorder(history.Options{})
		began := time.Now()
		result, err := r.Run(t.Context(), 0, history.Limits{Time: 50 * time.Millisecond})
		if err != nil || result.Why != history.TimedOut {
			t.Fatalf("%s: %+v, %v", part, result, err)
		}
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("%s: it took %v", part, took)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		result, err = r.Run(ctx, 0, history.Limits{Time: time.Minute})
		if cancel(); err != nil || result.Why != history.Paused {
			t.Errorf("%s: %+v, %v", part, result, err)
		}
	}
}
