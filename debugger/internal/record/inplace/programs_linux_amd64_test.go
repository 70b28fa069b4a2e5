package inplace_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/record/inplace"
)

// TestPrograms compares what programs write, and their exit status, with what they do
// untranslated.
func TestPrograms(t *testing.T) {
	leaver := debuggertest.Compile(t, filepath.Join("testdata", "leaver.cc"), nil, "g++", "-O2")
	script := "for ((i = 0; i < 500; i++)); do ((s += i)); done; echo $s $(echo child | tr a-z A-Z); exec /bin/echo other"
	for _, test := range []struct {
		name    string
		quantum int64
		argv    []string
	}{
		{"list", 1 << 40, []string{"/bin/ls", "-l", "/usr/bin"}},
		{"compress", 1 << 40, []string{"gzip", "-c", "/bin/ls"}},
		{"leave", 1 << 40, []string{leaver}},
		{"leave in quanta", 499_979, []string{leaver}},
		{"script", 1 << 40, []string{"bash", "--norc", "-c", script}},
	} {
		t.Run(test.name, func(t *testing.T) {
			want, err := exec.CommandContext(t.Context(), test.argv[0], test.argv[1:]...).Output()
			status := 0
			if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
				status = exit.ExitCode()
			} else if err != nil {
				t.Skip(err)
			}
			var g *guest
			got := launch(t, test.argv, func(started *guest) {
				g = started
				g.finish(t.Context(), test.quantum)
			})
			if !bytes.Equal(got, want) || g.status != status {
				t.Errorf("status %d and %q, want %d and %q", g.status, ends(got), status, ends(want))
			}
			t.Logf("%d instructions, %d calls, %d natives, %d signals", g.Executed(), g.calls, g.natives, g.signals)
		})
	}
}

func ends(b []byte) string {
	if len(b) > 100 {
		return string(b[:50]) + "…" + string(b[len(b)-50:])
	}
	return string(b)
}

// TestCancel interrupts a program that never leaves the cache by itself.
func TestCancel(t *testing.T) {
	loop := debuggertest.Build(t, "busy-loop.c")
	launch(t, []string{loop}, func(g *guest) {
		for n := range 10 {
			ctx, cancel := context.WithTimeout(t.Context(), time.Duration(n+1)*3*time.Millisecond)
			g.until(ctx, func() bool { return ctx.Err() != nil })
			cancel()
			g.expectOwnCode()
		}
	})
}

// TestCancelAfterLostStop cancels a program that never leaves the cache by itself, when
// the stop of a cancel before has not come.
func TestCancelAfterLostStop(t *testing.T) {
	loop := debuggertest.Build(t, "busy-loop.c")
	launch(t, []string{loop}, func(g *guest) {
		g.until(t.Context(), func() bool { return g.Executed() > 1_000_000 })
		for range 3 {
			g.ExpectStaleStop()
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Millisecond)
			stop, err := g.Run(ctx, 1<<40)
			cancel()
			must(err)
			if stop.Kind != inplace.Done {
				panic(failuref("stop of kind %d", stop.Kind))
			}
			g.expectOwnCode()
		}
	})
}

// TestEarly makes sure that a program stops a little earlier than it may if that is allowed,
// and at the exact number of instructions otherwise.
func TestEarly(t *testing.T) {
	loop := debuggertest.Build(t, "busy-loop.c")
	launch(t, []string{loop}, func(g *guest) {
		g.until(t.Context(), func() bool { return g.Executed() > 1_000_000 })
		for _, test := range []struct{ n, early, most int64 }{
			{1 << 20, 0, 0}, {1 << 20, 1 << 15, 1 << 15}, {1, 1 << 15, 0}, {1 << 20, 0, 0},
		} {
			n := test.n
			g.Early = test.early
			before := g.Executed()
			stop, err := g.Run(t.Context(), n)
			must(err)
			if left := n - (g.Executed() - before); stop.Kind != inplace.Done || left < 0 || left > test.most {
				panic(failuref("stop of kind %d with %d instructions left, want at most %d", stop.Kind, left, test.most))
			}
			g.expectOwnCode()
		}
	})
}

// TestEndIsKept makes sure that the end of a process is reported which arrived while the
// Runner waited for something else.
func TestEndIsKept(t *testing.T) {
	loop := debuggertest.Build(t, "busy-loop.c")
	launch(t, []string{loop}, func(g *guest) {
		must(syscall.Kill(g.Thread(), syscall.SIGKILL))
		event, err := g.tracer.Wait()
		for ; err == nil && !event.Gone(); event, err = g.tracer.Wait() {
			_ = g.tracer.Cont(g.Thread(), 0) // from the stop before its end
		}
		must(err)
		g.Other(event)
		g.finish(t.Context(), 1<<40)
		if g.killed != 9 {
			panic(failuref("signal %d has ended it", g.killed))
		}
	})
}

