package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A child is the program serving over its standard input and output.
type child struct {
	*exec.Cmd
	in     io.WriteCloser
	out    io.ReadCloser
	lines  *bufio.Reader
	stderr *strings.Builder
}

func startServer(t *testing.T, flags ...string) *child {
	t.Helper()
	c := &child{Cmd: program(t, append([]string{"stdio"}, flags...)...), stderr: new(strings.Builder)}
	c.Stderr = c.stderr
	var err error
	if c.in, err = c.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if c.out, err = c.StdoutPipe(); err != nil {
		t.Fatal(err)
	}
	c.lines = bufio.NewReader(c.out)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	c.ask(t, `{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":1,"result":{}}`)
	return c
}

// ask sends a line and wants the next line to be the answer.
func (c *child) ask(t *testing.T, line, want string) {
	t.Helper()
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		t.Fatal(err)
	}
	got, err := c.lines.ReadString('\n')
	if err != nil || strings.TrimSuffix(got, "\n") != want {
		t.Fatalf("got %q, %v, want %q; stderr: %s", got, err, want, c.stderr)
	}
}

// patience limits the time that the program may take to end; it ends in milliseconds.
const patience = time.Minute

// status waits for the end and returns the exit status.
func (c *child) status(t *testing.T) int {
	t.Helper()
	timer := time.AfterFunc(patience, func() { _ = c.Process.Kill() })
	defer timer.Stop()
	err := c.Wait()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode()
	}
	if err != nil {
		t.Fatal(err)
	}
	return 0
}

// A signal ends a server whose client keeps the input open and says nothing.
func TestSignalsEndTheServer(t *testing.T) {
	for _, signal := range []os.Signal{syscall.SIGTERM, syscall.SIGINT} {
		t.Run(signal.String(), func(t *testing.T) {
			c := startServer(t)
			if err := c.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			if rest, err := io.ReadAll(c.lines); err != nil || len(rest) != 0 {
				t.Errorf("after the signal: %q, %v", rest, err)
			}
			if status := c.status(t); status != 0 {
				t.Errorf("exit status %d, want 0; stderr: %s", status, c.stderr)
			}
		})
	}
}

// SIGHUP does not end a server.
func TestHangupEndsNoServer(t *testing.T) {
	c := startServer(t)
	for id := range 3 {
		if err := c.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		c.ask(t, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, id), fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{}}`, id))
	}
}

// The end of the input, which is also what a parent that vanished leaves
// behind, ends the server after the answers.
func TestEndOfInputEndsTheServer(t *testing.T) {
	c := startServer(t)
	if _, err := io.WriteString(c.in, `{"jsonrpc":"2.0","id":2,"method":"ping"}`); err != nil { // no newline
		t.Fatal(err)
	}
	if err := c.in.Close(); err != nil {
		t.Fatal(err)
	}
	rest, err := io.ReadAll(c.lines)
	if want := `{"jsonrpc":"2.0","id":2,"result":{}}` + "\n"; err != nil || string(rest) != want {
		t.Errorf("got %q, %v, want %q", rest, err, want)
	}
	if status := c.status(t); status != 0 {
		t.Errorf("exit status %d, want 0; stderr: %s", status, c.stderr)
	}
}

// A client that stops reading for good does not make the program die of a
// signal, hang or print a stack.
func TestClosedOutputEndsTheServerQuietly(t *testing.T) {
	c := startServer(t)
	if err := c.out.Close(); err != nil {
		t.Fatal(err)
	}
	for range 1000 {
		if _, err := io.WriteString(c.in, `{"jsonrpc":"2.0","id":3,"method":"ping"}`+"\n"); err != nil {
			break
		}
	}
	_ = c.in.Close() // the program may have closed its end
	if status := c.status(t); status != 0 && status != 1 {
		t.Errorf("exit status %d, want 0 or 1", status)
	}
	if strings.Contains(c.stderr.String(), "goroutine") {
		t.Errorf("it panicked: %s", c.stderr)
	}
}

// BenchmarkStart is the time from starting the program to its first answer
// and its end.
func BenchmarkStart(b *testing.B) {
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	data := b.TempDir()
	for b.Loop() {
		cmd := exec.CommandContext(b.Context(), self)
		cmd.Args = []string{"triptych", "stdio"}
		cmd.Env = []string{"HOME=" + data, "TRIPTYCH_DATA=" + data, "LOG_LEVEL=error"}
		cmd.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
		out, err := cmd.Output()
		if err != nil || len(out) == 0 {
			b.Fatalf("%q, %v", out, err)
		}
	}
}
