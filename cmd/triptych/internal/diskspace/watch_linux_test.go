package diskspace_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/diskspace"
	"github.com/triptych-mcp/triptych/conformance/disktest"
)

// A full disk is logged once, is an error while it is full, and recovers by itself. The folder
// beside is on another disk, and one is missing.
func TestFullDisk(t *testing.T) {
	disk, beside := t.TempDir(), t.TempDir()
	disktest.Mount(t, disk, 256<<10)
	inside := filepath.Join(disk, "inside") // also full, and not told again
	if err := os.Mkdir(inside, 0o700); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	w := diskspace.NewWatch(slog.New(slog.NewTextHandler(&log, nil)), beside, disk, disk, inside, filepath.Join(beside, "missing"))
	w.Look()
	if err := w.Err(); err != nil || w.Free() > 256<<10 {
		t.Errorf("an empty disk: %v, %d bytes are free", err, w.Free())
	}
	filler := filepath.Join(disk, "filler")
	for round := 1; round <= 2; round++ {
		disktest.Fill(t, filler)
		for range 3 {
			w.Look()
		}
		if err := w.Err(); !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), disk) || w.Free() != 0 {
			t.Errorf("a full disk: %v, %d bytes are free", err, w.Free())
		}
		if err := os.Remove(filler); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			w.Look()
		}
		if err := w.Err(); err != nil {
			t.Errorf("with space again: %v", err)
		}
		if round == 2 { // a full disk that is gone is full no more
			disktest.Fill(t, filler)
			w.Look()
			if err := os.Rename(inside, inside+".gone"); err != nil || w.Err() == nil {
				t.Errorf("full: %v, %v", w.Err(), err)
			}
			if err := os.Remove(filler); err != nil {
				t.Fatal(err)
			}
			w.Look()
			if err := w.Err(); err != nil {
				t.Errorf("with a folder that is gone: %v", err)
			}
			if err := os.Rename(inside+".gone", inside); err != nil {
				t.Fatal(err)
			}
			round++
		}
		full, again := strings.Count(log.String(), `level=ERROR msg="the disk is full`), strings.Count(log.String(), `level=INFO msg="the disk has space again"`)
		if full != round || again != round {
			t.Errorf("after %d times, the log has %d and %d lines:\n%s", round, full, again, &log)
		}
	}
	left, err := filepath.Glob(filepath.Join(disk, "*", "*"))
	above, errAbove := os.ReadDir(disk)
	if err := errors.Join(err, errAbove); err != nil || len(left) > 0 || len(above) != 1 {
		t.Errorf("left on the disk: %v, %v, %v", left, above, err)
	}
}

// A write that failed counts at once, also for the quota of a user, until the next look.
func TestFailedWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		w := diskspace.NewWatch(slog.New(slog.DiscardHandler), dir)
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- w.Run(ctx) }()
		synctest.Wait()
		w.Saw(dir, errors.New("permission denied"))
		w.Saw("/elsewhere", syscall.ENOSPC)
		if err := w.Err(); err != nil {
			t.Errorf("no disk is full, got %v", err)
		}
		w.Saw(dir, fmt.Errorf("write x: %w", syscall.EDQUOT))
		if err := w.Err(); !errors.Is(err, syscall.EDQUOT) {
			t.Errorf("got %v, want that the quota is reached", err)
		}
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if err := w.Err(); err != nil {
			t.Errorf("when something can be written: %v", err)
		}
		stop()
		<-ended
	})
}
