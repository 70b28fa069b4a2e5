package callstack_test

import (
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/program/callstack"
	"github.com/triptych-mcp/triptych/debugger/internal/program/dwarfregs"
	"github.com/triptych-mcp/triptych/debugger/internal/program/symbols"
)

// firstStack attaches to a process and returns the stack of its first thread, of at most limit
// frames.
func firstStack(t testing.TB, pid, limit int) []callstack.Frame {
	t.Helper()
	process, err := proc.Attach(t.Context(), pid, proc.Options{})
	if err != nil {
		t.Skip("tracing is not permitted here: ", err)
	}
	defer func() { _ = process.Detach(t.Context()) }()
	maps, err := process.Maps()
	if err != nil {
		t.Fatal(err)
	}
	var mappings []symbols.Mapping
	for _, m := range maps {
		mappings = append(mappings, symbols.Mapping{Start: m.Start, End: m.End, Offset: m.Offset, Path: m.Path})
	}
	regs, err := process.Regs(0)
	if err != nil {
		t.Fatal(err)
	}
	p := symbols.New(symbols.Config{})
	defer func() { _ = p.Close() }()
	memory := live{process}
	p.Update(mappings, memory)
	general := [17]uint64{
		regs.RAX, regs.RDX, regs.RCX, regs.RBX, regs.RSI, regs.RDI, regs.RBP, regs.RSP,
		regs.R8, regs.R9, regs.R10, regs.R11, regs.R12, regs.R13, regs.R14, regs.R15, regs.RIP,
	}
	frames, err := callstack.Unwind(p, dwarfregs.NewRegisters(general, regs.FSBase), memory, limit)
	if err != nil {
		t.Fatal(err)
	}
	return frames
}

// live is the memory of a process.
type live struct{ process *proc.Process }

func (l live) ReadMemory(addr uint64, b []byte) error {
	_, err := l.process.ReadMemory(addr, b)
	return err
}

// The stack of a thread in which Go has called C and C has called Go, several times, has all
// functions of the program.
func TestCrossings(t *testing.T) {
	all := []string{"main.goInner", "goInner", "cInner", "main.goMiddle", "goMiddle", "cOuter", "main.main"}
	for where, want := range map[string][]string{"go": all, "c": all[2:]} {
		t.Run(where, func(t *testing.T) {
			program := debuggertest.Start(t, "crossings/crossings.go", where)
			frames := firstStack(t, program.PID, 0)
			var got []string
			for _, f := range frames {
				if slices.Contains(all, f.Function) {
					got = append(got, f.Function)
				}
			}
			if last := frames[len(frames)-1]; !slices.Equal(got, want) || !strings.HasPrefix(last.Function, "runtime.goexit") {
				t.Errorf("the stack has %q, want %q", got, want)
				for _, f := range frames {
					t.Log(f.String())
				}
			}
		})
	}
}

// BenchmarkFirstStack attaches to a C program that waits in a library and shows
// its stack with lines: this package, and gdb without its start.
func BenchmarkFirstStack(b *testing.B) {
	program := debuggertest.Start(b, "forker.c")
	program.AwaitSleep()
	b.Run("own", func(b *testing.B) {
		for b.Loop() {
			if frames := firstStack(b, program.PID, 10); len(frames) < 5 {
				b.Fatal(frames)
			}
		}
	})
	b.Run("gdb", func(b *testing.B) {
		if _, err := exec.LookPath("gdb"); err != nil {
			b.Skip("this needs gdb")
		}
		total := 0.0
		for b.Loop() {
			out, err := exec.CommandContext(b.Context(), "gdb", "-nx", "-batch", "-ex", "set debuginfod enabled off",
				"-ex", "python import time; began = time.time()", "-ex", "attach "+strconv.Itoa(program.PID), "-ex", "bt 10",
				"-ex", "python print('took', time.time() - began)").CombinedOutput()
			took := 0.0
			for line := range strings.Lines(string(out)) {
				_, _ = fmt.Sscanf(line, "took %g", &took)
			}
			if err != nil || took == 0 {
				b.Fatalf("%v\n%s", err, out)
			}
			total += took
		}
		b.ReportMetric(total*1e9/float64(b.N), "ns/op")
	})
}
