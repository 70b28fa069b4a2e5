package inplace_test

import (
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/inplace"
)

// A thread that has made a system call stops at the next one so that the call can be made
// from there: it returns what the kernel says, with the registers that the instruction
// syscall leaves.
func TestCallIsMadeWhereTheThreadStops(t *testing.T) {
	entries := 0
	launch(t, []string{"/bin/true"}, func(g *guest) {
		for {
			stop, err := g.Run(t.Context(), 1<<40)
			must(err)
			if stop.Kind == inplace.Native {
				_, err = g.Step(t.Context())
				must(err)
				continue
			}
			if stop.Kind == inplace.Exited {
				return
			}
			entry, before := g.AtEntry(), g.Regs
			stop, err = g.Execute()
			must(err)
			if stop.Kind == inplace.Exited {
				return
			}
			if after := g.Regs; after.RIP != before.RIP+2 || after.RCX != after.RIP || after.R11 != before.EFlags {
				t.Errorf("system call %d has led from %+v to %+v", before.RAX, before, after)
			}
			if entry {
				entries++
			}
		}
	})
	if entries == 0 {
		t.Error("no thread has stopped at the entry of a system call in the cache")
	}
}
