package proc_test

import (
	"bufio"
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
)

// Whatever the process is doing when it ends, the end is told, once, and then
// every method says so.
func TestDeath(t *testing.T) {
	kill := func(p *proc.Process) error { return unix.Kill(p.ID(), unix.SIGKILL) }
	ctx := context.Background()
	tests := []struct {
		name string
		do   func(*testing.T, *proc.Process) (proc.Stop, error)
	}{
		{"running", func(_ *testing.T, p *proc.Process) (proc.Stop, error) {
			time.AfterFunc(20*time.Millisecond, func() { _ = kill(p) })
			return p.Resume(ctx)
		}},
		{"stopped", func(t *testing.T, p *proc.Process) (proc.Stop, error) {
			if err := kill(p); err != nil {
				t.Fatal(err)
			}
			return p.Resume(ctx)
		}},
		{"looked at", func(t *testing.T, p *proc.Process) (proc.Stop, error) {
			if err := kill(p); err != nil {
				t.Fatal(err)
			}
			for end := time.Now().Add(20 * time.Second); ; {
				if _, err := p.Regs(0); errors.Is(err, proc.ErrExited) {
					break
				} else if time.Now().After(end) {
					t.Fatalf("Regs of a dead process: %v", err)
				}
			}
			return p.Resume(ctx)
		}},
		{"single steps", func(t *testing.T, p *proc.Process) (proc.Stop, error) {
			time.AfterFunc(20*time.Millisecond, func() { _ = kill(p) })
			for {
				if stop, err := p.StepInstruction(ctx, 0); err != nil || stop.Ended() {
					return stop, err
				}
			}
		}},
		{"a series of steps", func(t *testing.T, p *proc.Process) (proc.Stop, error) {
			time.AfterFunc(20*time.Millisecond, func() { _ = kill(p) })
			err := p.Step(ctx, 0, func(s *proc.Stepper) error {
				for {
					if outcome, err := s.Step(); err != nil || outcome >= proc.StepGone {
						return err
					}
				}
			})
			if err != nil {
				t.Errorf("Step: %v", err)
			}
			return p.Resume(ctx)
		}},
		{"breakpoints", func(t *testing.T, p *proc.Process) (proc.Stop, error) {
			time.AfterFunc(20*time.Millisecond, func() { _ = kill(p) })
			return p.Resume(ctx)
		}},
	}
	for _, kind := range kinds {
		for _, test := range tests {
			t.Run(kind.name+" "+test.name, func(t *testing.T) {
				program := debuggertest.Start(t, "threads.c")
				p := attach(t, program, kind.options)
				stopAtMark(t, p, program.Mark("tick"))
				set(t, p, proc.BreakpointSpec{Address: program.Mark("tick"), Ignore: 1 << 30})
				stop, err := test.do(t, p)
				if err != nil || stop.Why != proc.Killed || stop.Signal != unix.SIGKILL {
					t.Errorf("stop %+v, %v, want killed by SIGKILL", stop, err)
				}
				if _, err := p.Resume(ctx); !errors.Is(err, proc.ErrExited) {
					t.Errorf("Resume afterwards: %v, want ErrExited", err)
				}
				if _, err := p.Threads(); !errors.Is(err, proc.ErrExited) {
					t.Errorf("Threads afterwards: %v, want ErrExited", err)
				}
				if end, ok := p.End(); !ok || end.Why != proc.Killed {
					t.Errorf("End afterwards: %+v %v", end, ok)
				}
			})
		}
	}
}

// An end by exit and by a signal of its own.
func TestExitAndAbort(t *testing.T) {
	program := debuggertest.Start(t, "threads.c")
	p := attach(t, program, proc.Options{})
	program.Tell("quit")
	if stop := resume(t, p); stop.Why != proc.Exited || stop.Status != 7 {
		t.Errorf("stop %+v, want exit with 7", stop)
	}
	program = debuggertest.Start(t, "threads.c")
	p = attach(t, program, proc.Options{})
	program.Tell("abort")
	if stop := resume(t, p); stop.Why != proc.Signalled || stop.Signal != unix.SIGABRT {
		t.Errorf("stop %+v, want SIGABRT", stop)
	}
	if stop := resume(t, p); stop.Why != proc.Killed || stop.Signal != unix.SIGABRT {
		t.Errorf("stop %+v, want the end by SIGABRT", stop)
	}
}

// launch starts a program with a pipe as its output.
func launch(t *testing.T, name string, args ...string) (*proc.Process, *bufio.Reader) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	spec := proc.Spec{Path: debuggertest.Build(t, name), Args: args, Files: []*os.File{nil, w, os.Stderr}}
	p, err := proc.Launch(t.Context(), spec, proc.Options{})
	_ = w.Close()
	if err != nil {
		if _, ok := errors.AsType[*proc.PermissionError](err); ok {
			t.Skip("tracing is not permitted here: ", err)
		}
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = p.Kill()
		if err := p.Detach(context.Background()); err != nil {
			t.Errorf("Detach: %v", err)
		}
	})
	return p, bufio.NewReader(r)
}

