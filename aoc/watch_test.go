package aoc

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/mcp/folderwatch"
)

// never is a poll that no test lives to see.
const never = 24 * time.Hour

// A told holds the arguments of one call of changed.
type told struct {
	Days []Day
	List bool
}

// watching follows b until the test ends and returns what it tells.
func watching(t *testing.T, b *Book, w *folderwatch.Watcher, every time.Duration) <-chan told {
	t.Helper()
	heard := make(chan told, 100)
	before := b.stamps()
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		b.follow(ctx, w, every, before, func(days []Day, list bool) { heard <- told{days, list} })
	}()
	t.Cleanup(func() {
		stop()
		<-done
		w.Close()
	})
	return heard
}

// expect waits until the day is told of, as a change of the list if list is set.
// Writing a file is several events, so other news may come before it or with it.
func expect(t *testing.T, doing string, heard <-chan told, day Day, list bool) {
	t.Helper()
	late := time.After(patience)
	for {
		select {
		case got := <-heard:
			if slices.Contains(got.Days, day) && (got.List || !list) {
				return
			}
		case <-late:
			t.Fatalf("%s: nothing was told of day %v, list %v", doing, day, list)
		}
	}
}

func lay(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// The folder need not be there, and may be put in place of another. There is no
// poll: all is heard of by events.
func TestWatchFollowsTheFolder(t *testing.T) {
	top := t.TempDir()
	b := Open(filepath.Join(top, "data", "aoc"))
	dir := b.instructions()
	heard := watching(t, b, folderwatch.New(dir), never)
	move := func(from, to string) {
		t.Helper()
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
	}
	lay(t, filepath.Join(dir, "Day01_phase1.md"), "one")
	expect(t, "the folder appears", heard, 1, true)
	lay(t, filepath.Join(dir, "day02.json"), "{}")
	expect(t, "a day is added", heard, 2, true)
	lay(t, filepath.Join(dir, "Day01_phase2.md"), "two")
	expect(t, "a second half is added", heard, 1, false)
	if err := os.Remove(filepath.Join(dir, "day02.json")); err != nil {
		t.Fatal(err)
	}
	expect(t, "a day is removed", heard, 2, true)
	move(dir, filepath.Join(top, "old"))
	expect(t, "the folder goes", heard, 1, true)
	lay(t, filepath.Join(top, "new", "DAY25.json"), "{}")
	move(filepath.Join(top, "new"), dir)
	expect(t, "another takes its place", heard, 25, true)
}

// Where no event comes, the poll finds what changed.
func TestPollIsTheFloor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := bookWith(t, map[string]string{"instructions/Day01_phase1.md": "one"})
		heard := watching(t, b, new(folderwatch.Watcher), pollEvery)
		began := time.Now()
		lay(t, filepath.Join(b.instructions(), "Day01_phase1.md"), "another")
		lay(t, filepath.Join(b.instructions(), "Day02_phase1.md"), "two")
		if diff := cmp.Diff(told{[]Day{1, 2}, true}, <-heard); diff != "" {
			t.Errorf("told (-want +got):\n%s", diff)
		}
		if took := time.Since(began); took != pollEvery {
			t.Errorf("it took %v, want %v", took, pollEvery)
		}
	})
}

// After an overflow of the system's queue nothing is known, so all is looked at.
func TestLostEventsAreMadeUpFor(t *testing.T) {
	b, lost := bookWith(t, nil), make(chan error)
	heard := watching(t, b, &folderwatch.Watcher{Lost: lost}, never)
	lay(t, filepath.Join(b.instructions(), "day03.json"), "{}")
	lost <- fsnotify.ErrEventOverflow
	expect(t, "events are lost", heard, 3, true)
}

func TestWatchLeavesNoGoroutine(t *testing.T) {
	b := Open(filepath.Join(t.TempDir(), "nowhere", "yet"))
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- b.watch(ctx, func([]Day, bool) {}) }()
	waitFor(t, "the watch begins", listens)
	stop()
	if err := <-done; err != nil {
		t.Errorf("watch: %v", err)
	}
	waitFor(t, "its goroutines end", func() bool { return !listens() })
}

// listens reports whether a goroutine of the system's watch is running.
func listens() bool {
	stacks := make([]byte, 1<<20)
	return strings.Contains(string(stacks[:runtime.Stack(stacks, true)]), "fsnotify.(*")
}

// patience limits the time for what the scheduler or the system's watch decides.
const patience = 2 * time.Minute

func waitFor(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if is() {
			return
		}
	}
	t.Errorf("never: %s", what)
}
