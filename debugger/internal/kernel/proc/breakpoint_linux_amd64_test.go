package proc_test

import (
	"context"
	"encoding/binary"
	"errors"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
)

// kinds are the two ways to stop at an instruction.
var kinds = []struct {
	name    string
	options proc.Options
}{
	{"processor", proc.Options{}},
	{"int3", proc.Options{Software: true}},
}

// set sets a breakpoint.
func set(t testing.TB, p *proc.Process, spec proc.BreakpointSpec) proc.Breakpoint {
	t.Helper()
	b, err := p.SetBreakpoint(spec)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// word reads 8 bytes.
func word(t testing.TB, p *proc.Process, address uint64) uint64 {
	t.Helper()
	var b [8]byte
	if _, err := p.ReadMemory(address, b[:]); err != nil {
		t.Fatal(err)
	}
	return binary.LittleEndian.Uint64(b[:])
}

// Every call of a function that three threads call all the time stops, once:
// between two stops at the breakpoint of one thread its counter grows by one.
func TestBreakpointStopsEveryTime(t *testing.T) {
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			program := debuggertest.Start(t, "threads.c")
			p := attach(t, program, kind.options)
			mark := program.Mark("tick")
			b := set(t, p, proc.BreakpointSpec{Address: mark})
			if b.ID != 1 || b.Hardware == kind.options.Software {
				t.Errorf("breakpoint %+v", b)
			}
			last := map[int]uint64{}
			const stops = 300
			for range stops {
				stop := resume(t, p)
				if stop.Why != proc.AtBreakpoint || stop.Breakpoint != b.ID || stop.Address != mark {
					t.Fatalf("stop %+v, want one at breakpoint 1 at %#x", stop, mark)
				}
				regs, err := p.Regs(0)
				if err != nil {
					t.Fatal(err)
				}
				count := word(t, p, word(t, p, regs.RBP-0x8)) // the first local is the first parameter
				if before, seen := last[stop.Thread]; seen && count != before+1 {
					t.Fatalf("thread %d has counted from %d to %d between two stops", stop.Thread, before, count)
				}
				last[stop.Thread] = count
			}
			all, err := p.Breakpoints()
			if err != nil || len(all) != 1 || all[0].Hits < stops {
				t.Errorf("breakpoints %+v (%v), want one with at least %d hits", all, err, stops)
			}
			if len(last) != 3 {
				t.Errorf("%d threads came by, want 3", len(last))
			}
			requireDetached(t, p, program)
		})
	}
}

// requireDetached detaches, and checks that the program is unharmed and runs.
func requireDetached(t *testing.T, p *proc.Process, program *debuggertest.Program) {
	t.Helper()
	if err := p.Detach(t.Context()); err != nil {
		t.Fatal(err)
	}
	requireUnharmed(t, program)
	program.Ask("count")
}

// A condition, a number of hits to ignore, one thread alone, and once.
func TestBreakpointConditions(t *testing.T) {
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			program := debuggertest.Start(t, "threads.c", "1")
			p := attach(t, program, kind.options)
			mark, counts := program.Mark("tick"), program.Symbol("counts")
			start := word(t, p, counts)

			b := set(t, p, proc.BreakpointSpec{Address: mark, Condition: func(h proc.Hit) (bool, error) {
				var v [8]byte
				_, err := p.ReadMemory(counts, v[:])
				return binary.LittleEndian.Uint64(v[:])%50 == 0, err
			}})
			resume(t, p)
			first := word(t, p, counts)
			resume(t, p)
			if got := word(t, p, counts); first%50 != 0 || got != first+50 {
				t.Errorf("stopped at %d and %d, want the next two multiples of 50 after %d", first, got, start)
			}
			clearAll(t, p, b)

			before := word(t, p, counts)
			b = set(t, p, proc.BreakpointSpec{Address: mark, Ignore: 7})
			resume(t, p)
			// The thread may be in the function behind the mark when it begins.
			if got := word(t, p, counts) - before; got != 7 && got != 8 {
				t.Errorf("stopped after %d calls, want 7", got)
			}
			clearAll(t, p, b)

			set(t, p, proc.BreakpointSpec{Address: mark, Once: true})
			if stop := resume(t, p); stop.Why != proc.AtBreakpoint {
				t.Errorf("stop %+v", stop)
			}
			if stop := resumeFor(t, p, 30*time.Millisecond); stop.Why != proc.Paused {
				t.Errorf("a breakpoint that was to stop once did again: %+v", stop)
			}
			set(t, p, proc.BreakpointSpec{Address: mark, Thread: program.PID})
			if stop := resumeFor(t, p, 30*time.Millisecond); stop.Why != proc.Paused {
				t.Errorf("a breakpoint for another thread did stop: %+v", stop)
			}
			broken := errors.New("no such variable")
			set(t, p, proc.BreakpointSpec{Address: mark, Condition: func(proc.Hit) (bool, error) { return false, broken }})
			if stop := resume(t, p); !errors.Is(stop.Err, broken) {
				t.Errorf("stop %+v, want one with the condition's error", stop)
			}
			requireDetached(t, p, program)
		})
	}
}

