package inplace_test

import (
	"context"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/syscalls"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
	"github.com/triptych-mcp/triptych/debugger/internal/record/inplace"
)

// An input is a stop at which a program learns something that its registers and memory
// do not determine.
type input struct {
	kind          inplace.Kind
	executed      int64
	before, after ptrace.Regs
	writes        []x86.Span // what a system call has written,
	contents      [][]byte   // and with what
}

// made lists the system calls that a replay makes, too: they change mappings, need the
// files for that, or concern the thread. Others only return what they have returned.
var made = map[uint64]bool{
	unix.SYS_MMAP: true, unix.SYS_MUNMAP: true, unix.SYS_MPROTECT: true, unix.SYS_BRK: true, unix.SYS_MREMAP: true,
	unix.SYS_OPENAT: true, unix.SYS_CLOSE: true, unix.SYS_ARCH_PRCTL: true, unix.SYS_EXIT_GROUP: true,
	unix.SYS_RT_SIGACTION: true, unix.SYS_RT_SIGPROCMASK: true, unix.SYS_SIGALTSTACK: true,
	unix.SYS_SET_TID_ADDRESS: true, unix.SYS_SET_ROBUST_LIST: true,
}

// TestInputsDetermineRuns runs programs again with the inputs of their first run: they
// are at the same places after the same numbers of instructions, with the same
// registers. Nothing is read from the files again except code.
func TestInputsDetermineRuns(t *testing.T) {
	thrower := debuggertest.Build(t, "thrower.cc", "-O2")
	for _, argv := range [][]string{{"gzip", "-c", "/bin/ls"}, {"sort", "--parallel=1", "/etc/services"}, {thrower}} {
		t.Run(argv[0], func(t *testing.T) {
			var inputs []input
			report(t, onTracer(t, func(tracer *ptrace.Tracer) { inputs = record(tracer, argv) }))
			report(t, onTracer(t, func(tracer *ptrace.Tracer) { replay(tracer, argv, inputs) }))
			last := inputs[len(inputs)-1]
			t.Logf("%d inputs, %d instructions", len(inputs), last.executed)
			if last.kind != inplace.Call || len(inputs) < 20 {
				t.Errorf("%d inputs, the last one of kind %d", len(inputs), last.kind)
			}
		})
	}
}

// record runs a program to its end and returns its inputs.
func record(tracer *ptrace.Tracer, argv []string) []input {
	r, err := inplace.New(tracer, launchFixed(tracer, argv))
	allowed(err)
	defer func() { _ = r.Close() }()
	var inputs []input
	for {
		stop, err := r.Run(context.Background(), 1<<50)
		must(err)
		n := input{kind: stop.Kind, executed: r.Executed(), before: r.Regs}
		switch stop.Kind {
		case inplace.Call:
			effect := effectOf(r)
			if stop, err = r.Execute(); !made[n.before.RAX] && stop.Kind == inplace.Done {
				n.copyWritten(r, effect.Writes)
			}
		case inplace.Native:
			stop, err = r.Step(context.Background())
		default:
			panic(failuref("a stop of kind %d", stop.Kind))
		}
		must(err)
		n.after = r.Regs
		inputs = append(inputs, n)
		if stop.Kind == inplace.Exited {
			return inputs
		}
	}
}

// effectOf returns what the system call at which the thread has stopped will write.
func effectOf(r *inplace.Runner) syscalls.Effect {
	g := &r.Regs
	call := syscalls.Call{Number: g.RAX, Args: [6]uint64{g.RDI, g.RSI, g.RDX, g.R10, g.R8, g.R9}}
	effect := syscalls.Of(call, func(addr uint64, b []byte) bool {
		_, err := r.Memory().Read(addr, b)
		return err == nil
	})
	if effect.Unknown {
		panic(failuref("the effect of system call %d is unknown", call.Number))
	}
	return effect
}

// copyWritten copies what a system call has written.
func (n *input) copyWritten(r *inplace.Runner, spans []x86.Span) {
	for _, s := range spans {
		b := make([]byte, min(s.Len, 1<<24))
		length, _ := r.Memory().Read(s.Addr, b) // a span may be too long
		n.writes, n.contents = append(n.writes, s), append(n.contents, b[:length])
	}
}

// replay runs a program again with its inputs.
func replay(tracer *ptrace.Tracer, argv []string, inputs []input) {
	r, err := inplace.New(tracer, launchFixed(tracer, argv))
	allowed(err)
	defer func() { _ = r.Close() }()
	for n, in := range inputs {
		stop, err := r.Run(context.Background(), 1<<50)
		must(err)
		if stop.Kind != in.kind || r.Executed() != in.executed || r.Regs != in.before {
			panic(failuref("input %d: kind %d after %d instructions with %+v, want kind %d after %d with %+v",
				n, stop.Kind, r.Executed(), r.Regs, in.kind, in.executed, in.before))
		}
		switch {
		case in.kind == inplace.Native:
			stop, err = r.Step(context.Background())
		case made[in.before.RAX]:
			stop, err = r.Execute()
		default:
			for i, s := range in.writes {
				_, err := r.Memory().Write(s.Addr, in.contents[i])
				must(err)
			}
			r.Skip(in.after.RAX)
		}
		must(err)
		if ended := stop.Kind == inplace.Exited; ended != (n == len(inputs)-1) {
			panic(failuref("input %d of %d: ended is %v", n, len(inputs), ended))
		}
		r.Regs = in.after // also process ids, and what the processor counts
	}
}
