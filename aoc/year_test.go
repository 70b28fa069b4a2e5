package aoc

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/aoc/internal/personal"
	"github.com/triptych-mcp/triptych/aoc/internal/site"
	"github.com/triptych-mcp/triptych/aoc/race"
	"github.com/triptych-mcp/triptych/aoc/sitetest"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/mcp/mcptest"
)

// The layouts of common templates and of aoc-cli are read as they are.
func TestYearLayouts(t *testing.T) {
	for _, tc := range []struct{ name, file, input string }{
		{"documented below a year", "2024/instructions/Day01_phase1.md", ""},
		{"puzzle.md and input.txt", "2024/day01/puzzle.md", "2024/day01/input.txt"},
		{"aoc-cli", "2024/1/puzzle.md", "2024/1/input"},
		{"prompt.md", "2024/01/prompt.md", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			files := map[string]string{tc.file: "## --- Day 1 ---\r\nfirst\r\n"}
			if tc.input != "" {
				files[tc.input] = "1\n2\n"
			}
			b := bookWith(t, files)
			i, err := b.Year(2024).Instruction(1)
			if err != nil || i.Phase1 != "## --- Day 1 ---\nfirst\n" || i.Phase2 != nil {
				t.Errorf("got %+v, %v", i, err)
			}
			if _, err := b.Instruction(1); err == nil {
				t.Error("the documented files have it, too")
			}
			if text, err := b.Year(2024).Input(1); (err == nil) != (tc.input != "") || err == nil && text != "1\n2\n" {
				t.Errorf("input %q, %v", text, err)
			}
			years, err := b.Years()
			if diff := cmp.Diff([]int{2024}, years); err != nil || diff != "" {
				t.Errorf("%v, years (-want +got):\n%s", err, diff)
			}
		})
	}
}

func TestPartTwoInOneFile(t *testing.T) {
	b := bookWith(t, map[string]string{"2024/day02/puzzle.md": "# One\na\n## --- Part Two ---\nb\n"})
	i, err := b.Year(2024).Instruction(2)
	if err != nil || i.Phase1 != "# One\na\n" || i.Phase2 == nil || *i.Phase2 != "## --- Part Two ---\nb\n" {
		t.Errorf("got %+v, %v", i, err)
	}
}

// A desk serves the family to a client, beside a site.
type desk struct {
	*mcptest.Client

	book *Book
	site *sitetest.Site
	dir  string
}

// open connects a client; users have the session if the site is given.
func openDesk(t *testing.T, session string, change func(*tools), files map[string]string) *desk {
	t.Helper()
	d := &desk{book: bookWith(t, files), site: sitetest.New(), dir: t.TempDir()}
	t.Cleanup(d.site.Close)
	now := func() time.Time { return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) }
	family := &tools{book: d.book, now: now, submit: true, user: func(id string) *User {
		return personal.Open(personal.Config{
			Dir: filepath.Join(d.dir, id), URL: d.site.URL, Throttle: sitetest.NoThrottle{}, Now: now,
			Getenv: func(string) string { return "" },
		})
	}}
	if change != nil {
		change(family)
	}
	if session != "" {
		s, err := site.ParseSession(session)
		if err != nil {
			t.Fatal(err)
		}
		if err := family.user(host.Local().ID).Login(s); err != nil {
			t.Fatal(err)
		}
	}
	d.Client = mcptest.Connect(t, family.table())
	d.Initialize("2025-06-18")
	return d
}

func (d *desk) expect(t *testing.T, tool, arguments, want string) {
	t.Helper()
	if got := d.Call(tool, rawArguments(arguments)).String(); !strings.Contains(got, want) {
		t.Errorf("%s %s: got %s, want %s", tool, arguments, got, want)
	}
}

// A day is downloaded when it is first asked for, its input and examples, too.
func TestDownloads(t *testing.T) {
	d := openDesk(t, sitetest.Session, nil, nil)
	for range 2 {
		d.expect(t, "fetch_instruction", `{"day":1,"year":2024}`, "# Day 1\n\n## --- Day 1: Two Lists ---\n")
		d.expect(t, "fetch_input", `{"day":1,"year":2024}`, sitetest.Input)
		d.expect(t, "fetch_input", `{"day":1,"year":2024,"example":1}`, "3   4\n4   3\n\nAnswer to part 1: 11")
	}
	d.expect(t, "fetch_input", `{"day":1,"year":2024,"example":2}`, "error -1: Error loading examples: 2024 day 1 has 1")
	d.expect(t, "fetch_instruction", `{"day":13,"year":2025}`, "error -32602")
	d.expect(t, "fetch_instruction", `{"day":1}`, "# Day 1 of 2024\n\n## --- Day 1: Two Lists ---\n") // the latest year that has something
	d.expect(t, "fetch_input", `{"day":1}`, sitetest.Input)
	want := map[string]int{"GET /2024/day/1": 1, "GET /2024/day/1/input": 1}
	if diff := cmp.Diff(want, d.site.Requests()); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
	for uri, text := range map[string]string{
		"aoc://2024/day01": "Two Lists", "aoc://2024/day01/input": "3   4", "aoc://2024/day01/example1": "4   3",
	} {
		got, err := d.Read(uri)
		if err != nil || len(got) != 1 || !strings.Contains(got[0].Text, text) {
			t.Errorf("%s: got %v, %v", uri, got, err)
		}
	}
	for _, uri := range []string{"aoc://2024/day02", "aoc://2024/day02/input", "aoc://2024/day01/example2", "aoc://day01/input", "aoc://2024/day26", "aoc://2014/day01"} {
		if got, err := d.Read(uri); err == nil || err.Code != -32002 {
			t.Errorf("%s: got %v, %v; want that it does not exist", uri, got, err)
		}
	}
}

