package callstack_test

import (
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/program/callstack"
	"github.com/triptych-mcp/triptych/debugger/internal/program/symbols"
	"github.com/triptych-mcp/triptych/debugger/internal/program/symbolstest"
	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
)

// TestUnwind compares stacks with gdb's: addresses, names, lines, and which
// frames are inlined or made by the kernel.
func TestUnwind(t *testing.T) {
	tests := []struct {
		name, source string
		flags        []string
		ignore       int
	}{
		{"C", "values.c", []string{"-O0"}, 0},
		{"C, DWARF 4", "values.c", []string{"-O0", "-gdwarf-4"}, 0},
		{"C, not PIE", "values.c", []string{"-O0", "-no-pie"}, 0},
		{"C, static", "values.c", []string{"-O0", "-static"}, 0},
		{"C, no frame pointers, .debug_frame", "values.c", []string{"-O2", "-fomit-frame-pointer", "-fno-asynchronous-unwind-tables"}, 0},
		{"C, compressed", "values.c", []string{"-O0", "-gz=zlib"}, 0},
		{"C, compressed the old way", "values.c", []string{"-O0", "-gdwarf-4", "-gz=zlib-gnu"}, 0},
		{"C, inlined, in a signal handler", "optimized.c", []string{"-O2"}, 0},
		{"C, tail calls", "tailcalls.c", []string{"-O2"}, 0},
		{"C, tail calls in two ways", "tailcalls.c", []string{"-O2"}, 1},
		{"C, tail calls, DWARF 4", "tailcalls.c", []string{"-O2", "-gdwarf-4"}, 0},
		{"C, tail calls, all units linked as one", "tailcalls.c", []string{"-O2", "-flto"}, 0},
		{"C, clang, code without a line", "linezero.c", []string{"-O2", "clang"}, 0},
		{"C, musl, static", "values.c", []string{"-O0", "-static", "musl-gcc"}, 0},
		{"C++", "values.cc", []string{"-O0"}, 1},
		{"C++, lambda", "values.cc", []string{"-O0"}, 0},
		{"C++, optimized", "values.cc", []string{"-O2"}, 1},
		{"Rust", "values.rs", nil, 0},
		{"Go", "govalues", nil, 0},
		{"Go, compressed", "govalues", []string{"-ldflags=-compressdwarf=true"}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			sample.Case(t)
			t.Parallel()
			function := "marker"
			if tt.source == "govalues" {
				function = "main.marker"
			}
			exe := ""
			if n := len(tt.flags) - 1; n >= 0 && !strings.HasPrefix(tt.flags[n], "-") {
				exe = symbolstest.CompileWith(t, tt.flags[n], tt.source, tt.flags[:n]...)
			} else {
				exe = symbolstest.Compile(t, tt.source, tt.flags...)
			}
			compareStack(t, symbolstest.Stop(t, exe, function, tt.ignore))
		})
	}
}

func compareStack(t *testing.T, s *symbolstest.Stopped) {
	t.Helper()
	p := s.Program(t)
	frames, err := callstack.Unwind(p, s.Core.Regs, s.Core, 0)
	if err != nil {
		t.Fatal(err)
	}
	frames = joinTailCalls(frames)
	for i, want := range s.Oracle.Frames {
		if want.PC == 0 { // gdb goes one too far in Go
			continue
		}
		if i >= len(frames) {
			t.Errorf("#%d is missing: %+v", i, want)
			continue
		}
		got := frames[i]
		if got.PC != want.PC || got.Inlined != want.Inlined || got.Signal != want.Signal || got.TailCall != want.Tail {
			t.Errorf("#%d is %v (inlined %v, signal %v, tail call %v), want %+v", i, &got, got.Inlined, got.Signal, got.TailCall, want)
			continue
		}
		if want.Signal {
			continue
		}
		if plainName(got.Function) != plainName(want.Name) && !alias(t, p, want.Name, got.PC-uint64(got.Offset)) {
			t.Errorf("#%d is %q, want %q", i, got.Function, want.Name)
		}
		if want.File != "" && (got.Line != want.Line || path.Clean(got.File) != path.Clean(want.File)) {
			t.Errorf("#%d is at %s:%d, want %s:%d", i, got.File, got.Line, want.File, want.Line)
		}
	}
	if len(frames) > len(s.Oracle.Frames) {
		t.Errorf("%d frames, want %d; the next is %v", len(frames), len(s.Oracle.Frames), &frames[len(s.Oracle.Frames)])
	}
}

