package history_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
)

// unwatched is a target that cannot tell what was written.
type unwatched struct{ history.Target }

// targets are both ways to find out what has changed in a free run.
var targets = []struct {
	name string
	of   func(history.Target) history.Target
}{
	{"watched", func(t history.Target) history.Target { return t }},
	{"copied", func(t history.Target) history.Target { return unwatched{t} }},
}

// startHeap starts a heap program and debugs it.
func startHeap(t testing.TB, args ...string) *subject {
	t.Helper()
	program := debuggertest.Start(t, "heap.c", args...)
	process, err := proc.Attach(t.Context(), program.PID, proc.Options{})
	if err != nil {
		t.Skip("tracing is not permitted here: ", err)
	}
	t.Cleanup(func() { _ = process.Detach(t.Context()) })
	return &subject{t, program, process, program.Symbol("end_region"), map[uint64]uint64{}}
}

// Back over stretches that ran freely everything is as it was, whatever the
// program did to its memory. The second time round only changes are looked at.
func TestFreeRuns(t *testing.T) {
	for i, target := range targets {
		parts := []string{"touch", "discard", "move", "replace", "others", "grow", "threads", "deep"}
		for _, part := range parts[:len(parts)-6*i] { // a copy does not care
			t.Run(target.name+"/"+part, func(t *testing.T) {
				sample.Case(t)
				s := startHeap(t)
				s.runTo(s.program.Symbol("begin_region"), part)
				r, err := history.New(target.of(history.NewTarget(s.process)), history.Options{})
				if err != nil {
					t.Fatal(err)
				}
				moments := []moment{s.stepProcess(0, s.program.PID)}
				run := func(address uint64) {
					t.Helper()
					s.breakAt(address)
					if _, err := r.Resume(t.Context()); err != nil {
						t.Fatal(err)
					}
					moments = append(moments, s.stepProcess(r.History().End(), s.program.PID))
				}
				for range 2 {
					run(s.end)
					if _, err := r.Step(t.Context(), 0, 5); err != nil {
						t.Fatal(err)
					}
					s.program.Tell(part)
					run(s.program.Symbol("begin_region"))
				}
				s.there(r, moments)
			})
		}
	}
}

// What is written to the process when it is made what it was is not taken for
// what a free run has changed.
func TestFreeRunAfterRewind(t *testing.T) {
	s := startHeap(t)
	begin := s.program.Symbol("begin_region")
	s.runTo(begin, "rounds")
	r := s.recorder(history.Options{})
	h := r.History()
	moments := []moment{s.stepProcess(0, 0)}
	for i := range uint64(3) {
		s.breakAt(begin)
		if _, err := r.Resume(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := h.Seek(i); err != nil {
			t.Fatal(err)
		}
		if err := r.Rewind(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.requireSame(h.View(), moments[i])
		s.breakAt(begin)
		if _, err := r.Resume(t.Context()); err != nil {
			t.Fatal(err)
		}
		moments = append(moments, s.stepProcess(i+1, 0))
	}
	s.there(r, moments)
}

// Where the last run has led to nothing is asked before the next one; after a
// step memory is.
func TestFreeRunAtOnce(t *testing.T) {
	s := startHeap(t)
	begin := s.program.Symbol("begin_region")
	s.runTo(begin, "rounds")
	counting := &timed{Target: history.NewTarget(s.process), process: s.process}
	r, err := history.New(counting, history.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name  string
		steps uint64
		want  int
	}{
		{"the first run", 0, 2},
		{"the next run", 0, 1},
		{"another one", 0, 1},
		{"after a step", 1, 2},
	} {
		s.breakAt(begin)
		if test.steps > 0 {
			if _, err := r.Step(t.Context(), 0, test.steps); err != nil {
				t.Fatal(err)
			}
		}
		counting.done = 0
		if _, err := r.Resume(t.Context()); err != nil {
			t.Fatal(err)
		}
		if counting.done != test.want {
			t.Errorf("%s: the target was used %d times, want %d", test.name, counting.done, test.want)
		}
	}
}

// breakAt sets a breakpoint for one stop.
func (s *subject) breakAt(address uint64) {
	s.t.Helper()
	if _, err := s.process.SetBreakpoint(proc.BreakpointSpec{Address: address, Once: true}); err != nil {
		s.t.Fatal(err)
	}
}

// timed is a target that notes how long it ran and when it stopped.
type timed struct {
	history.Target
	process *proc.Process
	runs    []time.Duration
	stopped time.Time
	done    int // how often Do was called
}

func (t *timed) Written() (proc.Written, error)               { return t.process.Written() }
func (t *timed) Gather(ranges []ptrace.Range, b []byte) error { return t.process.Gather(ranges, b) }

func (t *timed) WithTracer(f func() error) error {
	t.done++
	return t.process.WithTracer(f)
}

func (t *timed) Resume(ctx context.Context) (proc.Stop, error) {
	began := time.Now()
	stop, err := t.Target.Resume(ctx)
	t.stopped = time.Now()
	t.runs = append(t.runs, t.stopped.Sub(began))
	return stop, err
}

// BenchmarkFreeRun lets a process with 256 MiB run until it has written 500
// pages: how long it runs, and how long it takes after its stop to record what
// has changed. Bare is without a record.
func BenchmarkFreeRun(b *testing.B) {
	b.Run("bare", func(b *testing.B) {
		t := startRounds(b)
		for b.Loop() {
			if _, err := t.Resume(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
		median(b, "run-ms", t.runs)
	})
	for _, target := range targets {
		b.Run(target.name, func(b *testing.B) {
			t := startRounds(b)
			r, err := history.New(target.of(t), history.Options{MaxSnapshot: 1 << 30})
			if err == nil {
				_, err = r.Resume(b.Context()) // the first copies everything
			}
			var recording []time.Duration
			for t.runs = nil; b.Loop() && err == nil; recording = append(recording, time.Since(t.stopped)) {
				_, err = r.Resume(b.Context())
			}
			if err != nil {
				b.Fatal(err)
			}
			median(b, "run-ms", t.runs)
			median(b, "stop-ms", recording)
		})
	}
}

// startRounds starts a heap that writes 500 pages between two stops.
func startRounds(b *testing.B) *timed {
	b.Helper()
	s := startHeap(b, "256", "500")
	s.runTo(s.program.Symbol("begin_region"), "rounds")
	if _, err := s.process.SetBreakpoint(proc.BreakpointSpec{Address: s.program.Symbol("begin_region")}); err != nil {
		b.Fatal(err)
	}
	return &timed{Target: history.NewTarget(s.process), process: s.process}
}

// median reports milliseconds.
func median(b *testing.B, unit string, all []time.Duration) {
	b.Helper()
	slices.Sort(all)
	b.ReportMetric(all[len(all)/2].Seconds()*1000, unit)
	b.ReportMetric(0, "ns/op")
}
