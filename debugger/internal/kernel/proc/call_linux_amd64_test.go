package proc_test

import (
	"bytes"
	"context"
	"debug/elf"
	"encoding/binary"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/guard"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/xsave"
)

// callOf is a call of a function of integers, with a stack below the red zone.
func callOf(t *testing.T, p *proc.Process, address uint64, args ...uint64) proc.Call {
	t.Helper()
	regs, err := p.Regs(0)
	if err != nil {
		t.Fatal(err)
	}
	for i, to := range []*uint64{&regs.RDI, &regs.RSI, &regs.RDX, &regs.RCX, &regs.R8, &regs.R9} {
		if i < len(args) {
			*to = args[i]
		}
	}
	var stack []byte
	for _, arg := range args[min(6, len(args)):] {
		stack = binary.LittleEndian.AppendUint64(stack, arg)
	}
	at := (regs.RSP - 256 - uint64(len(stack))) &^ 15
	regs.RIP, regs.RSP, regs.RAX = address, at-8, 0
	return proc.Call{Regs: regs, Memory: []proc.Patch{{Address: at, Data: stack}}, Limit: 10 * time.Second}
}

// snapshotOf returns the state that a call must restore.
func snapshotOf(t *testing.T, p *proc.Process, program *debuggertest.Program) string {
	t.Helper()
	regs, err := p.Regs(0)
	if err != nil {
		t.Fatal(err)
	}
	vector, err := p.XState(0, nil)
	if err != nil {
		t.Fatal(err)
	}
	zone := make([]byte, 128+256)
	if _, err := p.ReadMemory(regs.RSP-128, zone); err != nil {
		t.Fatal(err)
	}
	mask, err := p.SigMask(0)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	_ = binary.Write(&b, binary.LittleEndian, regs)
	_ = binary.Write(&b, binary.LittleEndian, mask)
	b.Write(xsave.Machine().Canonical(vector))
	b.Write(zone)
	for _, field := range []string{"SigBlk", "SigIgn", "SigPnd", "ShdPnd"} {
		b.WriteString(program.Status(field))
	}
	return b.String()
}

// called makes a call and checks that the thread is as before.
func called(t *testing.T, p *proc.Process, program *debuggertest.Program, c proc.Call) (proc.Returned, error) {
	t.Helper()
	before := snapshotOf(t, p, program)
	out, err := p.Call(t.Context(), 0, c)
	if snapshotOf(t, p, program) != before {
		t.Error("the state of the thread has changed")
	}
	return out, err
}

// Functions return what they return in the program, and the thread is as before,
// whether it stood at a breakpoint or in a system call.
func TestCall(t *testing.T) {
	for _, software := range []bool{false, true} {
		program := debuggertest.Start(t, "callee.c")
		p := attach(t, program, proc.Options{Software: software})
		check := func(where string) {
			t.Helper()
			out, err := called(t, p, program, callOf(t, p, program.Symbol("add9"), 1, 2, 3, 4, 5, 6, 7, 8, 9))
			if err != nil || out.RAX != 285 {
				t.Errorf("%s: add9 is %d, %v; want 285", where, out.RAX, err)
			}
			out, err = called(t, p, program, callOf(t, p, program.Symbol("visit"), 41))
			if err != nil || out.RAX != 42 {
				t.Errorf("%s: visit is %d, %v; want 42", where, out.RAX, err)
			}
			if _, err = called(t, p, program, callOf(t, p, program.Symbol("clobber"))); err != nil {
				t.Errorf("%s: clobber: %v", where, err)
			}
		}
		check("in read(2)")
		set(t, p, proc.BreakpointSpec{Address: program.Mark("print"), Once: true})
		go program.Tell("go")
		if stop := resume(t, p); stop.Why != proc.AtBreakpoint {
			t.Fatalf("stop %+v", stop)
		}
		check("at a breakpoint")
		if _, err := p.StepInstruction(t.Context(), 0); err != nil {
			t.Fatal(err)
		}
		check("after a step")
		if err := p.Detach(context.Background()); err != nil {
			t.Fatal(err)
		}
		if got := program.Line(); got != "visits 4, handled 0, add 45" {
			t.Errorf("the program says %q", got)
		}
		if got := program.Ask("again"); got != "visits 5, handled 0, add 45" {
			t.Errorf("the program says %q", got)
		}
	}
}