// Without a session the answer says what to do, and nothing is requested.
func TestNoSession(t *testing.T) {
	d := openDesk(t, "", nil, map[string]string{"2024/day01/puzzle.md": "by hand", "2024/day01/input.txt": "7"})
	d.expect(t, "fetch_instruction", `{"day":1,"year":2024}`, "by hand")
	d.expect(t, "fetch_input", `{"day":1,"year":2024}`, "7")
	d.expect(t, "fetch_instruction", `{"day":2,"year":2024}`, "triptych aoc login")
	d.expect(t, "fetch_input", `{"day":2,"year":2024}`, "triptych aoc login")
	if got := d.site.Requests(); len(got) != 0 {
		t.Errorf("requests %v", got)
	}
}

func TestSubmit(t *testing.T) {
	d := openDesk(t, sitetest.Session, nil, nil)
	d.expect(t, "submit_answer", `{"year":2024,"day":1,"part":1,"answer":"11"}`, "11 is correct (2024 day 1 part 1)")
	d.expect(t, "submit_answer", `{"year":2024,"day":1,"part":2,"answer":"9"}`, "9 is too low (2024 day 1 part 2); wait 1m0s before the next answer")
	d.expect(t, "submit_answer", `{"year":2024,"day":1,"part":2,"answer":"31"}`, "error -1: the answer was not sent: the site refuses answers to this puzzle until 00:01:00 UTC")
	d.expect(t, "aoc_progress", `{"year":2024}`, "day 1: **\nday 2: *\nday 3: \n3 stars in 2024 (as of 2026-01-01 00:00 UTC)")
	d.expect(t, "aoc_progress", `{"year":2025,"leaderboard":"7"}`, "1. ann: 9 points, 3 stars\n2. (anonymous user #8): 3 points, 1 stars")
}