// A launched program runs to its end.
func TestLaunch(t *testing.T) {
	for _, name := range []string{"forker.c", "busy.go"} {
		t.Run(name, func(t *testing.T) {
			p, out := launch(t, name)
			if path, err := p.Executable(); err != nil || !strings.Contains(path, strings.ReplaceAll(name, ".", "-")) {
				t.Errorf("Executable = %q, %v", path, err)
			}
			if stop := resume(t, p); stop.Why != proc.Exited || stop.Status != 0 {
				t.Errorf("stop %+v, want exit with 0", stop)
			}
			if line, err := out.ReadString('\n'); line != "ready\n" {
				t.Errorf("it says %q, %v", line, err)
			}
		})
	}
}

// A launched program can be killed, when it is stopped and when it runs; one
// that was attached to cannot.
func TestKill(t *testing.T) {
	p, _ := launch(t, "ticker.c")
	if err := p.Kill(); err != nil {
		t.Fatal(err)
	}
	if stop, err := p.Resume(t.Context()); err != nil || stop.Why != proc.Killed {
		t.Errorf("stop %+v, %v", stop, err)
	}
	running, _ := launch(t, "threads.c")
	time.AfterFunc(20*time.Millisecond, func() { _ = running.Kill() })
	stop := resume(t, running)
	if stop.Why != proc.Killed && stop.Why != proc.Exited {
		t.Errorf("stop %+v, want the end", stop)
	}
	program := debuggertest.Start(t, "ticker.c")
	p = attach(t, program, proc.Options{})
	if _, ok := errors.AsType[*proc.PermissionError](p.Kill()); !ok {
		t.Error("a process that was attached to can be killed")
	}
}

// A launched program that is let go runs on by itself.
func TestDetachFromLaunched(t *testing.T) {
	program, input := released(t)
	if got := program.Status("TracerPid"); got != "0" {
		t.Errorf("TracerPid %q, want 0", got)
	}
	_ = input.Close() // the end of its input is its end
	awaitEnd(t, program)
}

// A program that was launched and let go can be attached to again, any number of
// times, and its end is seen.
func TestAttachToLaunched(t *testing.T) {
	program, _ := released(t)
	for range 3 {
		again, err := proc.Attach(t.Context(), program.PID, proc.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = again.Detach(context.WithoutCancel(t.Context())) })
		err = again.Step(t.Context(), 0, func(s *proc.Stepper) error {
			outcome, err := s.Step()
			if outcome != proc.StepDone && outcome != proc.StepBlocked {
				t.Errorf("outcome %v", outcome)
			}
			return err
		})
		if err := errors.Join(err, again.Detach(t.Context())); err != nil {
			t.Fatal(err)
		}
	}
	last, err := proc.Attach(t.Context(), program.PID, proc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = last.Detach(context.WithoutCancel(t.Context())) })
	time.AfterFunc(20*time.Millisecond, func() { _ = unix.Kill(program.PID, unix.SIGKILL) })
	if stop := resume(t, last); stop.Why != proc.Killed || stop.Signal != unix.SIGKILL {
		t.Errorf("stop %+v, want the end by SIGKILL", stop)
	}
	awaitEnd(t, program)
}

// released starts a program, detaches from it, and returns it and its input, whose end is
// its own.
func released(t *testing.T) (program *debuggertest.Program, input *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() }) // it may be closed already
	spec := proc.Spec{Path: debuggertest.Build(t, "forker.c"), Files: []*os.File{r, nil, os.Stderr}}
	p, err := proc.Launch(t.Context(), spec, proc.Options{})
	_ = r.Close()
	if err != nil {
		t.Skip("launching is not possible here: ", err)
	}
	if err := p.Detach(t.Context()); err != nil {
		t.Fatal(err)
	}
	return &debuggertest.Program{PID: p.ID()}, w
}

// awaitEnd waits until there is no such process any more.
func awaitEnd(t *testing.T, program *debuggertest.Program) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); program.Status("State") != ""; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("it is in state %s", program.Status("State"))
		}
	}
}

// Files that cannot be launched say why.
func TestLaunchErrors(t *testing.T) {
	for _, path := range []string{"/nonexistent", "/etc/passwd", t.TempDir()} {
		if p, err := proc.Launch(t.Context(), proc.Spec{Path: path}, proc.Options{}); err == nil {
			_ = p.Kill()
			t.Errorf("%s was launched", path)
		}
	}
}
