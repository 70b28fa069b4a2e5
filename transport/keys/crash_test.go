package keys_test

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/transport/keys"
)

const childDir = "KEYS_TEST_CREATE_IN"

// TestMain lets the test binary be a process that is killed.
func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		fmt.Fprintln(os.Stderr, createForever(dir))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// createForever makes keys and says so after each.
func createForever(dir string) error {
	s, err := keys.OpenFile(dir, slog.New(slog.DiscardHandler), time.Now)
	if err != nil {
		return err
	}
	for {
		r, _, err := s.Create(context.Background(), keys.Live, keys.Settings{})
		if err != nil {
			return err
		}
		fmt.Println(r.ID)
	}
}

// TestKilledWhileWriting: the file is whole, and holds every key that was
// acknowledged.
func TestKilledWhileWriting(t *testing.T) {
	dir := t.TempDir()
	var told []string
	for round := range 8 {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), childDir+"="+dir)
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for range 3 + round {
			if !lines.Scan() {
				t.Fatal("the child ended")
			}
			told = append(told, lines.Text())
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for lines.Scan() { // what it said before it died
			told = append(told, lines.Text())
		}
		_ = cmd.Wait() // killed
		s := openFile(t, dir, time.Now)
		for _, id := range told {
			if _, err := s.Get(t.Context(), id); err != nil {
				t.Errorf("round %d: %v", round, err)
			}
		}
	}
}
