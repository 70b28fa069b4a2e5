package interop_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/triptych-mcp/triptych/jsonrpc"
)

// tapped is the first argument of this test's own program when it is the
// wiretap: the folder for the recordings and the server's command follow.
const tapped = "wiretap"

func TestMain(m *testing.M) {
	if len(os.Args) > 3 && os.Args[1] == tapped {
		if err := wiretap(os.Args[2], os.Args[3], os.Args[4:]...); err != nil {
			fmt.Fprintln(os.Stderr, "wiretap:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// wiretap runs a server and keeps what it writes in a file of the folder. A
// server that does not end with status 0, whether its input ended or a signal
// came, leaves a file beside it that says so.
func wiretap(folder, command string, args ...string) error {
	record, err := os.CreateTemp(folder, "*.out")
	if err != nil {
		return err
	}
	server := exec.Command(command, args...)
	server.Stdin, server.Stderr = os.Stdin, os.Stderr
	server.Stdout = io.MultiWriter(record, ignoreErrors{os.Stdout})
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	if err := server.Start(); err != nil {
		return err
	}
	go func() {
		for s := range signals {
			_ = server.Process.Signal(s) // it has ended if it cannot be reached
		}
	}()
	err = server.Wait()
	if err != nil {
		err = errors.Join(err, os.WriteFile(record.Name()+".failed", []byte(err.Error()), 0o644))
	}
	return errors.Join(err, record.Close())
}

// ignoreErrors drops write errors of a closed pipe: what the server sends to a
// client that is gone is of interest all the same.
type ignoreErrors struct{ w io.Writer }

func (i ignoreErrors) Write(p []byte) (int, error) {
	_, _ = i.w.Write(p)
	return len(p), nil
}

// checkRecordings expects so many starts of the server, and nothing but
// messages in what each of them wrote.
func checkRecordings(t *testing.T, folder string, starts int) {
	t.Helper()
	records, err := filepath.Glob(filepath.Join(folder, "*.out"))
	if err != nil || len(records) != starts {
		t.Errorf("the server was started %d times (%v), want %d", len(records), err, starts)
	}
	failed, err := filepath.Glob(filepath.Join(folder, "*.failed"))
	if err != nil || len(failed) > 0 {
		t.Errorf("%d servers did not end well (%v)", len(failed), err)
	}
	for _, name := range records {
		out, err := os.ReadFile(name)
		if err != nil {
			t.Error(err)
		}
		checkMessages(t, out)
	}
}

// checkMessages expects a message a line.
func checkMessages(t *testing.T, out []byte) {
	t.Helper()
	if !bytes.HasSuffix(out, []byte("\n")) {
		t.Errorf("the output %.100q has no line or does not end with one", out)
	}
	for line := range bytes.Lines(out) {
		body, refusal := jsonrpc.Decode(line, jsonrpc.Config{})
		if refusal != nil || body.Batch || body.Messages[0].Err != nil {
			t.Errorf("this line is no message: %.200s", line)
		}
	}
}