// A function that does not return is ended, with the reason, and the thread is as
// before.
func TestCallEnds(t *testing.T) {
	for _, software := range []bool{false, true} {
		program := debuggertest.Start(t, "callee.c")
		p := attach(t, program, proc.Options{Software: software})
		at := set(t, p, proc.BreakpointSpec{Address: program.Mark("visit")})
		never := 0
		set(t, p, proc.BreakpointSpec{Address: program.Symbol("add9"), Condition: func(proc.Hit) (bool, error) { never++; return false, nil }})
		out, err := called(t, p, program, callOf(t, p, program.Symbol("add9"), 1, 0, 0, 0, 0, 0, 0, 0, 1))
		if err != nil || out.RAX != 10 || never != 1 {
			t.Errorf("past a breakpoint whose condition does not hold: %d, %v, %d hits", out.RAX, err, never)
		}
		for _, tt := range []struct {
			function string
			limit    time.Duration
			want     proc.Stop
		}{
			{"visit", 0, proc.Stop{Why: proc.AtBreakpoint, Breakpoint: at.ID, Address: program.Mark("visit")}},
			{"fault", 0, proc.Stop{Why: proc.Signalled, Signal: unix.SIGSEGV, Fault: 16, Code: 1}},
			{"signal_self", 0, proc.Stop{Why: proc.Signalled, Signal: unix.SIGUSR1, Code: -6}},
			{"spin", 20 * time.Millisecond, proc.Stop{Why: proc.Paused}},
			{"ask", 20 * time.Millisecond, proc.Stop{Why: proc.Paused}},
			{"nap", 20 * time.Millisecond, proc.Stop{Why: proc.Paused}},
		} {
			c := callOf(t, p, program.Symbol(tt.function), 1)
			if tt.limit != 0 {
				c.Limit = tt.limit
			}
			_, err := called(t, p, program, c)
			ended, ok := errors.AsType[*proc.CallError](err)
			if !ok {
				t.Errorf("%s: %v", tt.function, err)
				continue
			}
			got := ended.Stop
			if got.Thread = 0; tt.want.Address == 0 {
				got.Address = 0
			}
			if got != tt.want {
				t.Errorf("%s: %+v, want %+v", tt.function, got, tt.want)
			}
		}
		requireDetached(t, p, program)
		if got := program.Ask("go"); !strings.HasPrefix(got, "visits ") {
			t.Errorf("the program says %q", got)
		}
	}
}

// A function may stand at the entry of a system call, after a step over a breakpoint
// whose condition does not hold; the thread does not stand there afterwards.
func TestCallStepsIntoSyscall(t *testing.T) {
	program := debuggertest.Start(t, "callee.c")
	p := attach(t, program, proc.Options{Software: true})
	hits := 0
	set(t, p, proc.BreakpointSpec{Address: program.Symbol("direct_call"), Condition: func(proc.Hit) (bool, error) { hits++; return false, nil }})
	for i := range 2 {
		out, err := called(t, p, program, callOf(t, p, program.Symbol("direct")))
		if err != nil || out.RAX != uint64(os.Getpid()) || hits != i+1 {
			t.Errorf("direct is %d, %v, after %d hits", out.RAX, err, hits)
		}
	}
}

// The guard brings a thread back from a function also after a system call was injected
// into it, here to send a signal again that arrived in a step over a breakpoint.
func TestCallStaysPublished(t *testing.T) {
	program := debuggertest.Start(t, "callee.c")
	p := attach(t, program, proc.Options{Software: true})
	var states []guard.Work
	note := func(proc.Hit) (bool, error) {
		states = append(states, p.Published())
		return false, unix.Kill(program.PID, unix.SIGUSR2)
	}
	set(t, p, proc.BreakpointSpec{Address: program.Symbol("visit"), Condition: note})
	set(t, p, proc.BreakpointSpec{Address: program.Mark("visit"), Condition: note})
	out, err := p.Call(t.Context(), 0, callOf(t, p, program.Symbol("visit"), 1))
	if want := []guard.Work{guard.WorkFunction, guard.WorkFunction}; err != nil || out.RAX != 2 || !slices.Equal(states, want) {
		t.Errorf("visit is %d, %v, in the states %v; want %v", out.RAX, err, states, want)
	}
}

// A signal from outside does not end a function, and reaches the process afterwards,
// once.
func TestCallDefersSignals(t *testing.T) {
	program := debuggertest.Start(t, "callee.c")
	p := attach(t, program, proc.Options{})
	if err := p.SetSignal(unix.SIGUSR2, proc.Pass); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := unix.Kill(program.PID, unix.SIGUSR2); err != nil {
			t.Fatal(err)
		}
	}
	out, err := p.Call(t.Context(), 0, callOf(t, p, program.Symbol("add9"), 1, 0, 0, 0, 0, 0, 0, 0, 0))
	if err != nil || out.RAX != 1 {
		t.Errorf("got %d, %v", out.RAX, err)
	}
	requireDetached(t, p, program)
	if got, want := program.Ask("go"), "visits 2, handled 1, add 45"; got != want {
		t.Errorf("the program says %q, want %q", got, want)
	}
}

