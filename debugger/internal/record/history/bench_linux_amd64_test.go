package history_test

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
)

// BenchmarkBare is the loop that recording is measured against: a step, and
// the registers after it.
func BenchmarkBare(b *testing.B) {
	s := start(b, build(b, "-O0"), "spin")
	b.ResetTimer()
	err := s.process.Step(b.Context(), 0, func(s *proc.Stepper) error {
		for range b.N {
			if _, err := s.Step(); err != nil {
				return err
			}
			if _, err := s.Regs(); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	perSecond(b, b.N)
}

func BenchmarkRecord(b *testing.B) {
	for _, test := range []struct {
		name    string
		part    string
		options history.Options
	}{
		{"single", "spin", history.Options{Single: true}},
		{"interpreted", "spin", history.Options{}},
		{"mixed", "mix", history.Options{}},
		{"mixed single", "mix", history.Options{Single: true}},
	} {
		b.Run(test.name, func(b *testing.B) {
			s := start(b, build(b, "-O0"), test.part)
			r := s.recorder(test.options)
			b.ReportAllocs()
			b.ResetTimer()
			result, err := r.Run(b.Context(), 0, history.Limits{Steps: uint64(b.N)})
			if err != nil || result.Steps != uint64(b.N) {
				b.Fatalf("%+v, %v", result, err)
			}
			perSecond(b, b.N)
			h := r.History()
			b.ReportMetric(float64(h.Bytes())/float64(h.End()-h.Oldest()), "B/step")
		})
	}
}

// BenchmarkBack goes back through what was recorded, as often as it takes.
func BenchmarkBack(b *testing.B) {
	s := start(b, build(b, "-O0"), "spin")
	r := s.recorder(history.Options{})
	const steps = 1_000_000
	if _, err := r.Step(b.Context(), 0, steps); err != nil {
		b.Fatal(err)
	}
	h := r.History()
	for b.Loop() {
		if _, err := h.Back(steps); err != nil {
			b.Fatal(err)
		}
		if _, err := h.Forward(steps); err != nil {
			b.Fatal(err)
		}
	}
	perSecond(b, 2*steps*b.N)
}

func BenchmarkLastWrite(b *testing.B) {
	s := start(b, build(b, "-O0"), "spin")
	r := s.recorder(history.Options{})
	const steps = 1_000_000
	if _, err := r.Step(b.Context(), 0, steps); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, _, err := r.History().Steps.LastWrite(b.Context(), 0x10, 8); err != nil {
			b.Fatal(err)
		}
	}
	perSecond(b, steps*b.N)
}

// BenchmarkGDB is gdb's recording of the same loop, by continue.
func BenchmarkGDB(b *testing.B) {
	if _, err := exec.LookPath("gdb"); err != nil {
		b.Skip("this needs gdb")
	}
	path := build(b, "-O0")
	out, err := exec.CommandContext(b.Context(), "gdb", "-batch", "-nx", path,
		"-ex", "break begin_region", "-ex", "run < "+input(b, "short"), "-ex", "record full",
		"-ex", "break end_region", "-ex", "python import time; began = time.time()", "-ex", "continue",
		"-ex", "python print('took', time.time() - began)", "-ex", "info record", "-ex", "kill").CombinedOutput()
	var n int
	var took float64
	for line := range strings.Lines(string(out)) {
		_, _ = fmt.Sscanf(line, "Log contains %d instructions.", &n)
		_, _ = fmt.Sscanf(line, "took %g", &took)
	}
	if n == 0 || took == 0 {
		b.Skipf("gdb recorded nothing: %v\n%s", err, out)
	}
	b.ReportMetric(float64(n)/took, "steps/s")
	b.ReportMetric(0, "ns/op")
}

func perSecond(b *testing.B, n int) {
	b.Helper()
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "steps/s")
	b.ReportMetric(0, "ns/op")
}