// Members without a name are shown as the site does, ties by their last star, and a star
// that was never got has no time. Years ago times were strings.
func TestMembers(t *testing.T) {
	members, err := MembersOf([]byte(`{"event":"2025","num_days":12,"members":{
		"1":{"id":1,"name":null,"stars":3,"local_score":9,"last_star_ts":1764660000},
		"2":{"id":2,"name":"a|b, \"c\"","stars":3,"local_score":9,"last_star_ts":1764700000},
		"3":{"id":3,"name":"<b>","stars":0,"local_score":0,"last_star_ts":0,"completion_day_level":{}},
		"4":{"id":4,"name":" ","stars":1,"local_score":4,"last_star_ts":"1764570000"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	want := []Member{
		{"(anonymous user #1)", 3, 9, time.Unix(1764660000, 0).UTC()},
		{`a|b, "c"`, 3, 9, time.Unix(1764700000, 0).UTC()},
		{"(anonymous user #4)", 1, 4, time.Unix(1764570000, 0).UTC()},
		{"<b>", 0, 0, time.Time{}},
	}
	if diff := cmp.Diff(want, members); diff != "" {
		t.Errorf("members (-want +got):\n%s", diff)
	}
}

// Nothing is submitted unless the operator permits it, or if the user declines.
func TestSubmitIsOff(t *testing.T) {
	d := openDesk(t, sitetest.Session, func(f *tools) { f.submit = false }, nil)
	d.expect(t, "submit_answer", `{"year":2024,"day":1,"part":1,"answer":"11"}`, "Unknown tool")
	if got := len(d.List("tools")); got != 5 {
		t.Errorf("%d tools, want 5", got)
	}
}

func TestStats(t *testing.T) {
	d := openDesk(t, "", nil, map[string]string{"aliases.json": `{"GPT-4":"gpt4"}`, "2025/speeds/day03.json": "[]"})
	for _, arguments := range []string{
		`{"year":2025,"day":1,"phase":1,"llm_name":"gpt4","speed_ms":1000}`,
		`{"year":2025,"day":1,"phase":1,"llm_name":"GPT-4","speed_ms":3000,"attempts":2,"language":"Go","tokens_in":10,"tokens_out":20,"cost_usd":0.5,"notes":"n"}`,
		`{"year":2025,"day":1,"phase":1,"llm_name":"opus","speed_ms":1500}`,
		`{"year":2025,"day":1,"phase":1,"llm_name":"opus","speed_ms":1,"correct":false}`,
	} {
		d.expect(t, "record_speed", arguments, "Recorded")
	}
	d.expect(t, "speed_stats", `{"year":2025}`, "rank  model  solved  unverified  failures  runs  total  gold  silver  bronze  points\n"+
		"1     opus   1       1           1         2     1.5 s  1     0       0       2\n2     gpt4   1       1           0         2     2.0 s  0     1       0       1\n\nNot counted: day03.json cannot be read")
	d.expect(t, "speed_stats", `{"year":2025,"details":true}`, "2025 day 1 part 1  1?    opus   2     1         1.5 s  1.5 s   1.5 s")
	d.expect(t, "speed_stats", `{"year":2024}`, "No speeds are recorded.")
	speeds, err := d.book.Year(2025).Speeds(1)
	if err != nil || len(speeds) != 4 || speeds[0].Details.Correct == nil || *speeds[2].Details.CostUSD != 0.5 || *speeds[2].Details.Notes != "n" {
		t.Errorf("speeds %+v, %v", speeds, err)
	}
}

func TestChange(t *testing.T) {
	b := bookWith(t, map[string]string{"speeds/day01.json": "\n" + `{"owner":"ann","day":1,"entries":[` +
		`{"llm":"b","phase":1,"speedMs":2,"timestamp":"2025-12-01T10:30:00.000Z","note":"kept"},{"llm":"a","phase":1,"speedMs":1,"timestamp":"2025-12-01T10:29:00.000Z"}]}`})
	speeds, err := b.Speeds(1)
	if err != nil {
		t.Fatal(err)
	}
	corrected := speeds[0]
	corrected.SpeedMS = 20
	if err := b.Change(t.Context(), 1, 0, speeds[0], &corrected, noon); err != nil {
		t.Fatal(err)
	}
	if err := b.Change(t.Context(), 1, 0, speeds[0], nil, noon); !errors.Is(err, ErrChanged) {
		t.Errorf("an entry that was changed meanwhile: %v", err)
	}
	if err := b.Change(t.Context(), 1, 1, speeds[1], nil, noon); err != nil {
		t.Fatal(err)
	}
	got := bookFile(t, b, "speeds/day01.json")
	for _, want := range []string{`"owner": "ann"`, `"speedMs": 20`, `"note": "kept"`, `"action": "changed"`, `"action": "deleted"`, `"speedMs": 1`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
	if now, err := b.Speeds(1); err != nil || len(now) != 1 {
		t.Errorf("%d entries, %v; want 1", len(now), err)
	}
}

func TestAliases(t *testing.T) {
	b := bookWith(t, nil)
	if err := b.SetAlias(t.Context(), "GPT-4", "gpt4"); err != nil {
		t.Fatal(err)
	}
	if got, err := b.Year(2025).Aliases(); err != nil || got["GPT-4"] != "gpt4" {
		t.Errorf("got %v, %v", got, err)
	}
	if err := b.SetAlias(t.Context(), "x", "x"); err == nil {
		t.Error("a name is an alias of itself")
	}
	if err := b.SetAlias(t.Context(), "GPT-4", ""); err != nil {
		t.Fatal(err)
	}
	if got, err := b.Aliases(); err != nil || len(got) != 0 {
		t.Errorf("got %v, %v", got, err)
	}
}

func rawArguments(text string) json.RawMessage { return json.RawMessage(text) }

func bookFile(t *testing.T, b *Book, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(b.dir, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Twenty models, twelve days, two parts, fifty runs each, from files: the first call,
// and later calls.
func BenchmarkSpeedStats(b *testing.B) {
	book := Open(b.TempDir()).Year(2025)
	if err := os.MkdirAll(book.speeds(), 0o755); err != nil {
		b.Fatal(err)
	}
	long := time.Now().Add(-time.Hour)
	for day := Day(1); day <= 12; day++ {
		var file speedFile
		for i := range 20 * 2 * 50 {
			correct := i%7 > 0
			details := Details{Correct: &correct}
			file.entries = append(file.entries, entry{
				Speed{fmt.Sprintf("model %d", i%20), Phase(i/20%2 + 1), int64(i % 997), noon, details}, details.members(),
			})
		}
		if err := errors.Join(book.writeSpeeds(day, file), os.Chtimes(book.speedPath(day), long, long)); err != nil {
			b.Fatal(err)
		}
	}
	for _, name := range []string{"first", "later"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if name == "first" {
					book.cache = nil
				}
				runs, err := book.Runs(Filter{})
				if err != nil || len(runs) != 24_000 {
					b.Fatal(len(runs), err)
				}
				race.New(race.Solve, runs)
			}
		})
	}
}
