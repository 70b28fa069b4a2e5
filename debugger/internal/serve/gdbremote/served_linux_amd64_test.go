package gdbremote_test

import (
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
	"github.com/triptych-mcp/triptych/debugger/internal/serve/gdbremote"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/session/target"
)

// patience limits the time of everything that should be fast, on a busy machine.
const patience = 3 * time.Minute

// launch begins a session with a program at its first instruction.
func launch(t *testing.T, r *session.Registry, path string) *session.Session {
	t.Helper()
	out, err := target.NewOutput()
	if err != nil {
		t.Fatal(err)
	}
	process, err := proc.Launch(t.Context(), proc.Spec{Path: path, Env: os.Environ(), Files: out.Files()}, proc.Options{})
	out.Start()
	if err != nil {
		t.Fatal(err)
	}
	s, err := r.Add("test", target.OfProcess(process, out, "launched"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// add begins a session with a process.
func add(t *testing.T, r *session.Registry, process *proc.Process) *session.Session {
	t.Helper()
	s, err := r.Add("test", target.OfProcess(process, nil, "attached"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func hexOf(n uint64) string { return strconv.FormatUint(n, 16) }

// A served session has a socket for a client.
type served struct {
	*session.Session
	socket string
	done   chan error // of Serve, for the first client
}

// serve serves the first client that connects.
func serve(t *testing.T, r *session.Registry, s *session.Session, o gdbremote.Options) *served {
	t.Helper()
	dir, err := os.MkdirTemp("", "triptych-gdb-") // paths of sockets are short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	v := &served{s, filepath.Join(dir, "gdb"), make(chan error, 1)}
	l, err := new(net.ListenConfig).Listen(t.Context(), "unix", v.socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		conn, err := l.Accept()
		if err == nil {
			err = gdbremote.Serve(context.Background(), conn, r, s, o)
		}
		v.done <- err
	}()
	return v
}

// wait returns when the client has gone.
func (v *served) wait(t *testing.T) {
	t.Helper()
	select {
	case err := <-v.done:
		if err != nil {
			t.Errorf("serving: %v", err)
		}
	case <-time.After(patience):
		t.Error("the client has gone, and Serve has not returned")
	}
}

// mark begins the output of a command in that of gdb.
const mark = "@@@"

// gdb lets gdb connect, and returns the output of each command.
func (v *served) gdb(t *testing.T, exe string, commands ...string) []string {
	t.Helper()
	return runGDB(t, exe, "target remote "+v.socket, commands)
}

// runGDB runs gdb with a program and a first command, and returns the output
// of each other command.
func runGDB(t *testing.T, exe, first string, commands []string) []string {
	t.Helper()
	path, err := exec.LookPath("gdb")
	if err != nil {
		t.Skip("this test needs gdb")
	}
	argv := []string{
		"-nx", "-batch", "-ex", "set width 0", "-ex", "set height 0", "-ex", "set confirm off", "-ex", "set sysroot /",
		"-ex", "set debuginfod enabled off", "-ex", "set remotetimeout 120", "-ex", first,
	}
	for _, c := range commands {
		argv = append(argv, "-ex", "echo "+mark, "-ex", c)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	out, err := exec.CommandContext(ctx, path, append(argv, exe)...).CombinedOutput()
	if ctx.Err() != nil {
		t.Fatalf("gdb: %v\n%s", err, out)
	}
	parts := strings.Split(string(out), mark)[1:]
	if len(parts) != len(commands) {
		t.Fatalf("gdb answers %d commands of %d:\n%s", len(parts), len(commands), out)
	}
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return parts
}

// line is the number of a marked line of sums.c.
func line(t *testing.T, mark string) string {
	t.Helper()
	return strconv.Itoa(debuggertest.Line(t, "sums.c", mark))
}

func openFile(path string) (*os.File, error) { return os.Open(path) }

// within calls f with the session to itself, and makes the stop that it returns
// the one that clients see.
func within(t *testing.T, s *session.Session, f func() (proc.Stop, error)) {
	t.Helper()
	_, leave, err := s.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer leave()
	stop, err := f()
	if err != nil {
		t.Fatal(err)
	}
	s.Stepper.Maps.Stale = true
	s.RecordStop(stop)
}

// recorded launches a program and records it from main to its end.
func recorded(t *testing.T, r *session.Registry, exe string) *session.Session {
	t.Helper()
	s := launch(t, r, exe)
	within(t, s, func() (proc.Stop, error) {
		stop, reached, err := s.Stepper.RunTo(t.Context(), proc.BreakpointSpec{Address: s.Inspector.MainFunction(t.Context())})
		if err != nil || !reached {
			t.Fatalf("main is not reached: %+v, %v", stop, err)
		}
		return stop, nil
	})
	within(t, s, func() (proc.Stop, error) { return s.Stepper.Record(t.Context(), 0, 0) })
	return s
}

// traced returns a session with an exported history.
func traced(t *testing.T, r *session.Registry, of *session.Session, exe string) *session.Session {
	t.Helper()
	path := filepath.Join(t.TempDir(), "trace")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := of.Target.History.Export(t.Context(), file, history.ExportOptions{Format: history.Binary, Program: exe}); err != nil {
		t.Fatal(err)
	}
	if _, err := file.Seek(0, 0); err != nil {
		t.Fatal(err)
	}
	trace, err := target.ReadTrace(t.Context(), file, nil, func(_, _ float64) {})
	if err = errors.Join(err, file.Close()); err != nil {
		t.Fatal(err)
	}
	view, err := target.NewTrace(trace, target.Overrides{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := r.Add("test", view.Target(path))
	if err != nil {
		t.Fatal(err)
	}
	return s
}