// joinTailCalls makes one frame of a function that jumped and of those that were
// inlined where it did, as gdb shows them: under the name of the innermost.
func joinTailCalls(frames []callstack.Frame) []callstack.Frame {
	var out []callstack.Frame
	for _, f := range frames {
		if n := len(out); f.TailCall && n > 0 && out[n-1].Inlined && out[n-1].PC == f.PC {
			for n > 1 && out[n-2].Inlined && out[n-2].PC == f.PC {
				n--
			}
			out = out[:n]
			out[n-1].Inlined, out[n-1].TailCall = false, true
			continue
		}
		out = append(out, f)
	}
	return out
}

// TestGoStacks: the runtime runs some of its functions on another stack, and
// makes a fault look like a call. Both lead back to the goroutine.
func TestGoStacks(t *testing.T) {
	tests := []struct {
		stop string
		want []string // in this order, others may stand between
	}{
		{"runtime.stopTheWorldWithSema", []string{
			"runtime.stopTheWorldWithSema", "runtime.systemstack", "runtime.gcStart", "runtime.GC",
			"main.collect", "main.collect", "main.collect", "main.collect", "main.main", "runtime.main", "runtime.goexit",
		}},
		{"runtime.gopanic", []string{
			"runtime.gopanic", "runtime.panicmem", "runtime.sigpanic", "main.fault", "main.main", "runtime.main", "runtime.goexit",
		}},
	}
	t.Setenv("ORACLE_PLAIN", "yes")
	exe := symbolstest.Compile(t, "gostacks")
	for _, tt := range tests {
		t.Run(tt.stop, func(t *testing.T) {
			sample.Case(t)
			s := symbolstest.Stop(t, exe, tt.stop, 0)
			frames, err := callstack.Unwind(s.Program(t), s.Core.Regs, s.Core, 0)
			if err != nil {
				t.Fatal(err)
			}
			rest := tt.want
			for i := range frames {
				if len(rest) > 0 && frames[i].Function == rest[0] {
					rest = rest[1:]
				}
			}
			if last := frames[len(frames)-1].Function; len(rest) > 0 || last != "runtime.goexit" {
				t.Errorf("%v is missing, the last is %s", rest, last)
				for i := range frames {
					t.Logf("#%d %v", i, &frames[i])
				}
			}
		})
	}
}

// TestGoStackStripped compares stacks of programs without debug information
// with those of the same programs with it.
func TestGoStackStripped(t *testing.T) {
	t.Setenv("ORACLE_PLAIN", "yes")
	stack := func(flags ...string) (lines []string) {
		s := symbolstest.Stop(t, symbolstest.Compile(t, "govalues", flags...), "main.marker", 0)
		frames, err := callstack.Unwind(s.Program(t), s.Core.Regs, s.Core, 0)
		if err != nil {
			t.Fatal(err)
		}
		for i := range frames[1:] { // where a function's first line begins gdb guesses without debug information
			lines = append(lines, frames[1+i].String())
		}
		return lines
	}
	want, got := stack(), stack("-ldflags=-w")
	if !slices.Equal(got, want) || len(want) < 3 {
		t.Errorf("%q, want %q", got, want)
	}
}

// alias reports whether a name is another one of the function at an address: gdb
// prefers the linker's.
func alias(t *testing.T, p *symbols.Program, name string, start uint64) bool {
	t.Helper()
	addrs, _ := p.Lookup(t.Context(), name)
	return slices.Contains(addrs, start)
}

// plainName drops parameters, which gdb shows in C++, and versions.
func plainName(name string) string {
	if i := strings.IndexByte(name, '('); i > 0 && !strings.HasPrefix(name, "leaf(") {
		name = name[:i]
	} else if i > 0 {
		j := strings.LastIndex(name, "::")
		if j < 0 {
			return name[:i]
		}
		return name[j+2:]
	}
	return name
}