// TestChangedCode runs programs that replace code in all ways.
func TestChangedCode(t *testing.T) {
	changer := debuggertest.Compile(t, filepath.Join("testdata", "changer.c"), nil, "gcc", "-O1")
	got := launch(t, []string{changer}, func(g *guest) { g.finish(t.Context(), 1<<40) })
	if want := "1 2 3 4 0\n"; string(got) != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestVariableCode runs a program that changes code without a system call. It is
// translated: hardly an instruction is executed in its original place.
func TestVariableCode(t *testing.T) {
	variable := debuggertest.Compile(t, filepath.Join("testdata", "variable.c"), nil, "gcc", "-O1")
	for _, quantum := range []int64{1 << 40, 997} {
		got := launch(t, []string{variable}, func(g *guest) {
			g.finish(t.Context(), quantum)
			if g.natives > 1000 {
				panic(failuref("%d instructions were executed in their original place", g.natives))
			}
		})
		if want := "1999000\n7\n55\n0 10 1 11 2 12 3 13 4 14 \n"; string(got) != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestContinueSignal sends SIGCONT before each system call and each instruction that is not
// translated. It makes a stop of its own.
func TestContinueSignal(t *testing.T) {
	got := launch(t, []string{"/bin/echo", "done"}, func(g *guest) {
		for sent := int64(-1); ; {
			stop, err := g.Run(t.Context(), 1<<40)
			must(err)
			if n := g.Executed(); n != sent && (stop.Kind == inplace.Call || stop.Kind == inplace.Native) {
				must(syscall.Kill(g.Thread(), syscall.SIGCONT))
				sent = n // the signal comes first, and then the instruction
			}
			switch stop.Kind {
			case inplace.Call:
				stop, err = g.Execute()
			case inplace.Native:
				stop, err = g.Step(t.Context())
			}
			must(err)
			if stop.Kind == inplace.Signal {
				stop, err = g.Deliver()
				must(err)
			}
			if stop.Kind == inplace.Exited {
				g.status = stop.Status
				return
			}
		}
	})
	if string(got) != "done\n" {
		t.Errorf("%q", got)
	}
}

// TestCallOfNull leaves the cache by a call of the address 0 while a signal waits for the
// end of the block. The instructions are counted as before.
func TestCallOfNull(t *testing.T) {
	nuller := debuggertest.Compile(t, filepath.Join("testdata", "nuller.c"), nil, "gcc", "-O1")
	got := launch(t, []string{nuller}, func(g *guest) {
		g.finish(t.Context(), 1<<40)
		if n := g.Executed(); n < 1000 || n > 1<<40 {
			panic(failuref("%d instructions", n))
		}
	})
	if string(got) != "done\n" {
		t.Errorf("%q", got)
	}
}

// TestBlockedSignal defers a signal that the program blocks when it is sent again: the
// program's system calls do not wait for it.
func TestBlockedSignal(t *testing.T) {
	nuller := debuggertest.Compile(t, filepath.Join("testdata", "nuller.c"), nil, "gcc", "-O1")
	launch(t, []string{nuller}, func(g *guest) {
		for {
			stop, err := g.Run(t.Context(), 1<<40)
			must(err)
			info := g.SigInfo()
			switch {
			case stop.Kind == inplace.Call:
				_, err = g.Execute()
			case stop.Kind == inplace.Native:
				_, err = g.Step(context.Background())
			case stop.Kind == inplace.Signal && info.Signal() == syscall.SIGALRM:
				g.DeferAgain()
				_, err = g.Deliver() // to its handler, in which it is blocked
				must(err)
				g.finish(t.Context(), 1<<40)
				return
			case stop.Kind == inplace.Signal:
				_, err = g.Deliver()
			}
			must(err)
		}
	})
}

// TestFaultInCache runs a program that unmaps a table of the cache. It does not fault
// for ever.
func TestFaultInCache(t *testing.T) {
	unmapper := debuggertest.Compile(t, filepath.Join("testdata", "unmapper.c"), nil, "gcc", "-O1")
	launch(t, []string{unmapper}, func(g *guest) {
		for {
			stop, err := g.next(t.Context(), 1<<40)
			if err != nil {
				if !strings.Contains(err.Error(), "code of the cache itself") {
					panic(failure(err.Error()))
				}
				return
			}
			if stop.Kind == inplace.Exited {
				panic(failuref("the program has ended with status %d, signal %d", stop.Status, stop.Killed))
			}
		}
	})
}

// TestKilledProgram lets a program be killed while it runs translated.
func TestKilledProgram(t *testing.T) {
	loop := debuggertest.Build(t, "busy-loop.c")
	launch(t, []string{loop}, func(g *guest) {
		g.until(t.Context(), func() bool { return g.Executed() > 1_000_000 })
		timer := time.AfterFunc(5*time.Millisecond, func() {
			process, err := os.FindProcess(g.Thread())
			if err == nil {
				_ = process.Kill()
			}
		})
		defer timer.Stop()
		g.finish(t.Context(), 1<<40)
		if g.killed != 9 {
			panic(failuref("signal %d has ended it", g.killed))
		}
	})
}

// TestRelease lets a program continue in its own code.
func TestRelease(t *testing.T) {
	want, err := exec.CommandContext(t.Context(), "gzip", "-c", "/bin/ls").Output()
	if err != nil {
		t.Skip(err)
	}
	got := launch(t, []string{"gzip", "-c", "/bin/ls"}, func(g *guest) {
		g.until(t.Context(), func() bool { return g.Executed() > 5_000_000 })
		must(g.Release())
		must(g.tracer.Cont(g.Thread(), 0))
		event, err := g.tracer.Wait()
		must(err)
		if !event.Gone() || event.Status != 0 {
			panic(failuref("%v, status %d", event.Kind, event.Status))
		}
	})
	if !bytes.Equal(got, want) {
		t.Errorf("%q, want %q", ends(got), ends(want))
	}
}

// TestReleaseAtSignal lets a program continue that is about to get a signal. It gets the
// signal in its own code.
func TestReleaseAtSignal(t *testing.T) {
	for _, release := range []func(g *guest) error{
		func(g *guest) error { return errors.Join(g.Release(), g.tracer.Cont(g.Thread(), 0)) },
		(*guest).Detach,
	} {
		launch(t, []string{"bash", "--norc", "-c", "trap 'exit 3' USR1; echo ready; while :; do :; done"}, func(g *guest) {
			g.until(t.Context(), func() bool { return g.calls > 0 && g.handles(unix.SIGUSR1) })
			must(unix.Kill(g.Thread(), unix.SIGUSR1))
			stop, err := g.Run(t.Context(), 1<<40)
			for ; err == nil && stop.Kind != inplace.Signal; stop, err = g.Run(t.Context(), 1<<40) {
				switch stop.Kind {
				case inplace.Call:
					_, err = g.Execute()
				case inplace.Native:
					_, err = g.Step(t.Context())
				}
				must(err)
			}
			must(err)
			must(release(g))
			must(g.awaitStatus(3))
		})
	}
}

// handles reports whether the program has a handler for a signal.
func (g *guest) handles(signal syscall.Signal) bool {
	status, err := procfs.ReadStatus("/proc/" + itoa(g.Thread()) + "/status")
	must(err)
	return status.Bits("SigCgt")>>(signal-1)&1 != 0
}

// awaitStatus waits for the end of the program, which runs in its own code.
func (g *guest) awaitStatus(want int) error {
	for {
		event, err := g.tracer.Wait()
		if err != nil {
			var status unix.WaitStatus // it is not traced any more
			_, err = unix.Wait4(g.Thread(), &status, unix.WALL, nil)
			event = ptrace.Event{Kind: ptrace.Exited, Status: status.ExitStatus()}
		}
		switch {
		case err != nil:
			return err
		case event.Gone() && event.Status != want:
			return failuref("%v, status %d, want %d", event.Kind, event.Status, want)
		case event.Gone():
			return nil
		}
		if err := g.tracer.Cont(g.Thread(), event.Signal); err != nil {
			return err
		}
	}
}

// TestReleaseInCall lets a program continue that a signal has interrupted in a system
// call, which the kernel restarts.
func TestReleaseInCall(t *testing.T) {
	launch(t, []string{"sleep", "2"}, func(g *guest) {
		signals := time.NewTicker(2 * time.Millisecond)
		ended := make(chan struct{})
		defer func() { signals.Stop(); close(ended) }()
		go func() {
			for sleeping := false; ; {
				select {
				case <-signals.C:
					sleeping = sleeping || inSleep(g.Thread())
					if sleeping {
						_ = unix.Kill(g.Thread(), unix.SIGWINCH)
					}
				case <-ended:
					return
				}
			}
		}()
		g.until(t.Context(), g.Regs.Restarts)
		signals.Stop()
		must(g.Release())
		must(g.tracer.Cont(g.Thread(), 0))
		for {
			event, err := g.tracer.Wait()
			must(err)
			if event.Gone() {
				if event.Kind != ptrace.Exited || event.Status != 0 {
					panic(failuref("%v, status %d", event.Kind, event.Status))
				}
				return
			}
			must(g.tracer.Cont(g.Thread(), event.Signal))
		}
	})
}

// inSleep reports whether a thread is in clock_nanosleep.
func inSleep(tid int) bool {
	text, err := os.ReadFile("/proc/" + itoa(tid) + "/syscall")
	return err == nil && strings.HasPrefix(string(text), "230 ")
}

// expectOwnCode checks that the program counter is in the program's own code.
func (g *guest) expectOwnCode() {
	maps, err := os.ReadFile("/proc/" + itoa(g.Thread()) + "/maps")
	must(err)
	lines := slices.Collect(strings.Lines(string(maps)))
	if !slices.ContainsFunc(lines, func(line string) bool {
		return strings.Contains(line, "r-xp") && inLine(line, g.Regs.RIP)
	}) {
		panic(failuref("%#x is not in the program's code:\n%s", g.Regs.RIP, maps))
	}
}
