package recording_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/record/inplace"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recfile"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recfile/recfiletest"
	"github.com/triptych-mcp/triptych/debugger/internal/record/replay"
)

// hostile returns a recording of a program of the given code, which ends after a few
// instructions. The code is at codeAt in memory that it may write, so that it is not
// translated.
func hostile(t *testing.T, code string, between ...recfile.Event) *recfile.Recording {
	t.Helper()
	return foreign(t, nil, code, between...)
}

// foreign is hostile with a vector state, which is one of this processor if it is nil.
func foreign(t *testing.T, vector []byte, code string, between ...recfile.Event) *recfile.Recording {
	t.Helper()
	first := open(t, record(t, "/bin/true").file).Event(0)
	if vector == nil {
		vector = first.Vector
	}
	none := recfile.Remap{Mapping: recfile.Mapping{File: -1}}
	var regs ptrace.Regs
	for _, r := range first.Registers {
		regs.Words()[r.Number] = r.Value
	}
	regs.RIP, regs.RAX, regs.RDI, regs.RCX, regs.RSI = codeAt, unix.SYS_EXIT_GROUP, 7, regs.SS, codeAt
	image := recfile.Event{
		Kind: recfile.Image, Remap: none, Vector: vector,
		Mappings: []recfile.Mapping{{Start: codeAt, Length: 4096, Protection: 7, File: -1}},
		Writes:   []recfile.Write{{Address: codeAt, Data: []byte(code)}},
	}
	for n, value := range regs.Words() {
		if n != 15 { // orig_rax
			image.Registers = append(image.Registers, recfile.Register{Number: uint8(n), Value: value})
		}
	}
	all := append([]recfile.Event{image}, between...)
	return open(t, recfiletest.Write(t, append(all, recfile.Event{Kind: recfile.Ended, Position: 20, Status: 7, Remap: none})))
}

const codeAt = 0x400000

// TestHostileCode replays programs that do what the recorded one did not do: the replay
// diverges and makes no system call. A call would end the process.
func TestHostileCode(t *testing.T) {
	nops := strings.Repeat("\x90", 32)
	for _, test := range []struct{ name, code, problem string }{
		{"a fault", "\x0f\x0b", "illegal instruction"},
		{"a system call", "\x0f\x05" + nops, "system call 231"},
		{"int 0x80", "\xcd\x80" + nops, "the instruction int"},
		{"a load of ss before a system call", "\x8e\xd1\x0f\x05" + nops, "the instruction mov"},
	} {
		t.Run(test.name, func(t *testing.T) {
			problem := divergence(t, hostile(t, test.code))
			if !strings.HasPrefix(problem, test.problem) {
				t.Errorf("got %q, want %q", problem, test.problem)
			}
		})
	}
}

// divergence replays a recording and returns where it diverges.
func divergence(t *testing.T, r *recfile.Recording) (problem string) {
	t.Helper()
	onTracer(t, func(tracer *ptrace.Tracer) error {
		p, err := replay.NewPlayer(tracer, r)
		if err != nil {
			return err
		}
		err = p.Finish(context.WithoutCancel(t.Context()))
		diverged, ok := errors.AsType[*replay.DivergenceError](err)
		if ok {
			problem, err = diverged.Problem, nil
		}
		return errors.Join(err, p.Close())
	})
	return problem
}

// TestStepMakesNoCall steps through instructions of which one makes a system call, which
// would end the process.
func TestStepMakesNoCall(t *testing.T) {
	for _, code := range []string{"\x0f\x05\x90", "\xcd\x80\x90", "\x8e\xd1\x0f\x05\x90"} { // mov ss, ecx
		r := hostile(t, code)
		onTracer(t, func(tracer *ptrace.Tracer) error {
			p, err := replay.NewPlayer(tracer, r)
			if err != nil {
				return err
			}
			stop, err := p.Runner().Step(t.Context())
			if stop.Kind != inplace.Call {
				t.Errorf("% x: %+v", code, stop)
			}
			return errors.Join(err, p.Close())
		})
	}
}

// TestCanceledRepeat cancels a repeated string operation, which else may take any time.
func TestCanceledRepeat(t *testing.T) {
	r := hostile(t, "\xf3\xac\x90") // rep lodsb
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	onTracer(t, func(tracer *ptrace.Tracer) error {
		p, err := replay.NewPlayer(tracer, r)
		if err != nil {
			return err
		}
		if stop, err := p.Runner().Step(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("%+v, %v", stop, err)
		}
		stop, err := p.Runner().Step(t.Context())
		if regs := p.Regs(); stop.Kind != inplace.Done || regs.RIP != codeAt+2 || regs.RCX != 0 {
			t.Errorf("%+v at %#x", stop, regs.RIP)
		}
		return errors.Join(err, p.Close())
	})
}

// TestHostileRemap replays a change of the kernel's own mappings.
func TestHostileRemap(t *testing.T) {
	for _, kind := range []recfile.RemapKind{recfile.Map, recfile.Unmap, recfile.Protect, recfile.Discard} {
		change := recfile.Event{Kind: recfile.Call, Number: unix.SYS_MMAP, Remap: recfile.Remap{
			Kind: kind, Mapping: recfile.Mapping{Start: 1 << 20, Length: 1<<47 - 1<<21, Protection: 7, File: -1},
		}}
		if problem := divergence(t, hostile(t, "\x90", change)); problem != "the mapping at 0x100000 is not the program's" {
			t.Errorf("remap %d: %q", kind, problem)
		}
	}
}

// TestReserved replays a program that maps all that the kernel chooses at random: the addresses
// below the end of memory, the gap for the stack and the random part of its address, 16 GiB. The
// kernel's own mappings of the replay are elsewhere.
func TestReserved(t *testing.T) {
	const begins, ends = 0x7000_0000_0000, 1<<47 - 16<<30 - 128<<20
	change := recfile.Event{Kind: recfile.Call, Number: unix.SYS_MMAP, Remap: recfile.Remap{
		Kind: recfile.Map, Mapping: recfile.Mapping{Start: begins, Length: ends - begins, File: -1},
	}}
	if problem := divergence(t, hostile(t, "\x90", change)); strings.Contains(problem, "is not the program's") {
		t.Error(problem)
	}
}

// TestHostileWrite replays a write to memory that is not the program's.
func TestHostileWrite(t *testing.T) {
	change := recfile.Event{
		Kind: recfile.Call, Remap: recfile.Remap{Mapping: recfile.Mapping{File: -1}},
		Writes: []recfile.Write{{Address: 0x1000, Data: []byte("x")}},
	}
	if problem := divergence(t, hostile(t, "\x90", change)); problem == "" {
		t.Error("it does not diverge")
	}
}