// A signal that the process has stopped for is still there after a call.
func TestCallAtSignal(t *testing.T) {
	program := debuggertest.Start(t, "callee.c")
	p := attach(t, program, proc.Options{})
	if err := unix.Kill(program.PID, unix.SIGUSR2); err != nil {
		t.Fatal(err)
	}
	if stop := resume(t, p); stop.Signal != unix.SIGUSR2 {
		t.Fatalf("stop %+v", stop)
	}
	if out, err := p.Call(t.Context(), 0, callOf(t, p, program.Symbol("visit"), 1)); err != nil || out.RAX != 2 {
		t.Errorf("got %d, %v", out.RAX, err)
	}
	go program.Tell("go")
	set(t, p, proc.BreakpointSpec{Address: program.Mark("print")})
	if stop := resume(t, p); stop.Why != proc.AtBreakpoint {
		t.Errorf("stop %+v, want the breakpoint: the signal was reported", stop)
	}
	if err := p.Detach(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, want := program.Line(), "visits 2, handled 1, add 45"; got != want {
		t.Errorf("the program says %q, want %q", got, want)
	}
}

// A launched program has no guard, and no rescue code before or after a call.
func TestCallInLaunched(t *testing.T) {
	p, _ := launch(t, "callee.c")
	stopAtMark(t, p, launchedSymbol(t, p, "main"))
	if out, err := p.Call(t.Context(), 0, callOf(t, p, launchedSymbol(t, p, "visit"), 6)); err != nil || out.RAX != 7 {
		t.Errorf("got %d, %v", out.RAX, err)
	}
	_, err := p.Call(t.Context(), 0, callOf(t, p, launchedSymbol(t, p, "fault")))
	if ended, ok := errors.AsType[*proc.CallError](err); !ok || ended.Stop.Signal != unix.SIGSEGV {
		t.Errorf("got %v", err)
	}
	maps, err := p.Maps()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range maps {
		end := make([]byte, 128)
		if _, err := p.ReadMemory(m.End-128, end); m.Path == "[vdso]" && (err != nil || !bytes.Equal(end, make([]byte, 128))) {
			t.Errorf("the end of the vdso is % x, %v", end, err)
		}
	}
}

// launchedSymbol is the address of a function of a launched program.
func launchedSymbol(t *testing.T, p *proc.Process, name string) uint64 {
	t.Helper()
	path, err := p.Executable()
	if err != nil {
		t.Fatal(err)
	}
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	maps, err := p.Maps()
	if err != nil {
		t.Fatal(err)
	}
	symbols, err := f.Symbols()
	for _, s := range symbols {
		if s.Name == name {
			return maps[0].Start + s.Value // the first mapping is the program's
		}
	}
	t.Fatalf("no symbol %s: %v", name, err)
	return 0
}

// A debugger that is killed while it calls functions leaves its process alive and
// unharmed: the guard gives the thread its registers when the function has returned.
func TestDebuggerIsKilledInCall(t *testing.T) {
	for i := range max(rounds()/20, 4) {
		program := debuggertest.Start(t, "callee.c")
		v := callers[i%len(callers)]
		if killWhile(t, v.victim, program, program.Symbol(v.function), 0, time.Duration(i%10)*3*time.Millisecond) > 0 {
			t.Errorf("the process has died, in %s", v.function)
		}
	}
}

// callers are debuggers that call functions.
var callers = []caller{
	{victim{"calling functions", false, false, callOn}, "visit"},
	{victim{"in a function", false, false, callOn}, "doze"},
}

type caller struct {
	victim
	function string
}

// callOn calls a function again and again.
func callOn(p *proc.Process, mark, _ uint64) error {
	for {
		regs, err := p.Regs(0)
		if err != nil {
			return err
		}
		regs.RIP, regs.RSP = mark, (regs.RSP-256)&^15-8
		if _, err := p.Call(context.Background(), 0, proc.Call{Regs: regs, Limit: time.Hour}); err != nil {
			return err
		}
		if err := p.Step(context.Background(), 0, func(s *proc.Stepper) error { _, err := s.Step(); return err }); err != nil {
			return err
		}
	}
}
