package inplace_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/record/inplace"
)

// tracerOf is the environment variable that makes the test program a tracer: its value
// is the file that the program which it runs translated writes to.
const tracerOf = "TRIPTYCH_TEST_TRACER_OF"

func TestMain(m *testing.M) {
	if out := os.Getenv(tracerOf); out != "" {
		if err := traceProgram(out, os.Args[1:]); err != nil {
			_, _ = fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// traceProgram runs a program translated and writes its process id when it has begun.
func traceProgram(out string, argv []string) error {
	file, err := os.Create(out)
	if err != nil {
		return err
	}
	tracer, err := ptrace.Start()
	if err != nil {
		return err
	}
	return tracer.Do(context.Background(), func() error {
		attr := &syscall.ProcAttr{Files: []uintptr{0, file.Fd(), 2}, Env: os.Environ()}
		pid, err := tracer.Launch(argv[0], argv, attr, ptrace.Options) // outlives the tracer
		if err != nil {
			return err
		}
		r, err := inplace.New(tracer, pid)
		if err != nil {
			return err
		}
		g := &guest{Runner: r, tracer: tracer}
		return caught(func() {
			g.until(context.Background(), func() bool { return g.Executed() > 1_000_000 })
			fmt.Println(pid)
			g.finish(context.Background(), 300_000)
		})
	})
}

// TestKilledTracer kills tracers while programs run translated. The programs go on and
// write what they should.
func TestKilledTracer(t *testing.T) {
	kills := 2
	if s := os.Getenv("KILLS"); s != "" {
		kills, _ = strconv.Atoi(s)
	}
	gzip, err := exec.LookPath("gzip")
	if err != nil {
		t.Skip(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	input := filepath.Join(t.TempDir(), "input") // many system calls
	if err := os.WriteFile(input, bytes.Repeat([]byte("one line of many, and some more\n"), 200_000), 0o600); err != nil {
		t.Fatal(err)
	}
	want, err := exec.CommandContext(t.Context(), gzip, "-nc", input).Output()
	if err != nil {
		t.Fatal(err)
	}
	for n := range kills {
		out := filepath.Join(t.TempDir(), "out")
		pid := killTracer(t, self, out, time.Duration(rand.IntN(20_000))*time.Microsecond, gzip, "-nc", input)
		awaitEnd(t, pid)
		got, err := os.ReadFile(out)
		if err != nil || !bytes.Equal(got, want) {
			t.Fatalf("kill %d: %d bytes, want %d, %v", n, len(got), len(want), err)
		}
	}
}

// killTracer starts a tracer, kills it a while after its program has begun, and returns
// the program's process id.
func killTracer(t *testing.T, self, out string, after time.Duration, argv ...string) int {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), self, argv...)
	cmd.Env = append(os.Environ(), tracerOf+"="+out)
	cmd.Stderr = os.Stderr
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(pipe).ReadString('\n')
	if err != nil {
		_ = cmd.Wait()
		t.Skipf("the tracer has not begun: %v", err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(after) // any moment will do, also one after the end
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	return pid
}

// awaitEnd waits until a process that is not a child has ended, or is a zombie.
func awaitEnd(t *testing.T, pid int) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(time.Millisecond) {
		state := procfs.ThreadStat(pid, pid, procfs.StatState)
		if state == "" || state == "Z" {
			return
		}
		if time.Now().After(end) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
			t.Fatalf("process %d has not ended: it is in state %s", pid, state)
		}
	}
}
