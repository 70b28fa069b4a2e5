package aoc

import (
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/aoc/internal/personal"
	"github.com/triptych-mcp/triptych/aoc/sitetest"
)

// A movedClock is a clock that a test sets.
type movedClock struct{ at atomic.Pointer[time.Time] }

func clockAt(t time.Time) *movedClock {
	c := &movedClock{}
	c.at.Store(&t)
	return c
}

func (c *movedClock) now() time.Time  { return *c.at.Load() }
func (c *movedClock) set(t time.Time) { c.at.Store(&t) }

// december opens a desk whose clock the test moves.
func december(t *testing.T, clock *movedClock) *desk {
	t.Helper()
	dir := t.TempDir()
	var d *desk
	d = openDesk(t, sitetest.Session, func(f *tools) {
		f.now = clock.now
		f.user = func(id string) *User {
			cfg := personal.Config{Dir: filepath.Join(dir, id), Throttle: sitetest.NoThrottle{}, Now: clock.now, Getenv: func(string) string { return "" }}
			if d != nil { // the session is stored before the desk is there
				cfg.URL = d.site.URL
			}
			return personal.Open(cfg)
		}
	}, nil)
	return d
}

// The first day of an event, from the minute before it opens to the minute after the
// second day opens, on a site that is slow, strict, overloaded and forgets its users.
func TestFirstOfDecember(t *testing.T) {
	opens := time.Date(2026, 12, 1, 5, 0, 0, 0, time.UTC)
	clock := clockAt(opens.Add(-time.Minute))
	d := december(t, clock)
	d.site.SetClock(func() time.Time { return clock.now().Add(-2 * time.Second) }) // behind ours

	d.expect(t, "fetch_instruction", `{"day":1}`, "2026 day 1 opens at 2026-12-01 05:00 UTC; nothing was requested before that")
	if n := len(d.site.Requests()); n != 0 {
		t.Errorf("%d requests before the unlock", n)
	}
	clock.set(opens.Add(time.Second))
	d.expect(t, "fetch_instruction", `{"day":1}`, "2026 day 1 is not open on the site yet")
	d.site.Fail(http.StatusServiceUnavailable)
	d.expect(t, "fetch_instruction", `{"day":1}`, "the site answers 503")
	d.site.Fail(0)

	clock.set(opens.Add(5 * time.Second))
	d.expect(t, "fetch_instruction", `{"day":1}`, "# Day 1 of 2026\n\n## --- Day 1: Two Lists ---")
	d.expect(t, "fetch_input", `{"day":1}`, sitetest.Input)
	d.expect(t, "submit_answer", `{"day":1,"part":1,"answer":"None"}`, "the answer was not sent")
	clock.set(opens.Add(30 * time.Second))
	d.expect(t, "submit_answer", `{"day":1,"part":1,"answer":"7"}`, "7 is too low (2026 day 1 part 1); wait 1m0s")
	d.expect(t, "submit_answer", `{"day":1,"part":1,"answer":"9"}`, "the site refuses answers to this puzzle until 05:01:30 UTC")
	clock.set(opens.Add(95 * time.Second))
	d.expect(t, "submit_answer", `{"day":1,"part":1,"answer":"5"}`, "7 was too low already")
	d.expect(t, "submit_answer", `{"day":1,"part":1,"answer":"11.0"}`, `11 is correct (2026 day 1 part 1); 11 was sent for "11.0"; 1m30s since its text was fetched`)
	d.expect(t, "record_speed", `{"day":1,"phase":1,"llm_name":"gpt4","speed_ms":85000}`, "Recorded gpt4 Day 1 Phase 1: 85000ms (avg: 85000ms)")
	if got := d.site.Posted(); strings.Join(got, " ") != "7 11" {
		t.Errorf("the site got %q, want 7 and 11", got)
	}

	d.site.Expire(true) // the cookie is a month old
	clock.set(opens.Add(2 * time.Hour))
	d.expect(t, "fetch_instruction", `{"day":1}`, "What is the total of *your lists*?\n\n\nThe second part may be missing: the site does not accept the session cookie")
	d.expect(t, "submit_answer", `{"day":1,"part":2,"answer":"31"}`, "the site does not accept the session cookie")
	d.site.Expire(false)
	d.expect(t, "fetch_instruction", `{"day":1}`, "## Phase 2")
	clock.set(opens.Add(3 * time.Hour))
	d.expect(t, "submit_answer", `{"day":1,"part":2,"answer":"31"}`, "1h00m since its text was fetched")
	d.expect(t, "record_speed", `{"day":1,"phase":2,"llm_name":"gpt4","speed_ms":600000,"attempts":1}`, "Recorded gpt4 Day 1 Phase 2")
	d.expect(t, "aoc_progress", `{}`, "2 stars in 2026")
	d.expect(t, "speed_stats", `{}`, "1     gpt4   2       0         2     11m25s  1h01m  2     0       0       2")

	clock.set(opens.Add(24*time.Hour - time.Second))
	d.expect(t, "fetch_instruction", `{"day":2}`, "2026 day 2 opens at 2026-12-02 05:00 UTC")
	clock.set(opens.Add(24*time.Hour + 3*time.Second))
	d.expect(t, "fetch_instruction", `{"day":2}`, "# Day 2 of 2026")
	d.expect(t, "record_speed", `{"day":13,"phase":1,"llm_name":"x","speed_ms":5,"year":2026}`, "error -32602")
	if n := d.site.Requests()["GET /2026/day/1"]; n != 6 { // too early, 503, part one, twice with the old cookie, part two
		t.Errorf("%d requests of day 1's page, want 6", n)
	}
}

