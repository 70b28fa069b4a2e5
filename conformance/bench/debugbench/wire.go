package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// patience limits the time for an answer.
const patience = 2 * time.Minute

// A wire is the way to a debugger, which is asked and answers by lines.
type wire struct {
	in   io.WriteCloser
	out  *bufio.Reader
	cut  func() // ends the other side when it does not answer
	gone func() error
}

// spawn starts a program and asks it over its standard input and output.
func spawn(ctx context.Context, env []string, argv ...string) (*wire, *exec.Cmd, error) {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env, cmd.Stderr = append(os.Environ(), env...), io.Discard
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, nil, err
	}
	w := &wire{in: in, out: bufio.NewReaderSize(out, 1<<20), gone: cmd.Wait}
	w.cut = func() { _ = cmd.Process.Kill() } // what is gone needs no end
	return w, cmd, nil
}

// ask sends a line and returns all lines up to the one that ends the answer, and
// how long that took. Nothing is decoded in that time.
func (w *wire) ask(line string, last func(line []byte) bool) (answer [][]byte, took time.Duration, err error) {
	timer := time.AfterFunc(patience, w.cut)
	defer timer.Stop()
	text := []byte(line + "\n")
	began := time.Now()
	if _, err := w.in.Write(text); err != nil {
		return nil, 0, err
	}
	for {
		line, err := w.out.ReadBytes('\n')
		if err != nil {
			return answer, time.Since(began), fmt.Errorf("no answer to %.100s: %w", text, err)
		}
		answer = append(answer, line)
		if last(line) {
			return answer, time.Since(began), nil
		}
	}
}

// close ends the conversation and waits until the other side has gone.
func (w *wire) close() error {
	timer := time.AfterFunc(10*time.Second, w.cut)
	defer timer.Stop()
	_ = w.in.Close() // it may be gone
	_, _ = io.Copy(io.Discard, w.out)
	err := w.gone()
	if _, ended := errors.AsType[*exec.ExitError](err); ended {
		return nil // how a debugger ends is not what is measured
	}
	return err
}

// joined is an answer as one text.
func joined(answer [][]byte) string { return string(bytes.Join(answer, nil)) }

// A target is a process that is debugged.
type target struct {
	cmd *exec.Cmd
	pid int
}

// startTarget starts a program and waits until it says that it is ready.
func startTarget(ctx context.Context, argv ...string) (*target, error) {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	t := &target{cmd: cmd, pid: cmd.Process.Pid}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || strings.TrimSpace(line) != "ready" {
		t.end()
		return nil, fmt.Errorf("%s says %q: %w", argv[0], line, err)
	}
	time.Sleep(20 * time.Millisecond) // it has come to its work
	return t, nil
}

func (t *target) end() {
	_ = t.cmd.Process.Kill() // it runs for ever
	_ = t.cmd.Wait()         // killed
}

// run runs a program to its end and returns what it printed.
func run(ctx context.Context, dir string, env []string, argv ...string) (string, error) {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s: %w: %.500s", strings.Join(argv, " "), err, out)
	}
	return string(out), nil
}
