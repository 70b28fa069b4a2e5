package history_test

import (
	"bytes"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/xsave"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
)

// What is interpreted comes to the same as what the processor does: the same
// stretch of a program is recorded twice from the same moment, once in each way,
// and registers, vector state and memory must be equal at its end. The parts are
// those whose system calls may be made twice.
func TestTwice(t *testing.T) {
	for _, optimize := range []string{"-O0", "-O2"} {
		path := build(t, optimize)
		for _, part := range []string{"text", "numbers", "repeats", "atomics", "vectors", "short"} {
			t.Run(optimize+"/"+part, func(t *testing.T) {
				sample.Case(t)
				s := start(t, path, part)
				done := uint64(0)
				for stretch := uint64(1); ; stretch = stretch*2%1021 + 1 {
					steps, end := s.twice(stretch)
					if done += steps; end || done > 8000 {
						break
					}
				}
				t.Logf("%d steps", done)
				if done < 30 {
					t.Errorf("%d steps are few", done)
				}
				s.requireUnharmed()
			})
		}
	}
}

// twice records up to n steps in both ways, and returns how many it were, and
// whether they led to the end of the region.
func (s *subject) twice(n uint64) (steps uint64, end bool) {
	s.t.Helper()
	thread, err := s.process.CurrentThread()
	if err != nil {
		s.t.Fatal(err)
	}
	before := s.stepProcess(0, thread)
	limits := history.Limits{Steps: n, Until: s.atEnd}
	interpreted := s.record(limits, history.Options{})
	got := s.stepProcess(0, thread)
	if writable(before.maps) != writable(got.maps) {
		return interpreted.Steps, interpreted.Why == history.ConditionMet // it cannot be done again
	}
	s.restore(before, got)
	limits.Steps = interpreted.Steps
	s.record(limits, history.Options{Single: true})
	s.requireEqual(got, s.stepProcess(0, thread))
	return interpreted.Steps, interpreted.Why == history.ConditionMet
}

// record makes steps with a recorder of their own.
func (s *subject) record(limits history.Limits, options history.Options) history.Result {
	s.t.Helper()
	result, err := s.recorder(options).Run(s.t.Context(), 0, limits)
	if err != nil || result.Why != history.StepLimit && result.Why != history.ConditionMet {
		s.t.Fatalf("%+v, %v", result, err)
	}
	return result
}

// restore makes the process what it was.
func (s *subject) restore(before, now moment) {
	s.t.Helper()
	for start, b := range before.memory {
		for at := 0; at < len(b); at += 4096 {
			page := b[at:min(at+4096, len(b))]
			if bytes.Equal(page, now.memory[start][at:at+len(page)]) {
				continue
			}
			if err := s.put(start+uint64(at), page); err != nil {
				s.t.Fatal(err)
			}
		}
	}
	if err := s.process.SetXState(before.thread, before.vector); err != nil {
		s.t.Fatal(err)
	}
	if err := s.process.SetRegs(before.thread, before.regs); err != nil {
		s.t.Fatal(err)
	}
}

// put writes a page, but for what the kernel writes by itself.
func (s *subject) put(addr uint64, page []byte) error {
	b := bytes.Clone(page)
	for from, to := range s.rseq {
		if from < addr+uint64(len(b)) && to > addr {
			low, high := max(from, addr)-addr, min(to, addr+uint64(len(b)))-addr
			if _, err := s.process.ReadMemory(addr+low, b[low:high]); err != nil {
				return err
			}
		}
	}
	_, err := s.process.WriteMemory(addr, b)
	return err
}

// requireEqual compares two moments. Flags may be different where the manuals
// leave them undefined, and are compared instruction by instruction elsewhere.
func (s *subject) requireEqual(got, want moment) {
	s.t.Helper()
	got.regs.EFlags, want.regs.EFlags = 0, 0
	got.regs.OrigRAX, want.regs.OrigRAX = 0, 0
	if got.regs != want.regs {
		s.t.Errorf("registers\n%+v, want\n%+v", got.regs, want.regs)
	}
	if d := xsave.Machine().Difference(got.vector, want.vector); d != "" {
		s.t.Errorf("the vector state differs: %s", d)
	}
	for start, b := range want.memory {
		if at := difference(got.memory[start], b); at >= 0 {
			s.t.Errorf("memory at %#x is %#x, want %#x", start+uint64(at), got.memory[start][at], b[at])
		}
	}
	if s.t.Failed() {
		s.t.FailNow()
	}
}

// More memory than the interpreter keeps copies of is written all the same.
func TestWide(t *testing.T) {
	s := start(t, build(t, "-O1"), "wide")
	r := s.recorder(history.Options{MaxSnapshot: 128 << 20})
	result, err := r.Run(t.Context(), 0, history.Limits{Until: s.atEnd})
	if err != nil || result.Why != history.ConditionMet || result.Steps < 100_000 {
		t.Fatalf("%+v, %v", result, err)
	}
	s.requireUnharmed()
}
