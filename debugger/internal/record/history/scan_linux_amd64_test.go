package history_test

import (
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest/recordtest"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
)

// Transitions have the registers that the view shows at their positions, in both
// directions and from any position of the view.
func TestTransitions(t *testing.T) {
	h := recordtest.Main(t, debuggertest.Build(t, "plain.c")).Target.History
	type pointers struct{ pc, sp, rax uint64 }
	var want []pointers // by position
	for position := h.Oldest(); position <= h.End(); position++ {
		if _, err := h.Seek(position); err != nil {
			t.Fatal(err)
		}
		regs, err := h.View().Regs(0)
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, pointers{regs.RIP, regs.RSP, regs.RAX})
	}
	for _, view := range []uint64{h.Oldest(), h.End() / 2, h.End()} {
		if _, err := h.Seek(view); err != nil {
			t.Fatal(err)
		}
		next := h.End() / 3
		check := func(tr *history.Transition) {
			before, after := want[tr.Position], want[tr.Position+1]
			if tr.PC != before.pc || tr.SP != before.sp || tr.NextPC != after.pc || tr.NextSP != after.sp {
				t.Errorf("position %d: %+v, want %+v and %+v", tr.Position, tr, before, after)
			}
			if tr.Changed(x86.RAX) != (before.rax != after.rax) {
				t.Errorf("position %d: rax changed is %v, it is %#x and %#x", tr.Position, tr.Changed(x86.RAX), before.rax, after.rax)
			}
		}
		err := h.Steps.Transitions(t.Context(), next, h.End(), func(tr *history.Transition) bool {
			if tr.Position != next {
				t.Fatalf("position %d, want %d", tr.Position, next)
			}
			next++
			check(tr)
			return !t.Failed()
		})
		if err != nil || next != h.End() {
			t.Errorf("forward to %d of %d: %v", next, h.End(), err)
		}
		err = h.Steps.TransitionsBack(t.Context(), next, func(tr *history.Transition) bool {
			next--
			if tr.Position != next {
				t.Fatalf("position %d, want %d", tr.Position, next)
			}
			check(tr)
			return !t.Failed()
		})
		if err != nil || next != h.Oldest() {
			t.Errorf("back to %d of %d: %v", next, h.Oldest(), err)
		}
		if now := h.View().Position(); now != view {
			t.Errorf("the view is at %d, it was at %d", now, view)
		}
	}
}
