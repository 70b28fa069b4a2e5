package quota_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/triptych-mcp/triptych/transport/quota"
	"github.com/triptych-mcp/triptych/transport/valkeytest"
)

const (
	childDir    = "QUOTA_TEST_TAKE_IN"
	childServer = "QUOTA_TEST_TAKE_AT"
)

// TestMain lets the test binary be a process of its own.
func TestMain(m *testing.M) {
	dir, server := os.Getenv(childDir), os.Getenv(childServer)
	if dir == "" && server == "" {
		os.Exit(m.Run())
	}
	if err := child(dir, server); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// child takes from a meter until its limit, and prints a line after each
// request that is granted.
func child(dir, server string) error {
	ctx := context.Background()
	meter, err := childMeter(ctx, dir, server)
	if err != nil {
		return err
	}
	for {
		_, err := meter.Take(ctx, "k", crashLimits, noon)
		if _, full := errors.AsType[*quota.ExceededError](err); full {
			return nil // without Close: this is a crash
		}
		if err != nil {
			return err
		}
		fmt.Println("granted")
	}
}

func childMeter(ctx context.Context, dir, server string) (quota.Meter, error) {
	if server == "" {
		return quota.OpenLocal(ctx, dir, quiet)
	}
	return quota.NewValkey(redis.NewClient(&redis.Options{Addr: server}), ""), nil
}

// crashLimits have blocks of 10.
var crashLimits = quota.Limits{Month: 10_000, Minute: 2_000}

const crashBlock = 10

// runChild runs a child that is killed once it has told of limit requests (or
// ended by itself), and returns of how many it told.
func runChild(t *testing.T, variable string, limit int) int {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), variable)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	granted := 0
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if granted++; granted == limit {
			_ = cmd.Process.Kill() // it may have ended
		}
	}
	_ = cmd.Wait() // killed
	return granted
}

// TestKilledProcessesGrantNoMore: requests that were granted before a crash
// count after it, in the month and in the minute; a crash costs a block at most.
func TestKilledProcessesGrantNoMore(t *testing.T) {
	dir := t.TempDir()
	granted, crashes := 0, 0
	for _, limit := range []int{1, 5, 10, 11, 99, 300, 7} {
		granted += runChild(t, childDir+"="+dir, limit)
		crashes++
		m := openLocal(t, dir)
		u, err := m.Peek(t.Context(), "k", crashLimits, noon)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range []quota.Window{u.Month, u.Minute} {
			if w.Used < int64(granted) || w.Used > int64(granted+crashes*crashBlock)+1 {
				t.Errorf("%d count, want %d to %d", w.Used, granted, granted+crashes*crashBlock)
			}
		}
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
	}
	granted += runChild(t, childDir+"="+dir, -1) // to the minute's limit
	if int64(granted) > crashLimits.Minute || granted < int(crashLimits.Minute)-crashes*crashBlock-crashes {
		t.Errorf("%d were granted, want %d less what %d crashes cost", granted, crashLimits.Minute, crashes)
	}
	if more := runChild(t, childDir+"="+dir, -1); more != 0 {
		t.Errorf("%d more were granted", more)
	}
}

// TestProcessesShareAServer has no more granted than are allowed, and all but what the
// leases had left of processes that ended without a word.
func TestProcessesShareAServer(t *testing.T) {
	server := valkeytest.Start(t)
	const processes = 4
	granted := make([]int, processes)
	var wg sync.WaitGroup
	for i := range processes {
		wg.Go(func() { granted[i] = runChild(t, childServer+"="+server.Addr, -1) })
	}
	wg.Wait()
	total := int64(0)
	for _, n := range granted {
		total += int64(n)
	}
	if total > crashLimits.Minute || total < crashLimits.Minute-processes*crashBlock {
		t.Errorf("%v were granted, %d in all, want %d", granted, total, crashLimits.Minute)
	}
}
