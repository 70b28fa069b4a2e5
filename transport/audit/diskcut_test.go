package audit_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/conformance/disktest"
	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
	"github.com/triptych-mcp/triptych/transport/audit"
)

// diskCutsVariable sets how often TestPowerCutsOfDisk cuts the power; 1000 take some
// minutes.
const diskCutsVariable = "AUDIT_TEST_DISK_CUTS"

// Three processes record changes and look-ups on a disk with a file system of the
// kernel, ext4, and a cache that a power cut empties. After each of many cuts the trail
// is whole, every change that was answered is there, and the next process goes on with
// it. How long look-ups may be missing is for TestPowerCuts, which has its own clock.
func TestPowerCutsOfDisk(t *testing.T) {
	cuts := sample.Count(4, 10)
	if n, err := strconv.Atoi(os.Getenv(diskCutsVariable)); err == nil {
		cuts = n
	}
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
		t.Setenv("TMPDIR", "/dev/shm") // the images need no disk
	}
	mount, after := t.TempDir(), t.TempDir()
	disk := disktest.FormatVolatile(t, mount)
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0)) // for a test
	t.Setenv(childKeeps, "4")
	w := startWriters(t, filepath.Join(mount, "audit"), 3)
	for n := range cuts {
		time.Sleep(time.Duration(r.IntN(20)) * time.Millisecond)
		promised := w.await(t)
		disk.PowerCut(t, r, after, func() { afterDiskCut(t, filepath.Join(after, "audit"), promised) })
		if t.Failed() {
			t.Fatalf("after cut %d with the seed %d; promised: %v", n, seed, promised)
		}
	}
	t.Logf("%d cuts, %d flushes, promised: %v", cuts, disk.Flushes(), w.await(t))
}

// writers are processes that record, and the last changes that they have answered.
type writers struct {
	mu      sync.Mutex
	changes map[string]uint64 // process → number
}

func startWriters(t *testing.T, dir string, count int) *writers {
	t.Helper()
	w := &writers{changes: map[string]uint64{}}
	var done sync.WaitGroup
	var processes []*exec.Cmd
	for range count {
		cmd, out := start(t, dir)
		processes = append(processes, cmd)
		pid := strconv.Itoa(cmd.Process.Pid)
		w.changes[pid] = 0
		done.Go(func() {
			for out.Scan() {
				if seq, err := strconv.ParseUint(out.Text(), 10, 64); err == nil && seq%3 == 0 {
					w.mu.Lock()
					w.changes[pid] = max(w.changes[pid], seq)
					w.mu.Unlock()
				}
			}
		})
	}
	t.Cleanup(func() {
		for _, cmd := range processes {
			_ = cmd.Process.Kill() // it runs until then
		}
		done.Wait()
		for _, cmd := range processes {
			_ = cmd.Wait() // killed
		}
	})
	return w
}

// await waits until all have answered a change since the last time, and returns the
// last of each.
func (w *writers) await(t *testing.T) map[string]uint64 {
	t.Helper()
	var before map[string]uint64
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
		now, more := map[string]uint64{}, true
		w.mu.Lock()
		for pid, seq := range w.changes {
			now[pid] = seq
			more = more && seq > before[pid]
		}
		w.mu.Unlock()
		if before == nil {
			before = now
		} else if more {
			return now
		}
	}
	t.Fatal("no process has recorded a change for a minute")
	return nil
}

// afterDiskCut checks what a power cut has left, and that the next process can go on.
func afterDiskCut(t *testing.T, dir string, promised map[string]uint64) {
	report, err := audit.Verify(t.Context(), dir)
	if err != nil || report.Err() != nil {
		t.Errorf("%v %v", err, report.Err())
		return
	}
	for pid, change := range promised {
		last, err := lastOf(t, dir, pid)
		if err != nil || last < change {
			t.Errorf("change %d of process %s is missing; its last record is %d (%v)", change, pid, last, err)
		}
	}
	next := audit.New(audit.Config{Dir: dir})
	seq, err := next.Append(audit.Record{Key: "next"})
	if err == nil {
		err = next.Commit(t.Context(), seq)
	}
	if closed := next.Close(); err != nil || closed != nil {
		t.Errorf("the next process: %v %v", err, closed)
	}
	if report, err = audit.Verify(t.Context(), dir); err != nil || report.Err() != nil {
		t.Errorf("after the next process: %v %v", err, report.Err())
	}
}

func lastOf(t *testing.T, dir, key string) (last uint64, err error) {
	for r, err := range audit.Query(t.Context(), dir, audit.Filter{Key: key}) {
		if err != nil {
			return last, fmt.Errorf("process %s: %w", key, err)
		}
		last = max(last, r.Seq)
	}
	return last, nil
}
