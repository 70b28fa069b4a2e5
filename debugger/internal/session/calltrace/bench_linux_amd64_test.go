package calltrace_test

import (
	"fmt"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest/recordtest"
	"github.com/triptych-mcp/triptych/debugger/internal/session/calltrace"
)

// Rounds of long.c that take about 100,000 and ten million instructions.
const (
	shortRounds = 480
	longRounds  = 45_000
)

// BenchmarkTrace describes a call of 100,000 instructions.
func BenchmarkTrace(b *testing.B) {
	_, program := recordtest.Build(b, "long.c", "-O0")
	s := recordtest.Main(b, program, fmt.Sprint(shortRounds))
	for b.Loop() {
		if _, err := calltrace.Trace(b.Context(), s, calltrace.Query{Function: "work"}, calltrace.Options{MaxBytes: 5000}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCalls makes the tree of ten million instructions.
func BenchmarkCalls(b *testing.B) {
	_, program := recordtest.Build(b, "long.c", "-O0")
	s := recordtest.Main(b, program, fmt.Sprint(longRounds))
	h := s.Target.History
	for b.Loop() {
		h.Findings.Remember(fmt.Sprintf("calls %d %d %d", h.View().Thread(), h.Oldest(), h.End()), nil)
		if _, err := calltrace.Calls(b.Context(), s, h.View().Thread(), h.Oldest(), h.End(), nil); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(h.End()-h.Oldest()), "ns/step")
}
