package x86_test

import (
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
)

// benchCode is a stretch of what programs consist of: moves, a call, SSE, AVX
// and AVX-512.
var benchCode = []struct{ name, code string }{
	{"mov", "48 8b 43 08"},
	{"store_disp32", "c6 83 00 ff ff ff 07"},
	{"group", "48 83 ec 80"},
	{"call", "e8 31 01 00 00"},
	{"sse", "f3 0f 11 44 24 0c"},
	{"vex", "c4 e2 f1 b8 44 8b 10"},
	{"evex", "62 f1 fe 48 7f 43 01"},
}

func BenchmarkDecode(b *testing.B) {
	for _, bc := range benchCode {
		b.Run(bc.name, func(b *testing.B) {
			bytes := benchBytes(b, bc.code)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := x86.Decode(bytes, 0x400000); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkWrites(b *testing.B) {
	in, err := x86.Decode(benchBytes(b, "48 89 44 cb 10"), 0)
	if err != nil {
		b.Fatal(err)
	}
	regs := testRegs()
	spans := make([]x86.Span, 0, 4)
	b.ReportAllocs()
	for b.Loop() {
		spans = in.Writes(spans[:0], &regs, x86.OneIteration)
	}
}

func BenchmarkText(b *testing.B) {
	in, err := x86.Decode(benchBytes(b, "48 89 44 cb 10"), 0)
	if err != nil {
		b.Fatal(err)
	}
	var dst []byte
	b.ReportAllocs()
	for b.Loop() {
		dst = in.AppendText(dst[:0], nil)
	}
}

// benchBytes pads an instruction to the length that Decode likes best.
func benchBytes(tb testing.TB, s string) []byte {
	tb.Helper()
	t := make([]byte, 0, 32)
	t = append(t, hexBytes(tb, s)...)
	for len(t) < x86.MaxLen {
		t = append(t, 0x90)
	}
	return t
}

// TestNoAllocation pins what the recorder does for each step.
func TestNoAllocation(t *testing.T) {
	regs := testRegs()
	spans := make([]x86.Span, 0, 4)
	text := make([]byte, 0, 128)
	for _, bc := range benchCode {
		bytes := benchBytes(t, bc.code)
		allocs := testing.AllocsPerRun(100, func() {
			in, err := x86.Decode(bytes, 0x400000)
			if err != nil {
				t.Fatal(err)
			}
			spans = in.Writes(spans[:0], &regs, x86.WholeRepeat)
			text = in.AppendText(text[:0], nil)
		})
		if allocs != 0 {
			t.Errorf("%s: %v allocations", bc.name, allocs)
		}
	}
}
