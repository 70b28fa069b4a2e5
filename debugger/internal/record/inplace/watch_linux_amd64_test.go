package inplace_test

import (
	"context"
	"slices"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/record/inplace"
)

// watchedSteps is the number of instructions that are looked at one by one.
const watchedSteps = 4000

// TestStopsAndWrites runs a program to stops and with watched memory. The stops are after
// the numbers of instructions at which single instructions have come by, and writes are
// noted where single instructions have changed the memory.
func TestStopsAndWrites(t *testing.T) {
	argv := []string{"/bin/true"}
	var pcs []uint64
	var word uint64 // of the stack
	var changes []int64
	report(t, onTracer(t, func(tracer *ptrace.Tracer) { pcs, word, changes = stepAlong(tracer, argv) }))
	pc := pcs[len(pcs)-100]
	var want []int64
	for n, at := range pcs[1:] {
		if at == pc {
			want = append(want, int64(n+1))
		}
	}
	report(t, onTracer(t, func(tracer *ptrace.Tracer) {
		if got := stopsAt(tracer, argv, pc); !slices.Equal(got, want) {
			t.Errorf("stops at %#x after %v instructions, want %v", pc, got, want)
		}
		got := writesTo(tracer, argv, word)
		for _, n := range changes {
			if !slices.Contains(got, n) && !slices.Contains(got, n-1) {
				t.Errorf("a change by instruction %d is not noted in %v", n, got)
			}
		}
	}))
	if len(want) == 0 || len(changes) < 2 {
		t.Errorf("%d stops and %d changes to find", len(want), len(changes))
	}
}

// stepAlong executes instructions one by one. It returns the program counters, and the word
// below the first stack pointer that changes most often, with the numbers of instructions
// after which it has changed.
func stepAlong(tracer *ptrace.Tracer, argv []string) (pcs []uint64, word uint64, changes []int64) {
	const words = 64
	var bottom uint64
	var last [8 * words]byte
	var changed [words][]int64
	along(tracer, argv, func(r *inplace.Runner) {
		pcs = append(pcs, r.Regs.RIP)
		if bottom == 0 {
			bottom = r.Regs.RSP - 8*words
		}
		now := last
		_, err := r.Memory().Read(bottom, now[:])
		must(err)
		for n := range changed {
			if string(now[8*n:][:8]) != string(last[8*n:][:8]) {
				changed[n] = append(changed[n], r.Executed())
			}
		}
		last = now
	})
	for n, list := range changed {
		if len(list) > len(changes) {
			word, changes = bottom+uint64(8*n), list
		}
	}
	return pcs, word, changes
}

// along calls f before each of the first instructions.
func along(tracer *ptrace.Tracer, argv []string, f func(r *inplace.Runner)) {
	each(tracer, argv, func(*inplace.Runner) {}, func(*inplace.Runner) int64 { return 1 }, func(r *inplace.Runner, _ inplace.Stop) { f(r) })
}

// stopsAt returns the numbers of instructions after which a program stops at an address.
func stopsAt(tracer *ptrace.Tracer, argv []string, pc uint64) (list []int64) {
	start := func(r *inplace.Runner) { r.Watch.StopAt([]uint64{pc}) }
	each(tracer, argv, start, rest, func(r *inplace.Runner, stop inplace.Stop) {
		if stop.Kind == inplace.Reached {
			list = append(list, r.Executed())
		}
	})
	return list
}

// writesTo returns where writes to a word were noted.
func writesTo(tracer *ptrace.Tracer, argv []string, addr uint64) (list []int64) {
	watch := func(r *inplace.Runner) {
		must(r.Watch.Writes([]ptrace.Range{{Start: addr, End: addr + 8}}, 1))
	}
	each(tracer, argv, watch, rest, func(r *inplace.Runner, _ inplace.Stop) {
		if count, at := r.Watch.Noted(); count > 0 {
			list = append(list, at)
			watch(r)
		}
	})
	return list
}

// rest returns the number of instructions that are still to be executed.
func rest(r *inplace.Runner) int64 { return watchedSteps - r.Executed() }

// each runs a program, for as many instructions as next says, and calls f where it stops.
func each(tracer *ptrace.Tracer, argv []string, start func(*inplace.Runner), next func(*inplace.Runner) int64, f func(*inplace.Runner, inplace.Stop)) {
	pid := launchFixed(tracer, argv)
	r, err := inplace.New(tracer, pid)
	allowed(err)
	defer func() { _ = r.Close() }()
	start(r)
	var stop inplace.Stop
	for r.Executed() < watchedSteps {
		f(r, stop)
		stop, err = r.Run(context.Background(), next(r))
		must(err)
		switch stop.Kind {
		case inplace.Call:
			stop, err = r.Execute()
		case inplace.Native:
			stop, err = r.Step(context.Background())
		case inplace.Exited:
			panic(failuref("it has ended after %d instructions", r.Executed()))
		}
		must(err)
	}
	f(r, stop)
}
