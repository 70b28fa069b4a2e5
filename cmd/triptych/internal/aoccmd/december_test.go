package aoccmd_test

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/aoc/sitetest"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/aoccmd"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/command"
)

// A fan has a data folder, a cookie, and a clock that tests move. The site has the same
// clock.
type fan struct {
	t    *testing.T
	site *sitetest.Site
	dir  string

	mu sync.Mutex
	at time.Time
}

func newFan(t *testing.T, at time.Time) *fan {
	t.Helper()
	f := &fan{t: t, site: sitetest.New(), dir: t.TempDir(), at: at}
	t.Cleanup(f.site.Close)
	f.site.SetClock(f.now)
	return f
}

func (f *fan) now() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.at
}

func (f *fan) set(at time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.at = at
}

// run runs triptych aoc and returns what it printed, errors included. Each run has a
// throttle of its own.
func (f *fan) run(now func() time.Time, args ...string) string {
	f.t.Helper()
	a := app.New()
	out, err := os.Create(filepath.Join(f.t.TempDir(), "out"))
	if err != nil {
		f.t.Fatal(err)
	}
	defer func() { _ = out.Close() }()
	var told bytes.Buffer
	env := map[string]string{
		"HOME": f.dir, "XDG_CACHE_HOME": f.t.TempDir(), "TRIPTYCH_DATA": filepath.Join(f.dir, "data"),
		"TRIPTYCH_AOC_URL": f.site.URL, "AOC_SESSION": sitetest.Session,
	}
	a.In, a.Out, a.Err, a.Now = out, out, &told, now
	a.Getenv = func(name string) string { return env[name] }
	a.Run(f.t.Context(), command.Command{Name: "triptych", Sub: []command.Command{aoccmd.AoCCommand(a)}}, append([]string{"aoc"}, args...))
	if _, err := out.Seek(0, io.SeekStart); err != nil {
		f.t.Fatal(err)
	}
	printed, err := io.ReadAll(out)
	if err != nil {
		f.t.Fatal(err)
	}
	return told.String() + string(printed)
}

// expect runs a command and wants a text in what it prints.
func (f *fan) expect(want string, args ...string) {
	f.t.Helper()
	if got := f.run(f.now, args...); !strings.Contains(got, want) {
		f.t.Errorf("%v: got %q, want %q", args, got, want)
	}
}

// Twenty-four hours of December in the shell, from the eve of the event to the second
// puzzle.
func TestFirstDay(t *testing.T) {
	opens := time.Date(2026, 12, 1, 5, 0, 0, 0, time.UTC)
	f := newFan(t, opens.Add(-17*time.Hour))
	f.expect("triptych: Advent of Code 2026\ntriptych: no puzzles", "list")
	f.expect("2026 day 1 opens at 2026-12-01 05:00 UTC; nothing was requested", "input", "1")
	f.expect("2026 day 1 opens at", "submit", "1", "1", "5")
	f.expect("No runs are recorded.", "race")
	if got := f.site.Requests(); len(got) != 0 {
		t.Errorf("requests before the unlock: %v", got)
	}

	f.site.Slow(5 * time.Millisecond)
	done := f.watch(opens)
	for i, wait := range []string{"1m0s", "1m0s", "1m0s", "1m0s", "5m0s"} {
		f.expect("is too low (2026 day 1 part 1); wait "+wait, "submit", "1", "1", string(rune('5'+i)))
		f.expect("the site refuses answers to this puzzle until", "submit", "1", "1", "11")
		f.set(f.now().Add(time.Minute))
	}
	f.expect("the site refuses answers to this puzzle until 05:09:00 UTC", "submit", "1", "1", "11")
	f.set(opens.Add(10 * time.Minute))
	f.expect("5 was too low already", "submit", "1", "1", "2")
	f.expect("found no answer", "submit", "1", "1", "None")
	f.site.Fail(http.StatusInternalServerError)
	f.expect("the site answers 500", "submit", "1", "1", "11")
	f.site.Fail(0)
	f.expect("11 is correct (2026 day 1 part 1)", "submit", "1", "1", "11.0")
	if got := <-done; !strings.Contains(got, "2026 day 1: Two Lists, 1 of 2 parts, input: downloaded\n") || !strings.HasSuffix(got, "2026 day 1: part two is there\n") {
		t.Errorf("watch printed %q", got)
	}
	f.expect(sitetest.Input, "input", "1")
	f.expect("31 is correct (2026 day 1 part 2)", "submit", "1", "2", "31")
	f.expect("2 of 24 stars in 2026", "stars")
	f.expect("1     11      correct", "guesses", "1")

	// What is recorded without a year is of the event, as all else.
	f.expect("triptych: Advent of Code 2026\nRecorded gpt4 Day 1 Phase 1: 90000ms", "record", "1", "1", "gpt4", "90000", "--correct", "true")
	f.expect("Recorded gpt4 Day 1 Phase 1: program ran ", "verify", "1", "--llm", "gpt4", "--runs", "2", "--", "echo", "11")
	f.expect("1     gpt4   1       0         1     1m30s", "race")
	f.expect("1     gpt4   1       0         2 ", "race", "--kind", "program")
	f.expect("1    2       3", "list")

	f.set(opens.Add(12 * time.Hour))
	f.site.Expire(true)
	f.expect("does not accept the session cookie", "stars")
	f.expect("does not accept the session cookie", "fetch", "2025", "1")
	f.expect("2026 day 1: Two Lists, 2 of 2 parts, input: there already", "fetch", "1")
	f.expect("## Phase 2", "show", "1")
	f.site.Expire(false)
	f.expect("2 of 24 stars in 2026", "stars")

	f.set(opens.Add(24*time.Hour - time.Second))
	f.expect("input: there already\n", "fetch")
	f.expect("2026 day 2 opens at 2026-12-02 05:00 UTC", "fetch")
	f.set(opens.Add(24*time.Hour + 10*time.Minute))
	f.expect("2026 day 2: Two Lists, 1 of 2 parts, input: downloaded", "watch", "--once") // late, but not for tomorrow
	f.expect("day must be between 1 and 12 in 2026", "fetch", "13")

	want := map[string]int{
		"GET /2026/day/1": 2, "GET /2026/day/1/input": 1, "GET /2026/day/2": 1, "GET /2026/day/2/input": 1,
		"POST /2026/day/1/answer": 8, // five wrong ones, the 500, both right ones
		"GET /2026":               3, "GET /2025/day/1": 1,
	}
	if diff := cmp.Diff(want, f.site.Requests()); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

// watch starts triptych aoc watch just before a puzzle opens, returns when the puzzle is
// there, and sends what the command printed when it ends.
func (f *fan) watch(opens time.Time) <-chan string {
	f.t.Helper()
	f.set(opens.Add(-time.Millisecond))
	done := make(chan string, 1)
	var asked atomic.Int64
	now := func() time.Time { // the puzzle opens while the command counts down
		if asked.Add(1) == 8 {
			f.set(opens)
		}
		return f.now()
	}
	go func() { done <- f.run(now, "watch") }()
	input := filepath.Join(f.dir, "data", "aoc", "personal", "local", "2026", "day01", "input.txt")
	for limit := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		if _, err := os.Stat(input); err == nil {
			return done
		}
		if time.Now().After(limit) {
			f.t.Fatal("the input was not downloaded")
		}
	}
}