func clearAll(t *testing.T, p *proc.Process, all ...proc.Breakpoint) {
	t.Helper()
	for _, b := range all {
		if err := p.ClearBreakpoint(b.ID); err != nil {
			t.Fatal(err)
		}
	}
}

// A thread that is born after the breakpoint was set stops at it.
func TestBreakpointInLaterThread(t *testing.T) {
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			program := debuggertest.Start(t, "threads.c")
			p := attach(t, program, kind.options)
			b := set(t, p, proc.BreakpointSpec{Address: program.Mark("visit")})
			for i := range 20 {
				program.Tell("one")
				stop := resume(t, p)
				if stop.Breakpoint != b.ID {
					t.Fatalf("stop %+v", stop)
				}
				if threads, err := p.Threads(); err != nil || len(threads) != 5 {
					t.Fatalf("threads %v (%v), want 5", threads, err)
				}
				if got := word(t, p, program.Symbol("visits")); got != uint64(i) {
					t.Fatalf("%d visits before visit %d", got, i)
				}
				answer(t, p, program)
			}
			requireDetached(t, p, program)
		})
	}
}

// A thread that blocks all signals stops too, late at worst, and lives.
func TestBreakpointWhereSignalsAreBlocked(t *testing.T) {
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			program := debuggertest.Start(t, "threads.c")
			p := attach(t, program, kind.options)
			set(t, p, proc.BreakpointSpec{Address: program.Mark("visit"), Once: true})
			program.Tell("mask")
			stop := resumeFor(t, p, 200*time.Millisecond)
			if stop.Why == proc.AtBreakpoint && !stop.Late && stop.Address != program.Mark("visit") {
				t.Errorf("stop %+v at another place", stop)
			}
			if stop.Why != proc.AtBreakpoint && stop.Why != proc.Paused {
				t.Errorf("stop %+v", stop)
			}
			if err := p.Detach(t.Context()); err != nil {
				t.Fatal(err)
			}
			program.Line()
			requireUnharmed(t, program)
			program.Ask("count")
		})
	}
}

// More breakpoints than the processor has: all of them stop.
func TestManyBreakpoints(t *testing.T) {
	program := debuggertest.Start(t, "threads.c")
	p := attach(t, program, proc.Options{})
	var last proc.Breakpoint
	for _, name := range []string{"main", "block", "masked", "once", "visit"} {
		last = set(t, p, proc.BreakpointSpec{Address: program.Symbol(name)})
	}
	if last.Hardware {
		t.Error("the fifth breakpoint is the processor's")
	}
	second := set(t, p, proc.BreakpointSpec{Address: program.Symbol("visit")})
	program.Tell("one")
	if stop := resume(t, p); stop.Address != program.Symbol("once") || stop.Breakpoint != 4 {
		t.Errorf("stop %+v, want one at breakpoint 4", stop)
	}
	if stop := resume(t, p); stop.Address != program.Symbol("visit") || stop.Breakpoint != last.ID {
		t.Errorf("stop %+v, want one at breakpoint 5", stop)
	}
	all, err := p.Breakpoints()
	if err != nil || all[5].ID != second.ID || all[5].Hits != 1 {
		t.Errorf("breakpoints %+v (%v): the second one at the same place has not counted", all, err)
	}
	requireDetached(t, p, program)
}

