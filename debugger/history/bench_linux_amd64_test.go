package history_test

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/debugger/history"
	"github.com/triptych-mcp/triptych/debugger/proc"
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
	s := start(b, build(b, "-O0"), "spin")
	r := s.recorder(history.Options{})
	b.ReportAllocs()
	b.ResetTimer()
	result, err := r.Step(b.Context(), 0, uint64(b.N))
	if err != nil || result.Steps != uint64(b.N) {
		b.Fatalf("%+v, %v", result, err)
	}
	perSecond(b, b.N)
	b.ReportMetric(float64(r.History().Bytes())/float64(b.N), "B/step")
}

// BenchmarkBack goes back through what was recorded, as often as it takes.
func BenchmarkBack(b *testing.B) {
	s := start(b, build(b, "-O0"), "spin")
	r := s.recorder(history.Options{})
	const steps = 200_000
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
	const steps = 200_000
	if _, err := r.Step(b.Context(), 0, steps); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, _, err := r.History().LastWrite(b.Context(), 0x10, 8); err != nil {
			b.Fatal(err)
		}
	}
	perSecond(b, steps*b.N)
}

// BenchmarkGDB is gdb's recording of the same loop, for 2 seconds.
func BenchmarkGDB(b *testing.B) {
	if _, err := exec.LookPath("gdb"); err != nil {
		b.Skip("this needs gdb")
	}
	path := build(b, "-O0")
	const seconds = 2
	script := []string{
		"-batch", "-nx", path, "-ex", "break begin_region", "-ex", "run < " + spinInput(b), "-ex", "record full",
		"-ex", "set record full insn-number-max unlimited",
		"-ex", fmt.Sprintf("python import threading, gdb, time; threading.Timer(%d, lambda: gdb.post_event(lambda: gdb.execute('interrupt'))).start()", seconds),
		"-ex", "python import os, signal, threading; threading.Timer(" + fmt.Sprint(seconds) + ", lambda: os.kill(gdb.selected_inferior().pid, signal.SIGINT)).start()",
		"-ex", "continue", "-ex", "info record", "-ex", "kill",
	}
	began := time.Now()
	out, err := exec.Command("gdb", script...).CombinedOutput()
	var n int
	for line := range strings.Lines(string(out)) {
		_, _ = fmt.Sscanf(line, "Log contains %d instructions.", &n)
	}
	if n == 0 {
		b.Skipf("gdb recorded nothing: %v\n%s", err, out)
	}
	b.ReportMetric(float64(n)/seconds, "steps/s")
	b.Logf("%d instructions in %v with its start", n, time.Since(began))
}

func perSecond(b *testing.B, n int) {
	b.Helper()
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "steps/s")
	b.ReportMetric(0, "ns/op")
}
