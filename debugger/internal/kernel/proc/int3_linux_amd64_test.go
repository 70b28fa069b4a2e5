package proc_test

import (
	"context"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
)

// A thread that blocks SIGTRAP comes by a breakpoint of the processor's, which
// waits, and then to an int3, whose signal the kernel drops: it is at the int3
// nevertheless and goes on where it should.
func TestInt3AfterBlockedBreakpoint(t *testing.T) {
	program := debuggertest.Start(t, "threads.c", "0")
	p := attach(t, program, proc.Options{})
	set(t, p, proc.BreakpointSpec{Address: program.Mark("visit")})
	for _, name := range []string{"main", "block", "once"} {
		set(t, p, proc.BreakpointSpec{Address: program.Symbol(name)})
	}
	b := set(t, p, proc.BreakpointSpec{Address: program.Mark("watched")})
	if b.Hardware {
		t.Fatal("the fifth breakpoint is the processor's")
	}
	program.Tell("mask")
	if stop := resume(t, p); stop.Breakpoint != b.ID || stop.Address != program.Mark("watched") {
		t.Errorf("stop %+v, want one at breakpoint %d at %#x", stop, b.ID, program.Mark("watched"))
	}
	all, err := p.Breakpoints()
	if err != nil || all[0].Hits != 1 || all[4].Hits != 1 {
		t.Errorf("breakpoints %+v (%v), want one hit of the first and the last", all, err)
	}
	answer(t, p, program)
	if got := word(t, p, program.Symbol("watched")); got != 2 {
		t.Errorf("the program has added %d, want 2", got)
	}
	requireDetached(t, p, program)
}

// A Resume whose context has ended does not run into the int3 that the thread is
// at once more.
func TestPauseAtInt3(t *testing.T) {
	program := debuggertest.Start(t, "threads.c", "1")
	p := attach(t, program, proc.Options{Software: true})
	b := set(t, p, proc.BreakpointSpec{Address: program.Mark("tick")})
	resume(t, p)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 100 {
		stop, err := p.Resume(ctx)
		if err != nil || stop.Why != proc.Paused || stop.Address != b.Spec.Address {
			t.Fatalf("stop %+v (%v), want a pause at %#x", stop, err, b.Spec.Address)
		}
	}
	count := word(t, p, program.Symbol("counts"))
	if stop := resume(t, p); stop.Breakpoint != b.ID {
		t.Errorf("stop %+v, want the breakpoint", stop)
	}
	if got := word(t, p, program.Symbol("counts")); got != count+1 {
		t.Errorf("it has counted from %d to %d, want one more", count, got)
	}
	if all, err := p.Breakpoints(); err != nil || all[0].Hits != 2 {
		t.Errorf("breakpoints %+v (%v), want two hits", all, err)
	}
	requireDetached(t, p, program)
}
