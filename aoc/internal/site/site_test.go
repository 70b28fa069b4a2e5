package site_test

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/aoc/internal/site"
	"github.com/triptych-mcp/triptych/aoc/sitetest"
)

func open(t *testing.T, session string, now time.Time) (*site.Client, *sitetest.Site) {
	t.Helper()
	fake := sitetest.New()
	t.Cleanup(fake.Close)
	cfg := site.Config{
		URL: fake.URL, Throttle: sitetest.NoThrottle{},
		Now: func() time.Time { return now },
	}
	if session != "" {
		s, err := site.ParseSession(session)
		if err != nil {
			t.Fatal(err)
		}
		cfg.Session = s
	}
	return site.New(cfg), fake
}

var (
	puzzle = site.Puzzle{Year: 2024, Day: 1}
	later  = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
)

func TestPage(t *testing.T) {
	client, fake := open(t, sitetest.Session, later)
	got, err := client.Page(t.Context(), puzzle)
	if err != nil {
		t.Fatal(err)
	}
	want := &site.Page{Title: "Two Lists", Parts: []site.Part{{
		Markdown: "## --- Day 1: Two Lists ---\n\nThe *elves* made a [list](" + fake.URL + "/2024/day/2) & lost it.\n\nFor example:\n\n" +
			"```\n3   4\n4   3\n```\n\n- The smallest number is `1`.\n\nIn this example, the total is `11`.\n\nWhat is the total of *your lists*?\n",
		Examples: []string{"3   4\n4   3\n"}, ExampleAnswer: "11",
	}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("page (-want +got):\n%s", diff)
	}
	if agents := fake.Agents(); len(agents) != 1 || !strings.Contains(agents[0], "github.com/triptych-mcp/triptych") {
		t.Errorf("User-Agent %q does not name the project", agents)
	}
}

func TestPageOfSolvedParts(t *testing.T) {
	client, _ := open(t, sitetest.Session, later)
	for part, answer := range map[int]string{1: sitetest.Answer1} {
		if v, err := client.Submit(t.Context(), puzzle, part, answer); err != nil || v.Outcome != site.Correct {
			t.Fatalf("got %v, %v", v, err)
		}
	}
	got, err := client.Page(t.Context(), puzzle)
	if err != nil || len(got.Parts) != 2 || got.Parts[0].Answer != "11" || got.Parts[1].Answer != "" || got.Parts[1].ExampleAnswer != "31" {
		t.Errorf("got %+v, %v; want part one solved with 11 and part two open with the example's answer 31", got, err)
	}
}

func TestInputStarsLeaderboard(t *testing.T) {
	client, _ := open(t, sitetest.Session, later)
	if got, err := client.Input(t.Context(), puzzle); err != nil || string(got) != sitetest.Input {
		t.Errorf("input %q, %v", got, err)
	}
	got, err := client.Stars(t.Context(), 2024)
	if diff := cmp.Diff(map[int]int{1: 2, 2: 1, 3: 0}, got); err != nil || diff != "" {
		t.Errorf("%v, stars (-want +got):\n%s", err, diff)
	}
	if board, err := client.Leaderboard(t.Context(), 2025, site.Board{ID: "7"}); err != nil || !strings.Contains(string(board), `"num_days":12`) {
		t.Errorf("leaderboard %s, %v", board, err)
	}
}

// Nothing is requested before midnight in New York, which is 05:00 UTC.
func TestLocked(t *testing.T) {
	for _, tc := range []struct {
		now    time.Time
		locked bool
	}{
		{time.Date(2024, 12, 1, 4, 59, 59, 0, time.UTC), true},
		{time.Date(2024, 12, 1, 5, 0, 0, 0, time.UTC), false},
	} {
		client, fake := open(t, sitetest.Session, tc.now)
		_, err := client.Page(t.Context(), puzzle)
		locked, ok := errors.AsType[*site.LockedError](err)
		if ok != tc.locked || (len(fake.Requests()) == 0) != tc.locked {
			t.Errorf("at %v: %v, requests %v", tc.now, err, fake.Requests())
		}
		if ok && !locked.Opens.Equal(time.Date(2024, 12, 1, 5, 0, 0, 0, time.UTC)) {
			t.Errorf("it opens at %v", locked.Opens)
		}
	}
}

func TestFailures(t *testing.T) {
	for _, tc := range []struct {
		name, session string
		status        int
		want          error
	}{
		{"no session", "", 0, site.ErrNoSession},
		{"unknown session", strings.Repeat("0", 96), 0, site.ErrSessionRejected},
		{"redirect to the login page", sitetest.Session, http.StatusFound, site.ErrSessionRejected},
		{"not found", sitetest.Session, http.StatusNotFound, site.ErrNotFound},
	} {
		t.Run(tc.name, func(t *testing.T) {
			client, fake := open(t, tc.session, later)
			fake.Fail(tc.status)
			if _, err := client.Input(t.Context(), puzzle); !errors.Is(err, tc.want) {
				t.Errorf("got %v, want %v", err, tc.want)
			}
		})
	}
	for _, status := range []int{http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusBadGateway} {
		client, fake := open(t, sitetest.Session, later)
		fake.Fail(status)
		_, err := client.Input(t.Context(), puzzle)
		if busy, ok := errors.AsType[*site.BusyError](err); !ok || busy.Status != status || busy.After != time.Minute {
			t.Errorf("status %d: got %v", status, err)
		}
	}
}

// The rows are taken from aocd (aocd/models.py) and aoc-client.
func TestVerdicts(t *testing.T) {
	const tail = ` <a href="/2024/day/1">[Return to Day 1]</a>`
	for _, tc := range []struct {
		article string
		outcome site.Outcome
		wait    time.Duration
	}{
		{"<p>That's the right answer!  You are one gold star closer.</p>", site.Correct, 0},
		{"<p>That's not the right answer; your answer is too high.  Please wait one minute before trying again.</p>", site.TooHigh, time.Minute},
		{"<p>That's not the right answer; your answer is too low.  Please wait 5 minutes before trying again.</p>", site.TooLow, 5 * time.Minute},
		{"<p>That's not the right answer.  Please wait five minutes before trying again.</p>", site.Wrong, 5 * time.Minute},
		{"<p>That's not the right answer.</p>", site.Wrong, time.Minute},
		{"<p>You gave an answer too recently; you have to wait after submitting an answer before trying again.  You have 3m 30s left to wait.</p>", site.TooRecent, 210 * time.Second},
		{"<p>You gave an answer too recently; you have to wait after submitting an answer before trying again.  You have 42s left to wait.</p>", site.TooRecent, 42 * time.Second},
		{"<p>You don't seem to be solving the right level.  Did you already complete it?</p>", site.WrongLevel, 0},
		{"<p>You've finished every puzzle in Advent of Code 2024!</p>", site.AllFinished, 0},
	} {
		t.Run(fmt.Sprintf("%s %v", tc.outcome, tc.wait), func(t *testing.T) {
			client, fake := open(t, sitetest.Session, later)
			fake.Judge(tc.article + tail)
			got, err := client.Submit(t.Context(), puzzle, 1, "5")
			if err != nil || got.Outcome != tc.outcome || got.Wait != tc.wait {
				t.Errorf("got %v, %v; want %s, wait %v", got, err, tc.outcome, tc.wait)
			}
		})
	}
	client, fake := open(t, sitetest.Session, later)
	fake.Judge(`<p>To play, please identify yourself. <a href="/2024/auth/login">[Log In]</a></p>`)
	if _, err := client.Submit(t.Context(), puzzle, 1, "5"); !errors.Is(err, site.ErrSessionRejected) {
		t.Errorf("a page with [Log In]: got %v, want %v", err, site.ErrSessionRejected)
	}
}

func TestDays(t *testing.T) {
	for _, tc := range []struct {
		year, day int
		ok        bool
	}{{2015, 25, true}, {2024, 25, true}, {2025, 12, true}, {2025, 13, false}, {2026, 12, true}, {2014, 1, false}, {2024, 0, false}} {
		if _, err := site.NewPuzzle(tc.year, tc.day); (err == nil) != tc.ok {
			t.Errorf("%d day %d: %v", tc.year, tc.day, err)
		}
	}
}

func TestSessionIsRedacted(t *testing.T) {
	s, err := site.ParseSession(" session=" + sitetest.Session + "; Path=/\n")
	if err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Info("session", "value", s)
	for _, text := range []string{fmt.Sprint(s), fmt.Sprintf("%v %+v %#v %q", s, s, s, s), log.String()} {
		if strings.Contains(text, sitetest.Session[:12]) {
			t.Errorf("the cookie shows in %s", text)
		}
	}
	for _, bad := range []string{"", "short", "has spaces in it, so it is none", strings.Repeat("a", 513)} {
		if _, err := site.ParseSession(bad); err == nil || strings.Contains(err.Error(), "spaces") {
			t.Errorf("%q: got %v, want an error without the text", bad, err)
		}
	}
}

func TestFindSession(t *testing.T) {
	home := t.TempDir()
	own := filepath.Join(home, "own", "session")
	env := map[string]string{"HOME": home}
	find := func() (site.Session, string, error) {
		return site.FindSession(own, func(k string) string { return env[k] })
	}
	if s, from, err := find(); !s.IsZero() || from != "" || err != nil {
		t.Errorf("got %q, %v; want none", from, err)
	}
	token := filepath.Join(home, ".config", "aocd", "token")
	if err := os.MkdirAll(filepath.Dir(token), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(token, []byte(sitetest.Session+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if s, from, err := find(); s.IsZero() || from != token || err != nil {
		t.Errorf("got %q, %v; want %s", from, err, token)
	}
	session, err := site.ParseSession(sitetest.Session)
	if err != nil {
		t.Fatal(err)
	}
	if err := session.Save(own); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(own); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v; want 0600", info.Mode(), err)
	}
	env["AOC_SESSION"] = sitetest.Session
	if _, from, err := find(); from != own || err != nil {
		t.Errorf("got %q, %v; want %s before the variable", from, err, own)
	}
	if err := os.Remove(own); err != nil {
		t.Fatal(err)
	}
	if _, from, err := find(); from != "AOC_SESSION" || err != nil {
		t.Errorf("got %q, %v; want AOC_SESSION before the files of others", from, err)
	}
}

// The site's 404 before it opens a puzzle is told as such, though the local clock is
// past the time.
func TestTooEarly(t *testing.T) {
	client, fake := open(t, sitetest.Session, later)
	fake.SetClock(func() time.Time { return time.Date(2024, 12, 1, 4, 59, 58, 0, time.UTC) })
	_, pageErr := client.Page(t.Context(), puzzle)
	_, inputErr := client.Input(t.Context(), puzzle)
	_, answerErr := client.Submit(t.Context(), puzzle, 1, "11")
	for _, err := range []error{pageErr, inputErr, answerErr} {
		if locked, ok := errors.AsType[*site.LockedError](err); !ok || !locked.BySite {
			t.Errorf("%v, want a LockedError by the site", err)
		}
	}
	if _, err := client.Page(t.Context(), site.Puzzle{Year: 2023, Day: 1}); err != nil {
		t.Error(err)
	}
}

func TestSessionFiles(t *testing.T) {
	cookie := strings.Repeat("5361", 32)
	for text, ok := range map[string]bool{
		cookie: true, cookie + "\n": true, "session=" + cookie + "; path=/\n": true, cookie + " # me\n" + strings.Repeat("6", 96) + " # work\n": true,
		"# aocd\n\n" + cookie + "\n": true, "\ufeff" + cookie + "\r\n": true,
		`{"ann": "` + cookie + `"}`: true, `{"bob": "` + strings.Repeat("6", 96) + `", "default": "` + cookie + `"}`: true,
		`{"bob": "` + strings.Repeat("6", 96) + `", "ann": "` + cookie + `"}`: false, "{": false, "": false, "# nothing\n": false, `{"ann": 5}`: false,
	} {
		got, err := site.ParseSessionFile([]byte(text))
		want, _ := site.ParseSession(cookie)
		if ok != (err == nil) || ok && got != want {
			t.Errorf("%.20q…: %v, want accepted %v", text, err, ok)
		}
		if err != nil && strings.Contains(err.Error(), cookie[:16]) {
			t.Errorf("the error shows a cookie: %v", err)
		}
	}
}

func TestBoards(t *testing.T) {
	for text, want := range map[string]site.Board{
		"123456": {ID: "123456"},
		"https://adventofcode.com/2025/leaderboard/private/view/123456":                  {ID: "123456", Year: 2025},
		"https://adventofcode.com/2025/leaderboard/private/view/123456?view_key=ab12":    {ID: "123456", Year: 2025, Query: "view_key=ab12"},
		"http://other.example/2025/leaderboard/private/view/123456.json?view_key=ab12#x": {ID: "123456", Year: 2025, Query: "view_key=ab12"},
		"/2025/leaderboard/private/view/1":                                               {ID: "1", Year: 2025},
		"":                                                                               {}, "x": {}, "../1": {}, "1/2": {}, "https://adventofcode.com/2025": {}, "https://adventofcode.com/2025/leaderboard/private/view/1?a=%0d": {},
	} {
		got, err := site.ParseBoard(text)
		if got != want || (err != nil) != (want == site.Board{}) {
			t.Errorf("%s: %+v, %v; want %+v", text, got, err, want)
		}
	}
}
