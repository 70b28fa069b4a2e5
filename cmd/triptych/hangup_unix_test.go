//go:build unix

package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
)

// A SIGHUP that comes before the server serves is not lost: what changed since the server
// read its files is read when it is ready.
func TestHangupBeforeServing(t *testing.T) {
	a, told := app.New(), new(transcript)
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	a.Err, a.Out, a.Getenv = told, null, func(string) string { return "" }
	a.Hangups = make(chan os.Signal, 1)
	a.Hangups <- syscall.SIGHUP
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan int, 1)
	go func() {
		ended <- a.Run(ctx, root(a), []string{"serve", "--listen", "127.0.0.1:0", "--data", filepath.Join(t.TempDir(), "data")})
	}()
	for limit := time.Now().Add(patience); !strings.Contains(told.String(), "SIGHUP: reading files again"); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatalf("the server does not read its files again:\n%s", told)
		}
	}
	cancel()
	if status := <-ended; status != 0 {
		t.Errorf("the server ended with %d:\n%s", status, told)
	}
}

// Other commands end at SIGHUP, as programs do.
func TestHangupEndsCommands(t *testing.T) {
	if signal.Ignored(syscall.SIGHUP) {
		t.Skip("these tests were started with SIGHUP ignored, as by nohup, and so are their programs")
	}
	cmd := program(t, "rulesets", "create", "go_style") // waits for its input
	input, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer input.Close()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	limit := time.After(patience)
	for {
		select {
		case err := <-ended:
			exit, ok := errors.AsType[*exec.ExitError](err)
			if !ok || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGHUP {
				t.Errorf("the command ended with %v", err)
			}
			return
		case <-limit:
			t.Fatal("SIGHUP does not end the command")
		case <-time.After(20 * time.Millisecond):
			_ = cmd.Process.Signal(syscall.SIGHUP)
		}
	}
}