// A watchpoint stops after the write, in whichever thread.
func TestWatchpoint(t *testing.T) {
	program := debuggertest.Start(t, "threads.c")
	p := attach(t, program, proc.Options{})
	watched := program.Symbol("watched")
	b := set(t, p, proc.BreakpointSpec{Address: watched, Access: proc.Write, Size: 8})
	for i := range uint64(5) {
		program.Tell("one")
		stop := resume(t, p)
		if stop.Why != proc.AtWatchpoint || stop.Breakpoint != b.ID || stop.Address <= program.Mark("watched") {
			t.Fatalf("stop %+v", stop)
		}
		if got := word(t, p, watched); got != 2*i+2 {
			t.Errorf("the variable is %d, want %d", got, 2*i+2)
		}
		answer(t, p, program)
	}
	clearAll(t, p, b)
	set(t, p, proc.BreakpointSpec{Address: watched, Access: proc.ReadWrite, Size: 4})
	program.Tell("one")
	resume(t, p) // the reading
	if got := word(t, p, watched); got != 10 {
		t.Errorf("the variable is %d when it is read, want 10", got)
	}
	resume(t, p) // the writing
	if got := word(t, p, watched); got != 12 {
		t.Errorf("the variable is %d when it is written, want 12", got)
	}
	requireDetached(t, p, program)
}

func TestBreakpointErrors(t *testing.T) {
	program := debuggertest.Start(t, "threads.c")
	p := attach(t, program, proc.Options{})
	data := program.Symbol("watched")
	tests := []struct {
		name string
		spec proc.BreakpointSpec
	}{
		{"nothing there", proc.BreakpointSpec{Address: 0x10}},
		{"not code", proc.BreakpointSpec{Address: data}},
		{"kernel", proc.BreakpointSpec{Address: 0xffffffff81000000}},
		{"no size", proc.BreakpointSpec{Address: data, Access: proc.Write}},
		{"odd size", proc.BreakpointSpec{Address: data, Access: proc.Write, Size: 3}},
		{"not aligned", proc.BreakpointSpec{Address: data + 2, Access: proc.Write, Size: 4}},
		{"size of code", proc.BreakpointSpec{Address: program.Symbol("main"), Size: 1}},
		{"unknown access", proc.BreakpointSpec{Address: data, Access: 9, Size: 8}},
		{"negative ignore", proc.BreakpointSpec{Address: program.Symbol("main"), Ignore: -1}},
	}
	for _, test := range tests {
		if b, err := p.SetBreakpoint(test.spec); err == nil {
			t.Errorf("%s: breakpoint %+v was set", test.name, b)
		} else if _, ok := errors.AsType[*proc.BreakpointError](err); !ok {
			t.Errorf("%s: %v is no BreakpointError", test.name, err)
		}
	}
	for i := range uint64(4) {
		set(t, p, proc.BreakpointSpec{Address: data + 8*i, Access: proc.Write, Size: 1 << i})
	}
	if _, err := p.SetBreakpoint(proc.BreakpointSpec{Address: data + 64, Access: proc.Write, Size: 8}); err == nil {
		t.Error("a fifth watchpoint was set")
	}
	if err := p.ClearBreakpoint(99); !errors.Is(err, proc.ErrNoBreakpoint) {
		t.Errorf("clearing a breakpoint that is not there: %v", err)
	}
}

// Without a guard there is no int3.
func TestNoGuard(t *testing.T) {
	program := debuggertest.Start(t, "threads.c")
	for _, command := range []string{"/nonexistent", "/bin/true"} {
		p := attach(t, program, proc.Options{Software: true, Guard: []string{command}})
		_, err := p.SetBreakpoint(proc.BreakpointSpec{Address: program.Mark("tick")})
		if _, ok := errors.AsType[*proc.BreakpointError](err); !ok {
			t.Errorf("a breakpoint with the guard %s: %v, want a BreakpointError", command, err)
		}
		requireDetached(t, p, program)
	}
}

// An int3 of the program's own stops it and does nothing else.
func TestOwnInt3(t *testing.T) {
	program := debuggertest.Start(t, "threads.c")
	p := attach(t, program, proc.Options{})
	program.Tell("trap")
	if stop := resume(t, p); stop.Why != proc.Signalled || stop.Signal != unix.SIGTRAP {
		t.Errorf("stop %+v, want SIGTRAP", stop)
	}
	answer(t, p, program)
	requireDetached(t, p, program)
}

// The children of a program with breakpoints live, whatever way they are made,
// and the breakpoints stay.
func TestChildrenLive(t *testing.T) {
	for _, kind := range kinds {
		for _, test := range []struct{ how, want string }{
			{"fork", "0 42 1"}, {"vfork", "0 50 2"}, {"spawn", "0 61 1"},
		} {
			t.Run(kind.name+" "+test.how, func(t *testing.T) {
				program := debuggertest.Start(t, "forker.c")
				p := attach(t, program, kind.options)
				b := set(t, p, proc.BreakpointSpec{Address: program.Mark("visit")})
				program.Tell(test.how)
				if stop := resume(t, p); stop.Breakpoint != b.ID {
					t.Fatalf("stop %+v, want the parent at its breakpoint", stop)
				}
				if got := answer(t, p, program); got != test.want {
					t.Errorf("the program says %q, want %q: signal, status of the child, visits", got, test.want)
				}
				if err := p.Detach(t.Context()); err != nil {
					t.Fatal(err)
				}
				requireUnharmed(t, program)
			})
		}
	}
}

