package inplace_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/record/inplace"
)

// A guest is a program that runs translated.
type guest struct {
	*inplace.Runner
	tracer  *ptrace.Tracer
	status  int
	killed  int
	calls   int
	natives int
	signals int
}

// launch starts a program, stopped before its first instruction, calls f on the
// tracer's thread with it, and returns what it has written to its standard output.
func launch(t *testing.T, argv []string, f func(g *guest)) []byte {
	t.Helper()
	path, err := exec.LookPath(argv[0])
	if err != nil {
		t.Skipf("the test needs %s", argv[0])
	}
	out, err := os.CreateTemp(t.TempDir(), "out")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = out.Close() }()
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = null.Close() }()
	tracer, err := ptrace.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer tracer.Close()
	err = tracer.Do(t.Context(), func() error {
		attr := &syscall.ProcAttr{Files: []uintptr{null.Fd(), out.Fd(), 2}, Env: os.Environ()}
		pid, err := tracer.Launch(path, argv, attr, ptrace.Options|ptrace.ExitKill)
		if err != nil {
			return skip(err.Error())
		}
		r, err := inplace.New(tracer, pid)
		if err := caught(func() { allowed(err) }); err != nil {
			return err
		}
		g := &guest{Runner: r, tracer: tracer}
		return errors.Join(caught(func() { f(g) }), g.Close())
	})
	report(t, err)
	text, err := os.ReadFile(out.Name())
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// next runs the program for n instructions or to its next stop, which it deals with.
func (g *guest) next(ctx context.Context, n int64) (inplace.Stop, error) {
	stop, err := g.Run(ctx, n)
	switch stop.Kind {
	case inplace.Call:
		g.calls++
		stop, err = g.Execute()
	case inplace.Native:
		g.natives++
		stop, err = g.Step(context.Background())
	}
	if stop.Kind == inplace.Signal && err == nil {
		g.signals++
		stop, err = g.Deliver()
	}
	return stop, err
}

// until runs the program until a condition holds.
func (g *guest) until(ctx context.Context, condition func() bool) {
	for !condition() {
		stop, err := g.next(ctx, 100_000)
		must(err)
		if stop.Kind == inplace.Exited {
			panic(failure("the program has ended"))
		}
	}
}

// finish runs the program to its end, in quanta of n instructions.
func (g *guest) finish(ctx context.Context, n int64) {
	for {
		stop, err := g.next(ctx, n)
		if err != nil {
			panic(failuref("at %#x after %d instructions: %v", g.Regs.RIP, g.Executed(), err))
		}
		switch stop.Kind {
		case inplace.Exited:
			g.status, g.killed = stop.Status, stop.Killed
			return
		case inplace.Exec:
			g.again()
		}
	}
}

// again makes a Runner for the program that the process executes now.
func (g *guest) again() {
	tid := g.Thread()
	must(g.Close())
	_, err := g.tracer.ToEventStop(tid, func(ptrace.Event) {})
	must(err)
	g.Runner, err = inplace.New(g.tracer, tid)
	must(err)
}

func itoa(n int) string { return strconv.Itoa(n) }

// inLine reports whether an address is in the range of a line of /proc/PID/maps.
func inLine(line string, address uint64) bool {
	var start, end uint64
	_, err := fmt.Sscanf(line, "%x-%x", &start, &end)
	return err == nil && start <= address && address < end
}
