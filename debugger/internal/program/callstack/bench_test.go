package callstack_test

import (
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/program/callstack"
	"github.com/triptych-mcp/triptych/debugger/internal/program/setcache"
	"github.com/triptych-mcp/triptych/debugger/internal/program/symbols"
	"github.com/triptych-mcp/triptych/debugger/internal/program/symbolstest"
	"github.com/triptych-mcp/triptych/debugger/internal/program/values"
)

// BenchmarkUnwind walks nine calls of a C program, with names and lines, again
// and again, as a debugger does after each step.
func BenchmarkUnwind(b *testing.B) {
	s := symbolstest.Stop(b, symbolstest.Compile(b, "values.c", "-O0"), "marker", 0)
	p := s.Program(b)
	b.ReportAllocs()
	for b.Loop() {
		frames, err := callstack.Unwind(p, s.Core.Regs, s.Core, 10)
		if err != nil || len(frames) != 10 {
			b.Fatal(len(frames), err)
		}
	}
}

// BenchmarkAttach opens the images anew each time and answers with the first
// stack.
func BenchmarkAttach(b *testing.B) {
	for _, source := range []string{"values.c", "govalues"} {
		b.Run(source, func(b *testing.B) {
			function := map[string]string{"values.c": "marker", "govalues": "main.marker"}[source]
			s := symbolstest.Stop(b, symbolstest.Compile(b, source), function, 0)
			b.ReportAllocs()
			for b.Loop() {
				p := symbols.New(symbols.Config{Sets: setcache.New(0, 0)})
				p.Update(s.Core.Maps, s.Core)
				if _, err := callstack.Unwind(p, s.Core.Regs, s.Core, 10); err != nil {
					b.Fatal(err)
				}
				if err := p.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkVariables reads all variables of a frame.
func BenchmarkVariables(b *testing.B) {
	for _, source := range []string{"values.c", "values.cc"} {
		b.Run(source, func(b *testing.B) {
			s := symbolstest.Stop(b, symbolstest.Compile(b, source, "-O0"), "marker", 0)
			frames, err := callstack.Unwind(s.Program(b), s.Core.Regs, s.Core, 0)
			if err != nil {
				b.Fatal(err)
			}
			f := frames[1]
			b.ReportAllocs()
			for b.Loop() {
				for _, o := range f.Variables() {
					o.Value(values.DefaultLimits)
				}
			}
		})
	}
}
