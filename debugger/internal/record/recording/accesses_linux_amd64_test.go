package recording_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recfile"
	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
)

// TestAccesses compares the accesses that translated code logs with those of single steps, by their
// instructions and the registers before them.
func TestAccesses(t *testing.T) {
	threads := debuggertest.Compile(t, filepath.Join("testdata", "races", "races.c"), nil, "gcc", "-O1", "-pthread")
	for _, argv := range [][]string{
		{threads, "lost"},
		{debuggertest.Build(t, "thrower.cc", "-O2")},
		{debuggertest.Compile(t, filepath.Join("testdata", "inputs.c"), nil, "gcc", "-O1")},
	} {
		t.Run(filepath.Base(argv[0]), func(t *testing.T) {
			sample.Case(t)
			r := open(t, record(t, argv...).file)
			h := timeline(t, r).History()
			to := h.End()
			from := max(h.Oldest(), to-min(to, uint64(sample.Count(60_000, 600_000))))
			var got []string
			if err := h.Steps.Accesses(t.Context(), from, to, func(a *history.Access) bool {
				if a.Kind <= history.AccessAtomic {
					got = append(got, fmt.Sprintf("%d: thread %d at %#x: %d, %#x", a.Position, a.Thread, a.PC, a.Kind, a.Memory))
				}
				return true
			}); err != nil {
				t.Fatal(err)
			}
			others := map[uint64]bool{} // positions of what is no instruction
			for n := range r.Len() {
				if e := r.Event(n); e.Kind != recfile.Native {
					others[e.Position] = true
				}
			}
			want := accessesBySteps(t, h, from, to, others)
			if diff := cmp.Diff(want, got); diff != "" || len(got) < 100 {
				t.Errorf("%d accesses (-steps +logged):\n%.3000s", len(got), diff)
			}
		})
	}
}

// accessesBySteps finds the accesses of single steps.
func accessesBySteps(t *testing.T, h *history.History, from, to uint64, others map[uint64]bool) (all []string) {
	t.Helper()
	if _, err := h.Seek(from); err != nil {
		t.Fatal(err)
	}
	each := func(v *history.View) bool {
		regs, err := v.Regs(0)
		if err != nil {
			t.Fatal(err)
		}
		if others[v.Position()] {
			return v.Position() == to-1
		}
		for _, a := range accessesOf(v, &regs) {
			a.Position, a.Thread, a.PC = v.Position(), v.Thread(), regs.RIP
			all = append(all, fmt.Sprintf("%d: thread %d at %#x: %d, %#x", a.Position, a.Thread, a.PC, a.Kind, a.Memory))
		}
		return v.Position() == to-1
	}
	if each(h.View()) {
		return all
	}
	if _, err := h.Continue(t.Context(), each); err != nil {
		t.Fatal(err)
	}
	return all
}

// accessesOf returns the accesses of the next instruction.
func accessesOf(v *history.View, regs *ptrace.Regs) []history.Access {
	code := make([]byte, x86.MaxLen)
	n, _ := v.ReadMemory(regs.RIP, code)
	in, err := x86.Decode(code[:n], regs.RIP)
	use, ok := in.Uses()
	if err != nil || !ok {
		return nil
	}
	var general x86.Regs
	history.Addressing(regs, &general)
	count, kind := uint64(1), history.AccessRead
	if use.Repeat {
		count = regs.RCX
	}
	if use.Atomic {
		kind = history.AccessAtomic
	} else if use.Write {
		kind = history.AccessWrite
	}
	var all []history.Access
	if count > 0 && use.Source {
		all = append(all, history.Access{Memory: x86.Span{Addr: regs.RSI, Len: count * use.Size}})
	}
	if count > 0 && use.Destination {
		all = append(all, history.Access{Kind: kind, Memory: x86.Span{Addr: regs.RDI, Len: count * use.Size}})
	}
	if !use.Source && !use.Destination {
		all = append(all, history.Access{Kind: kind, Memory: x86.Span{Addr: in.Addr(&general), Len: use.Size}})
	}
	return all
}