// Without a year the current event is meant in December, else the latest year with
// data, else the last event.
func TestEventYear(t *testing.T) {
	for _, tc := range []struct {
		now   string
		files map[string]string
		want  int
	}{
		{"2026-12-01T05:00:00Z", nil, 2026},
		{"2026-11-30T06:00:00Z", nil, 2026}, // the evening before
		{"2026-12-31T23:00:00Z", map[string]string{"2024/day01/puzzle.md": "x"}, 2026},
		{"2026-11-28T12:00:00Z", nil, 2025},
		{"2026-11-28T12:00:00Z", map[string]string{"2019/day01/puzzle.md": "x", "2023/speeds/day01.json": "{}"}, 2023},
	} {
		now, err := time.Parse(time.RFC3339, tc.now)
		if err != nil {
			t.Fatal(err)
		}
		user := personal.Open(personal.Config{Dir: t.TempDir()})
		if got, err := EventYear(now, bookWith(t, tc.files), user); err != nil || got != tc.want {
			t.Errorf("%s with %v: %d, %v; want %d", tc.now, tc.files, got, err, tc.want)
		}
	}
}

// Without a year, records are read where they are written: in the files without a year
// until the current event has something.
func TestBookWithoutYear(t *testing.T) {
	const speeds, puzzle = `{"day":1,"entries":[]}`, "x"
	december, november := "2026-12-02T12:00:00Z", "2026-11-28T12:00:00Z"
	for name, tc := range map[string]struct {
		now          string
		files        map[string]string
		read, record int
	}{
		"nothing":                         {december, nil, 2026, 0},
		"documented records":              {december, map[string]string{"speeds/day01.json": speeds}, 0, 0},
		"documented puzzle":               {december, map[string]string{"instructions/Day01_phase1.md": puzzle}, 2026, 0},
		"documented and current puzzle":   {december, map[string]string{"instructions/Day01_phase1.md": puzzle, "2026/day01/puzzle.md": puzzle}, 2026, 0},
		"current puzzle":                  {december, map[string]string{"2026/day01/puzzle.md": puzzle}, 2026, 2026},
		"old records, current puzzle":     {december, map[string]string{"speeds/day01.json": speeds, "2026/day01/puzzle.md": puzzle}, 0, 2026},
		"both have records":               {december, map[string]string{"speeds/day01.json": speeds, "2026/speeds/day01.json": speeds}, 2026, 0},
		"another day's puzzle":            {december, map[string]string{"2026/day02/puzzle.md": puzzle}, 2026, 0},
		"before December":                 {november, map[string]string{"2024/day01/puzzle.md": puzzle}, 2024, 2024},
		"before December, with records":   {november, map[string]string{"speeds/day01.json": speeds, "2024/day01/puzzle.md": puzzle}, 0, 0},
		"before December, both records":   {november, map[string]string{"speeds/day01.json": speeds, "2024/speeds/day01.json": speeds}, 0, 0},
		"before December, nothing at all": {november, nil, 2025, 0},
	} {
		now, err := time.Parse(time.RFC3339, tc.now)
		if err != nil {
			t.Fatal(err)
		}
		book, user := bookWith(t, tc.files), personal.Open(personal.Config{Dir: t.TempDir()})
		if got, err := BookToRead(now, book, user, (*Book).HasSpeeds); err != nil || got.year != tc.read {
			t.Errorf("%s: the records of %d are read, %v; want %d", name, got.year, err, tc.read)
		}
		if got, err := BookToRecord(now, book, user, 1, 1); err != nil || got.year != tc.record {
			t.Errorf("%s: a record is one of %d, %v; want %d", name, got.year, err, tc.record)
		}
	}
	book := bookWith(t, map[string]string{"speeds/day01.json": speeds, "2024/speeds/day01.json": speeds})
	if book.YearToRead(2025) != book || book.YearToRead(2024).year != 2024 || book.YearToRead(2023).year != 2023 {
		t.Error("the documented files do not stand for 2025 alone")
	}
}

// The number of days is that of the newest leaderboard, whatever is usual.
func TestDaysOfTheSite(t *testing.T) {
	d := openDesk(t, sitetest.Session, func(f *tools) { f.year = 2024 }, nil)
	for year, days := range map[string]string{"2024": "10", "2025": "14"} {
		lay(t, filepath.Join(d.dir, "local", year, "leaderboard-7.json"), `{"fetched":"2025-12-01T00:00:00Z","board":{"num_days":`+days+`}}`)
	}
	for tool, rest := range map[string]string{
		"record_speed": `,"phase":1,"llm_name":"x","speed_ms":1}`, "fetch_instruction": "}", "fetch_input": "}", "submit_answer": `,"part":1,"answer":"5"}`,
	} {
		d.expect(t, tool, `{"day":11`+rest, "error -32602: Invalid params: day must be between 1 and 10 in 2024")
		d.expect(t, tool, `{"year":2025,"day":15`+rest, "error -32602: Invalid params: day must be between 1 and 14 in 2025")
	}
	d.expect(t, "fetch_input", `{"year":0,"day":1}`, "error -32602: Invalid params: year must be 2015 or later")
	d.expect(t, "record_speed", `{"year":2025,"day":14,"phase":1,"llm_name":"x","speed_ms":1}`, "Recorded x Day 14")
	d.expect(t, "fetch_instruction", `{"year":2025,"day":14}`, "Two Lists")
}