// After exec there is one thread, no breakpoint, another memory; and the
// program works.
func TestExec(t *testing.T) {
	for _, kind := range kinds {
		for _, how := range []string{"exec", "thread"} {
			t.Run(kind.name+" "+how, func(t *testing.T) {
				program := debuggertest.Start(t, "forker.c")
				p := attach(t, program, kind.options)
				set(t, p, proc.BreakpointSpec{Address: program.Mark("visit")})
				program.Tell(how)
				stop := resume(t, p)
				if stop.Why != proc.Executed || stop.Thread != program.PID {
					t.Fatalf("stop %+v, want exec", stop)
				}
				if threads, err := p.Threads(); err != nil || len(threads) != 1 {
					t.Errorf("threads %v (%v), want one", threads, err)
				}
				if all, err := p.Breakpoints(); err != nil || len(all) != 0 {
					t.Errorf("breakpoints %v (%v), want none", all, err)
				}
				answer(t, p, program)
				b := set(t, p, proc.BreakpointSpec{Address: program.Mark("visit")})
				program.Tell("fork")
				if stop := resume(t, p); stop.Breakpoint != b.ID {
					t.Errorf("stop %+v, want the breakpoint in the new program", stop)
				}
				if err := p.Detach(t.Context()); err != nil {
					t.Fatal(err)
				}
				if got := program.Line(); got != "0 42 1" {
					t.Errorf("the program says %q", got)
				}
			})
		}
	}
}

// signalFields are the dispositions and masks of a program's signals.
func signalFields(program *debuggertest.Program) string {
	text := ""
	for _, field := range []string{"SigBlk", "SigIgn", "SigCgt"} {
		text += field + " " + program.Status(field) + "\n"
	}
	return text
}

// A Go program, whose threads are preempted by signals, block them at times
// and have stacks without room, bears breakpoints and steps; and its own
// handlers are there again afterwards.
func TestGoProgram(t *testing.T) {
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			program := debuggertest.Start(t, "busy.go")
			before := signalFields(program)
			p := attach(t, program, kind.options)
			b := set(t, p, proc.BreakpointSpec{Address: program.Mark("visit")})
			for i := range 200 {
				stop := resume(t, p)
				if stop.Breakpoint != b.ID {
					t.Fatalf("stop %d: %+v", i, stop)
				}
				if i%10 != 0 {
					continue
				}
				for range 20 {
					if _, err := p.StepInstruction(t.Context(), 0); err != nil {
						t.Fatal(err)
					}
				}
			}
			clearAll(t, p, b)
			set(t, p, proc.BreakpointSpec{Address: program.Symbol("runtime.rtsigprocmask.abi0")})
			for range 50 {
				requireSound(t, p, resumeFor(t, p, 5*time.Millisecond))
				ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
				if _, err := p.StepInstruction(ctx, 0); err != nil {
					t.Fatal(err)
				}
				cancel()
			}
			requireDetached(t, p, program)
			if got := signalFields(program); got != before {
				t.Errorf("signals afterwards:\n%sbefore:\n%s", got, before)
			}
		})
	}
}

// Breakpoints and steps leave the handler of SIGTRAP as it was: in a program
// that has none, and in its children.
func TestTrapHandlerIsPutBack(t *testing.T) {
	program := debuggertest.Start(t, "forker.c")
	before := signalFields(program)
	p := attach(t, program, proc.Options{})
	stopAtMarkAfter(t, p, program, "fork")
	if got := signalFields(program); got == before {
		t.Error("a process with breakpoints has no handler of SIGTRAP")
	}
	answer(t, p, program)
	if err := p.Detach(t.Context()); err != nil {
		t.Fatal(err)
	}
	requireUnharmed(t, program)
	if got := signalFields(program); got != before {
		t.Errorf("signals afterwards:\n%sbefore:\n%s", got, before)
	}
}

func stopAtMarkAfter(t *testing.T, p *proc.Process, program *debuggertest.Program, command string) {
	t.Helper()
	program.Tell(command)
	stopAtMark(t, p, program.Mark("visit"))
}
