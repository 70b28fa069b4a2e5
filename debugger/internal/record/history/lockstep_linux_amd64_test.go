package history_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/xsave"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
)

// A moment is all that can be seen of a process.
type moment struct {
	position uint64
	thread   int
	regs     ptrace.Regs
	vector   []byte
	maps     procfs.Maps
	memory   map[uint64][]byte // of each writable mapping
}

// A world has the state that moments are read from: the process, or a view.
type world interface {
	Regs(thread int) (ptrace.Regs, error)
	XState(thread int, buf []byte) ([]byte, error)
	ReadMemory(addr uint64, b []byte) (int, error)
}

// take looks at a thread and at all writable memory but what the kernel writes
// by itself.
func (s *subject) readRanges(w world, thread int, maps procfs.Maps) moment {
	s.t.Helper()
	m := moment{thread: thread, memory: map[uint64][]byte{}, maps: maps}
	var err error
	if m.regs, err = w.Regs(thread); err != nil {
		s.t.Fatal(err)
	}
	if m.vector, err = w.XState(thread, nil); err != nil {
		s.t.Fatal(err)
	}
	m.vector = bytes.Clone(m.vector)
	for _, o := range maps {
		if !o.Write {
			continue
		}
		b := make([]byte, o.End-o.Start)
		if _, err := w.ReadMemory(o.Start, b); err != nil {
			s.t.Fatalf("%#x-%#x %s: %v", o.Start, o.End, o.Path, err)
		}
		s.hideRseq(o.Start, b)
		m.memory[o.Start] = b
	}
	return m
}

// hideRseq clears what the kernel writes by itself, for all threads that were
// ever seen.
func (s *subject) hideRseq(start uint64, b []byte) {
	threads, err := s.process.Threads()
	if err != nil {
		s.t.Fatal(err)
	}
	for _, x := range threads {
		if from, to, err := s.process.Rseq(x.ID); err == nil && to > from {
			s.rseq[from] = to
		}
	}
	for from, to := range s.rseq {
		if from >= start && to <= start+uint64(len(b)) {
			clear(b[from-start : to-start])
		}
	}
}

// settle hides again what was not known to be the kernel's when moments were
// taken.
func (s *subject) commitInterpreted(moments []moment) {
	s.t.Helper()
	for _, m := range moments {
		for start, b := range m.memory {
			s.hideRseq(start, b)
		}
	}
}

// live is the moment of the process itself.
func (s *subject) stepProcess(position uint64, thread int) moment {
	s.t.Helper()
	maps, err := s.process.Maps()
	if err != nil {
		s.t.Fatal(err)
	}
	m := s.readRanges(s.process, thread, maps)
	m.position = position
	return m
}

// requireSame compares a view with what the process was.
func (s *subject) requireSame(v *history.View, want moment) {
	s.t.Helper()
	if v.Position() != want.position {
		s.t.Fatalf("position %d, want %d", v.Position(), want.position)
	}
	got := s.readRanges(v, want.thread, want.maps)
	got.regs.OrigRAX, want.regs.OrigRAX = 0, 0 // being stopped changes it
	if got.regs != want.regs {
		s.t.Errorf("position %d: registers\n%+v, want\n%+v", want.position, got.regs, want.regs)
	}
	if d := xsave.Machine().Difference(got.vector, want.vector); d != "" {
		s.t.Errorf("position %d: the vector state differs: %s", want.position, d)
	}
	for start, b := range want.memory {
		if at := difference(got.memory[start], b); at >= 0 {
			s.t.Errorf("position %d: memory at %#x is %#x, want %#x", want.position, start+uint64(at), got.memory[start][at], b[at])
		}
	}
	if a, b := writable(v.Maps()), writable(want.maps); a != b {
		s.t.Errorf("position %d: mappings\n%s, want\n%s", want.position, a, b)
	}
	if s.t.Failed() {
		s.t.FailNow()
	}
}

func difference(a, b []byte) int {
	if bytes.Equal(a, b) {
		return -1
	}
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b)) - 1
}

// writable lists writable mappings but the stack, which grows by itself.
func writable(maps procfs.Maps) string {
	text := ""
	for _, m := range maps {
		if m.Write && m.Path != "[stack]" {
			text += fmt.Sprintf("%x-%x %s\n", m.Start, m.End, m.Path)
		}
	}
	return text
}

// Forward and back again everything is as it was, for each part of a program
// that does what is hard to record.
func TestLockstep(t *testing.T) {
	parts := []string{"text", "numbers", "repeats", "atomics", "vectors", "calls", "memory", "signals", "fresh"}
	for _, test := range []struct {
		name     string
		optimize string
		single   bool
	}{{"single steps", "-O2", true}, {"interpreted", "-O0", false}, {"interpreted and optimized", "-O2", false}} {
		path := build(t, test.optimize)
		for _, part := range parts {
			t.Run(test.name+"/"+part, func(t *testing.T) {
				sample.Case(t)
				s := start(t, path, part)
				s.lockstep(s.recorder(history.Options{Single: test.single}), 397)
				s.requireUnharmed()
			})
		}
	}
}

// lockstep records to the end of the region, looks at the process at every n-th
// step and the one after it, and then goes back, forward, and about.
func (s *subject) lockstep(r *history.Recorder, n uint64) {
	s.t.Helper()
	current, err := s.process.CurrentThread()
	if err != nil {
		s.t.Fatal(err)
	}
	moments := []moment{s.stepProcess(0, current)}
	for done := false; !done; {
		for _, count := range []uint64{n - 1, 1} {
			result, err := r.Run(s.t.Context(), 0, history.Limits{Steps: count, Until: s.atEnd})
			if err != nil {
				s.t.Fatal(err)
			}
			if result.Why != history.StepLimit && result.Why != history.ConditionMet && result.Why != history.GotSignal {
				s.t.Fatalf("%+v", result)
			}
			moments = append(moments, s.stepProcess(result.Position, result.Thread))
			if done = result.Why == history.ConditionMet; done {
				break
			}
		}
	}
	h := r.History()
	if h.Oldest() != 0 {
		s.t.Fatalf("history begins at %d: %s", h.Oldest(), h.StartReason())
	}
	s.t.Logf("%d positions, %.1f bytes each", h.End(), float64(h.Bytes())/float64(h.End()))
	s.there(r, moments)
}

// requireUnharmed lets the program go on, twice.
func (s *subject) requireUnharmed() {
	s.t.Helper()
	if err := s.process.Detach(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
	if got := s.program.Line(); got != "done" {
		s.t.Errorf("the program says %q", got)
	}
	if got := s.program.Ask("text"); got != "done" {
		s.t.Errorf("the program says %q", got)
	}
}

func (s *subject) atEnd(v *history.View) bool { return v.PC() == s.end }

// there visits moments backwards, forwards, and in jumps.
func (s *subject) there(r *history.Recorder, moments []moment) {
	s.t.Helper()
	h := r.History()
	for _, span := range r.Rseq() {
		s.rseq[span.Addr] = span.Addr + span.Len
	}
	s.commitInterpreted(moments)
	visit := func(i int) {
		s.t.Helper()
		if _, err := h.Seek(moments[i].position); err != nil {
			s.t.Fatal(err)
		}
		s.requireSame(h.View(), moments[i])
	}
	for i := range moments {
		visit(len(moments) - 1 - i)
	}
	for i := range moments {
		visit(i)
	}
	for i := range moments {
		visit(i * 7 % len(moments))
	}
}
