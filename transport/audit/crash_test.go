package audit_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/conformance/disktest"
	"github.com/triptych-mcp/triptych/transport/audit"
)

// childDir is the variable that makes this test binary a process that adds
// records to a trail until it is killed.
const childDir = "AUDIT_TEST_DIR"

// childKeeps is the variable with the number of files that such a process keeps.
const childKeeps = "AUDIT_TEST_KEEP"

// childRotates is the variable that makes such a process rotate the key of the trail instead,
// which is compromised.
const childRotates = "AUDIT_TEST_ROTATES"

func TestMain(m *testing.M) {
	switch dir := os.Getenv(childDir); {
	case dir != "" && os.Getenv(childRotates) != "":
		if _, err := audit.Rotate(context.Background(), audit.Config{Dir: dir}, true); err != nil {
			panic(err)
		}
		return
	case dir != "":
		child(dir)
		return
	}
	os.Exit(m.Run())
}

// child prints the number of each record once it is stored: every third of them
// as a change, the others as look-ups.
func child(dir string) {
	keep, _ := strconv.Atoi(os.Getenv(childKeeps)) // 0 keeps all
	l := audit.New(audit.Config{Dir: dir, MaxFile: 100_000, KeepFiles: keep})
	var mu sync.Mutex
	for range 8 {
		go func() {
			for {
				seq, err := l.Append(audit.Record{Key: strconv.Itoa(os.Getpid()), Method: "tools/call", Outcome: audit.OK})
				if err == nil && seq%3 == 0 {
					err = l.Commit(context.Background(), seq)
				} else if err == nil {
					err = l.Write(context.Background(), seq)
				}
				if err != nil {
					panic(err)
				}
				mu.Lock()
				fmt.Println(seq)
				mu.Unlock()
			}
		}()
	}
	select {}
}

// start starts a child that tells what it kept.
func start(t *testing.T, dir string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), childDir+"="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	return cmd, bufio.NewScanner(out)
}

// Processes are killed while they write. The trail stays whole, every record
// that was promised is there, and the next process goes on.
func TestKilledProcesses(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "audit")
	promised := map[string][]uint64{} // process → numbers
	for round := range 6 {
		var wg sync.WaitGroup
		var mu sync.Mutex
		for range 2 {
			cmd, out := start(t, dir)
			wg.Go(func() {
				var got []uint64
				for out.Scan() {
					if seq, err := strconv.ParseUint(out.Text(), 10, 64); err == nil { // the last may be cut off
						got = append(got, seq)
					}
					if len(got) == 200+37*round {
						_ = cmd.Process.Kill()
					}
				}
				_ = cmd.Wait() // killed
				mu.Lock()
				defer mu.Unlock()
				promised[strconv.Itoa(cmd.Process.Pid)] = got
			})
		}
		wg.Wait()
		report, err := audit.Verify(t.Context(), dir)
		if err != nil || report.Err() != nil {
			t.Fatalf("after round %d: %v %v", round, err, report.Err())
		}
		if n := len(report.Chains); n > 3 { // each of two may take the chain that the other made
			t.Errorf("%d chains after round %d; they are not used again", n, round)
		}
	}
	for pid, seqs := range promised {
		there := map[uint64]bool{}
		for r, err := range audit.Query(t.Context(), dir, audit.Filter{Key: pid}) {
			if err != nil {
				t.Fatal(err)
			}
			there[r.Seq] = true
		}
		for _, seq := range seqs[:len(seqs)-1] {
			if !there[seq] {
				t.Fatalf("record %d of process %s was promised and is missing", seq, pid)
			}
		}
	}
}

// A full disk is told to the caller; the records are kept once there is space.
func TestFullDisk(t *testing.T) {
	mount := t.TempDir()
	disktest.Mount(t, mount, 256<<10)
	dir := filepath.Join(mount, "audit")
	l := audit.New(audit.Config{Dir: dir, MaxFile: 50_000})
	ballast := filepath.Join(mount, "ballast")
	keep(t, l, audit.Record{Key: "before"})
	_ = os.WriteFile(ballast, make([]byte, 200<<10), 0o600) // as much as fits
	failed, last := 0, uint64(0)
	for range 5000 {
		seq, err := l.Append(audit.Record{Key: "during"})
		if err != nil {
			t.Fatal(err)
		}
		last = seq
		if err := l.Commit(t.Context(), seq); errors.Is(err, syscall.ENOSPC) {
			if failed++; failed == 10 {
				break
			}
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if failed == 0 {
		t.Fatal("the disk never became full")
	}
	if report, err := audit.Verify(t.Context(), dir); err != nil || report.Err() != nil {
		t.Errorf("on the full disk: %v %v", err, report.Err())
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	if err := l.Commit(t.Context(), last); err != nil {
		t.Errorf("with space again: %v", err)
	}
	shut(t, l)
	if c := whole(t, dir, last).Chains[0]; c.Torn != 0 || c.Recovered != 0 {
		t.Errorf("torn %d, repaired %d", c.Torn, c.Recovered)
	}
}

// A disk that has no room for much more has some for a little more: a chain that
// has grown does not ask for as much as before with each record.
func TestCrampedDisk(t *testing.T) {
	t.Parallel() // it waits
	mount := t.TempDir()
	disktest.Mount(t, mount, 1<<20)
	dir := filepath.Join(mount, "audit")
	l := audit.New(audit.Config{Dir: dir})
	hasRoom := func() bool {
		keep(t, l, audit.Record{Key: "k"})
		return bytes.HasSuffix(only(t, dir), []byte("\n\n"))
	}
	for hasRoom() && len(only(t, dir)) < 400<<10 {
	}
	ballast := filepath.Join(mount, "ballast")
	_ = os.WriteFile(ballast, make([]byte, 1<<20), 0o600) // as much as fits
	info, err := os.Stat(ballast)
	if err == nil {
		err = os.Truncate(ballast, info.Size()-100<<10)
	}
	if err != nil {
		t.Fatal(err)
	}
	for n := 0; hasRoom(); n++ {
		if n == 5000 {
			t.Fatal("the room never ended")
		}
	}
	if one, two := hasRoom(), hasRoom(); !one && !two {
		t.Error("there is none any more")
	}
	shut(t, l)
}

// Opening a long chain takes a small part of the time that reading it takes.
func TestFirstRecordIsQuick(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "audit")
	l := audit.New(audit.Config{Dir: dir})
	for range 50_000 {
		if _, err := l.Append(audit.Record{Key: "k"}); err != nil {
			t.Fatal(err)
		}
	}
	shut(t, l)
	best := time.Hour
	for range 10 {
		l := audit.New(audit.Config{Dir: dir})
		began := time.Now()
		if _, err := l.Append(audit.Record{Key: "k"}); err != nil {
			t.Fatal(err)
		}
		best = min(best, time.Since(began))
		shut(t, l)
	}
	l = audit.New(audit.Config{Dir: dir})
	began := time.Now()
	if _, err := l.Verify(t.Context()); err != nil {
		t.Fatal(err)
	}
	whole := time.Since(began)
	shut(t, l)
	if best > whole/10 {
		t.Errorf("opening a chain of 50,000 records took %v, and reading all of it %v", best, whole)
	}
}
