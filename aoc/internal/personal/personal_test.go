package personal_test

import (
	"errors"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/aoc/internal/personal"
	"github.com/triptych-mcp/triptych/aoc/internal/site"
	"github.com/triptych-mcp/triptych/aoc/sitetest"
)

// A desk is a user's folder, the site, and a clock that tests move.
type desk struct {
	*personal.Folder

	dir  string
	site *sitetest.Site
	mu   sync.Mutex
	at   time.Time
}

func (d *desk) now() time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.at
}

func (d *desk) pass(by time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.at = d.at.Add(by)
}

// folder opens the folder once more, as another process would.
func (d *desk) folder() *personal.Folder {
	return personal.Open(personal.Config{
		Dir: d.dir, URL: d.site.URL, Throttle: sitetest.NoThrottle{}, Now: d.now, Getenv: func(string) string { return "" },
	})
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{dir: filepath.Join(t.TempDir(), "ann"), site: sitetest.New(), at: time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)}
	t.Cleanup(d.site.Close)
	d.Folder = d.folder()
	session, err := site.ParseSession(sitetest.Session)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Login(session); err != nil {
		t.Fatal(err)
	}
	return d
}

var puzzle = site.Puzzle{Year: 2024, Day: 1}

// Sixteen that ask at once, each with the folder opened for itself, make one request for each resource, and later
// ones make none.
func TestOneRequestPerResource(t *testing.T) {
	d := newDesk(t)
	for range 2 {
		var wg sync.WaitGroup
		for range 16 {
			wg.Go(func() {
				f := d.folder()
				if p, err := f.Puzzle(t.Context(), puzzle); err != nil || len(p.Parts) != 1 {
					t.Errorf("puzzle: %v", err)
				}
				if input, err := f.Input(t.Context(), puzzle); err != nil || input != sitetest.Input {
					t.Errorf("input: %v", err)
				}
				if _, err := f.Stars(t.Context(), 2024); err != nil {
					t.Errorf("stars: %v", err)
				}
			})
		}
		wg.Wait()
	}
	want := map[string]int{"GET /2024/day/1": 1, "GET /2024/day/1/input": 1, "GET /2024": 1}
	if diff := cmp.Diff(want, d.site.Requests()); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

func TestSolveBothParts(t *testing.T) {
	d := newDesk(t)
	if v, err := d.Submit(t.Context(), puzzle, 1, " 11\n", false); err != nil || v.Outcome != site.Correct {
		t.Fatalf("got %v, %v", v, err)
	}
	p, err := d.Puzzle(t.Context(), puzzle) // part two is open: one more download
	if err != nil || len(p.Parts) != 2 || p.Answers[0] != "11" {
		t.Fatalf("got %+v, %v; want two parts", p, err)
	}
	want := []personal.Example{{Part: 1, Data: "3   4\n4   3\n", Answer: "11"}, {Part: 2, Answer: "31"}}
	if diff := cmp.Diff(want, p.Examples); diff != "" {
		t.Errorf("examples (-want +got):\n%s", diff)
	}
	if v, err := d.Submit(t.Context(), puzzle, 2, "31", false); err != nil || v.Outcome != site.Correct {
		t.Fatalf("got %v, %v", v, err)
	}
	before := d.site.Requests()
	if v, err := d.Submit(t.Context(), puzzle, 2, "31", false); err != nil || v.Outcome != site.Correct {
		t.Errorf("the accepted answer again: %v, %v", v, err)
	}
	if diff := cmp.Diff(before, d.site.Requests()); diff != "" {
		t.Errorf("it was sent again:\n%s", diff)
	}
}

// What cannot be right is refused without a request.
func TestRefused(t *testing.T) {
	d := newDesk(t)
	verdicts := []struct{ answer, article string }{
		{"100", "That's not the right answer; your answer is too high. Please wait one minute before trying again."},
		{"5", "That's not the right answer; your answer is too low. Please wait one minute before trying again."},
		{"word", "That's not the right answer. Please wait one minute before trying again."},
	}
	for _, v := range verdicts {
		d.site.Judge("<p>" + v.article + "</p>")
		if got, err := d.Submit(t.Context(), puzzle, 1, v.answer, false); err != nil || !got.Outcome.Rejected() {
			t.Fatalf("%s: %v, %v", v.answer, got, err)
		}
		_, err := d.Submit(t.Context(), puzzle, 1, "50", false)
		if wait, ok := errors.AsType[*personal.WaitError](err); !ok || !wait.Until.Equal(d.now().Add(time.Minute)) {
			t.Fatalf("within a minute: %v", err)
		}
		d.pass(time.Minute)
	}
	d.site.Judge("")
	before := d.site.Requests()
	for answer, want := range map[string]string{
		"": "empty", " \n": "empty", "100": "rejected", "101": "too high", "5": "rejected", "-3": "too low", "word": "rejected",
	} {
		_, err := d.Submit(t.Context(), puzzle, 1, answer, false)
		if refused, ok := errors.AsType[*personal.RefusedError](err); !ok || !strings.Contains(refused.Reason, want) {
			t.Errorf("%q: got %v, want a refusal with %q", answer, err, want)
		}
	}
	if _, err := d.Submit(t.Context(), puzzle, 2, "7", false); err == nil || !strings.Contains(err.Error(), "opens when part 1") {
		t.Errorf("part 2 before part 1: %v", err)
	}
	if diff := cmp.Diff(before, d.site.Requests()); diff != "" {
		t.Errorf("a refused answer was sent:\n%s", diff)
	}
	if _, err := d.Submit(t.Context(), puzzle, 1, "11", false); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Submit(t.Context(), puzzle, 2, "11", false); err == nil || !strings.Contains(err.Error(), "answer to part 1") {
		t.Errorf("part one's answer: %v", err)
	}
	guesses, err := d.Guesses(puzzle)
	if err != nil || len(guesses) != 4 || guesses[0].Outcome != site.TooHigh || guesses[3].Outcome != site.Correct {
		t.Errorf("guesses %+v, %v", guesses, err)
	}
}

// A puzzle that was solved in a browser is downloaded again when the site says so, and
// the answer compared with the accepted one.
func TestSolvedElsewhere(t *testing.T) {
	const solved = "You don't seem to be solving the right level. Did you already complete it? [Return]"
	for answer, want := range map[string]site.Verdict{
		"11": {Outcome: site.Correct, Message: solved + " This is the answer that was accepted before."},
		"12": {Outcome: site.WrongLevel, Message: solved + " The accepted answer is 11."},
	} {
		d := newDesk(t)
		if _, err := d.Puzzle(t.Context(), puzzle); err != nil {
			t.Fatal(err)
		}
		d.site.Solve("2024/1", 1)
		if v, err := d.Submit(t.Context(), puzzle, 1, answer, false); err != nil || v.Verdict != want || v.Answer != answer {
			t.Errorf("%s: got %+v, %v, want %+v", answer, v, err, want)
		}
		if p, err := d.Stored(puzzle); err != nil || len(p.Answers) != 1 || p.Answers[0] != "11" || len(p.Parts) != 2 {
			t.Errorf("%s: stored %+v, %v; want the accepted answer 11", answer, p, err)
		}
	}
}

// The last star needs all others: 49 up to 2024, 23 from 2025 on.
func TestLastStar(t *testing.T) {
	for p, want := range map[site.Puzzle]string{{Year: 2024, Day: 25}: "49 others; 3 are there", {Year: 2025, Day: 12}: "23 others; 1 are there"} {
		d := newDesk(t)
		if _, err := d.Submit(t.Context(), p, 1, "11", false); err != nil {
			t.Fatal(err)
		}
		_, err := d.Submit(t.Context(), p, 2, "31", false)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: got %v, want that %s others are needed", p, err, want)
		}
	}
}

func TestStarsAreKeptForAWhile(t *testing.T) {
	d := newDesk(t)
	for range 3 {
		if _, err := d.Stars(t.Context(), 2024); err != nil {
			t.Fatal(err)
		}
		if _, err := d.Leaderboard(t.Context(), 2025, "7"); err != nil {
			t.Fatal(err)
		}
		d.pass(7 * time.Minute) // asked at 0, 7 and 14 minutes
	}
	if got := d.site.Requests(); got["GET /2024"] != 1 || got["GET /2025/leaderboard/private/view/7.json"] != 1 {
		t.Errorf("requests %v, want one each", got)
	}
	d.pass(time.Minute)
	if _, err := d.Stars(t.Context(), 2024); err != nil || d.site.Requests()["GET /2024"] != 2 {
		t.Errorf("after 22 minutes: %v, requests %v", err, d.site.Requests())
	}
	if _, err := d.Leaderboard(t.Context(), 2025, "../../x"); err == nil {
		t.Error("a path is taken for a leaderboard")
	}
}

// Only the owner reads the folder, git ignores it, and the cookie is in no file but
// its own.
func TestFolderIsPrivate(t *testing.T) {
	d := newDesk(t)
	if _, err := d.Submit(t.Context(), puzzle, 1, "12", false); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(d.dir, ".gitignore")); err != nil || !strings.Contains(string(text), "\n*\n") {
		t.Errorf(".gitignore is %q, %v", text, err)
	}
	err := filepath.WalkDir(d.dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		if !strings.HasSuffix(path, ".lock") && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		if e.IsDir() || filepath.Base(path) == "session" {
			return nil
		}
		text, err := os.ReadFile(path)
		if strings.Contains(string(text), sitetest.Session) {
			t.Errorf("%s has the cookie", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// Another user's folder has nothing of this one, and the environment's session is
// not used for a caller who does not run the process.
func TestFoldersAreSeparate(t *testing.T) {
	d := newDesk(t)
	if _, err := d.Input(t.Context(), puzzle); err != nil {
		t.Fatal(err)
	}
	env := maps.Clone(map[string]string{"AOC_SESSION": sitetest.Session})
	other := personal.Config{
		Dir: filepath.Join(filepath.Dir(d.dir), "bob"), URL: d.site.URL, Throttle: sitetest.NoThrottle{}, Now: d.now,
		Getenv: func(name string) string { return env[name] },
	}
	if _, err := personal.Open(other).Input(t.Context(), puzzle); !errors.Is(err, site.ErrNoSession) {
		t.Errorf("another key: got %v, want %v", err, site.ErrNoSession)
	}
	other.Shared = true
	if _, err := personal.Open(other).Input(t.Context(), puzzle); err != nil {
		t.Errorf("the user of the process: %v", err)
	}
}

// A first part that was solved in a browser shows after a while, and a submission of
// the second part looks for it.
func TestSolvedInABrowser(t *testing.T) {
	d := newDesk(t)
	if _, err := d.Puzzle(t.Context(), puzzle); err != nil {
		t.Fatal(err)
	}
	d.site.Solve("2024/1", 1)
	if p, err := d.Refresh(t.Context(), puzzle); err != nil || len(p.Parts) != 1 || d.site.Requests()["GET /2024/day/1"] != 1 {
		t.Errorf("at once: %d parts, %v, requests %v; want no request", len(p.Parts), err, d.site.Requests())
	}
	d.pass(16 * time.Minute)
	if v, err := d.Submit(t.Context(), puzzle, 2, "31", false); err != nil || v.Outcome != site.Correct {
		t.Errorf("part two: %v, %v", v, err)
	}
	if p, err := d.Puzzle(t.Context(), puzzle); err != nil || len(p.Parts) != 2 || len(p.Answers) != 2 {
		t.Errorf("got %+v, %v; want both parts solved", p, err)
	}
}

// An answer that a program prints is sent as what it means, or not at all.
func TestAnswersOfPrograms(t *testing.T) {
	sent := map[string]string{
		"1234.0": "1234", "1234.": "1234", "1.234e3": "1234", "1.234e+03": "1234", "-0.0": "0", "+12.00": "12", "2E+2": "200",
		" 1234 \n": "1234", `"1234"`: "1234", "'abc'": "abc", "np.int64(77)": "77", "np.float64(78.0)": "78", "1234n": "1234",
		"01234": "01234", "+1234": "+1234", "1,234": "1,234", "co,de,ka,ta": "co,de,ka,ta", "HZGPQR": "HZGPQR", "hzgpqr": "hzgpqr",
		"2-=102--02--=1-0-2": "2-=102--02--=1-0-2", "12345e67": "12345e67", "-5": "-5", "4,6,3,5,6,3": "4,6,3,5,6,3", "1e400": "1e400",
	}
	for text, want := range sent {
		d := newDesk(t)
		v, err := d.Submit(t.Context(), puzzle, 1, text, false)
		if err != nil || v.Answer != want {
			t.Errorf("%q: sent as %q, %v; want %q", text, v.Answer, err, want)
		}
		if got := d.site.Posted(); len(got) != 1 || got[0] != want {
			t.Errorf("%q: the site got %q, want %q", text, got, want)
		}
	}
	for _, text := range []string{
		"", " \t\n", `""`, "True", "false", "None", "null", "nil", "nan", "NaN", "-inf", "Infinity", "undefined", "1234.5", "1e-3", "1.5e0", "1.0e9999",
		"[1234]", "[1, 2]", "(1234,)", "(1234+0j)", "{1: 2}", "Some(1234)", "<object at 0x7f>", "12 34", "12\n34", "1234\x00", strings.Repeat("9", 300),
	} {
		d := newDesk(t)
		_, err := d.Submit(t.Context(), puzzle, 1, text, false)
		if _, ok := errors.AsType[*personal.RefusedError](err); !ok || len(d.site.Requests()) > 0 {
			t.Errorf("%q: %v, requests %v; want it refused without a request", text, err, d.site.Requests())
		}
	}
}

// An expired cookie changes nothing that is stored, and part two comes with the next
// valid one.
func TestExpiredCookie(t *testing.T) {
	d := newDesk(t)
	year := site.Puzzle{Year: 2025, Day: 1}
	if _, err := d.Submit(t.Context(), year, 1, "11", false); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Stars(t.Context(), 2025); err != nil {
		t.Fatal(err)
	}
	d.pass(time.Hour)
	d.site.Expire(true)
	asks := map[string]func() error{
		"puzzle":     func() error { _, err := d.Puzzle(t.Context(), year); return err },
		"new puzzle": func() error { _, err := d.Puzzle(t.Context(), site.Puzzle{Year: 2025, Day: 2}); return err },
		"refresh":    func() error { _, err := d.Refresh(t.Context(), year); return err },
		"stars":      func() error { _, err := d.Stars(t.Context(), 2025); return err },
		"input":      func() error { _, err := d.Input(t.Context(), year); return err },
		"answer": func() error {
			_, err := d.Submit(t.Context(), site.Puzzle{Year: 2025, Day: 3}, 1, "7", false)
			return err
		},
		"leaderboard": func() error { _, err := d.Leaderboard(t.Context(), 2025, "7"); return err },
	}
	for name, ask := range asks {
		if err := ask(); !errors.Is(err, site.ErrSessionRejected) {
			t.Errorf("%s: %v, want that the session is not accepted", name, err)
		}
	}
	if p, err := d.Stored(year); err != nil || len(p.Answers) != 1 || len(p.Parts) != 1 {
		t.Errorf("stored %+v, %v; want the accepted answer of part one", p, err)
	}
	d.site.Expire(false)
	if p, err := d.Puzzle(t.Context(), year); err != nil || len(p.Parts) != 2 || len(p.Answers) != 1 {
		t.Errorf("with a valid cookie: %+v, %v; want both parts", p, err)
	}
	if stars, err := d.Stars(t.Context(), 2025); err != nil || stars.ByDay[1] != 1 {
		t.Errorf("stars %+v, %v", stars, err)
	}
}

// A page that knows less, such as that of another account, replaces nothing.
func TestPagesNeverKnowLess(t *testing.T) {
	d := newDesk(t)
	for part, answer := range []string{"11", "31"} {
		if _, err := d.Submit(t.Context(), puzzle, part+1, answer, false); err != nil {
			t.Fatal(err)
		}
	}
	if p, err := d.Puzzle(t.Context(), puzzle); err != nil || len(p.Parts) != 2 {
		t.Fatalf("%+v, %v", p, err)
	}
	d.site.Solve("2024/1", 0)
	d.pass(time.Hour)
	d.site.Judge("You don't seem to be solving the right level.")
	if p, err := d.Refresh(t.Context(), puzzle); err != nil || len(p.Parts) != 2 || len(p.Answers) != 2 {
		t.Errorf("got %+v, %v; want both parts and answers", p, err)
	}
}

// A folder whose stored page has lost the accepted answers, as earlier programs left
// it behind an expired cookie, gets part two.
func TestLostAnswersComeBack(t *testing.T) {
	d := newDesk(t)
	if _, err := d.Submit(t.Context(), puzzle, 1, "11", false); err != nil {
		t.Fatal(err)
	}
	lost := filepath.Join(d.dir, "2024", "day01", "puzzle.json")
	if err := os.WriteFile(lost, []byte(`{"title":"Two Lists","fetched":"2026-01-01T12:00:00Z"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if p, err := d.Puzzle(t.Context(), puzzle); err != nil || len(p.Parts) != 2 || len(p.Answers) != 1 {
		t.Errorf("got %+v, %v; want part two and the answer to part one", p, err)
	}
}

// An answer whose verdict was lost is not sent again: the page says whether it was
// right.
func TestLostVerdict(t *testing.T) {
	for answer, wantPosts := range map[string]int{"11": 1, "12": 1} {
		d := newDesk(t)
		if _, err := d.Puzzle(t.Context(), puzzle); err != nil {
			t.Fatal(err)
		}
		never := make(chan struct{})
		d.site.Hang(never)
		go func() { // a server that ends in the middle of its answer
			for len(d.site.Posted()) == 0 {
				time.Sleep(time.Millisecond)
			}
			d.site.CloseClientConnections()
		}()
		_, err := d.Submit(t.Context(), puzzle, 1, answer, false)
		if _, ok := errors.AsType[*site.UnknownVerdictError](err); !ok {
			t.Errorf("%s: %v, want that the verdict is unknown", answer, err)
		}
		close(never)
		d.site.Hang(nil)
		d.pass(time.Second)
		v, err := d.folder().Submit(t.Context(), puzzle, 1, answer, false)
		_, refused := errors.AsType[*personal.RefusedError](err)
		if right := answer == "11"; right != (err == nil && v.Outcome == site.Correct) || right == refused {
			t.Errorf("%s again: %+v, %v", answer, v, err)
		}
		if got := d.site.Posted(); len(got) != wantPosts {
			t.Errorf("%s: the site got %q, want one", answer, got)
		}
		if answer == "12" {
			if v, err := d.Submit(t.Context(), puzzle, 1, "11", false); err != nil || v.Outcome != site.Correct {
				t.Errorf("another answer: %+v, %v", v, err)
			}
		}
	}
}

// What the site has refused to judge may be sent again at once.
func TestNotJudged(t *testing.T) {
	for _, status := range []int{http.StatusFound, http.StatusBadRequest, http.StatusNotFound, http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusBadGateway} {
		d := newDesk(t)
		if _, err := d.Puzzle(t.Context(), puzzle); err != nil {
			t.Fatal(err)
		}
		d.site.Fail(status)
		if _, err := d.Submit(t.Context(), puzzle, 1, "11", false); err == nil {
			t.Errorf("%d: no error", status)
		}
		d.site.Fail(0)
		if v, err := d.Submit(t.Context(), puzzle, 1, "11", false); err != nil || v.Outcome != site.Correct {
			t.Errorf("after %d: %+v, %v", status, v, err)
		}
	}
}

// What is stored and cannot have changed is not asked for again: an unsolved year costs
// one look at the calendar.
func TestUpdate(t *testing.T) {
	d := newDesk(t)
	for day := 1; day <= 12; day++ {
		if _, err := d.Update(t.Context(), site.Puzzle{Year: 2025, Day: day}); err != nil {
			t.Fatal(err)
		}
	}
	d.pass(time.Hour)
	d.site.Solve("2025/4", 1)
	for day := 1; day <= 12; day++ {
		p, err := d.Update(t.Context(), site.Puzzle{Year: 2025, Day: day})
		if want := map[bool]int{false: 1, true: 2}[day == 4]; err != nil || len(p.Parts) != want {
			t.Errorf("day %d: %+v, %v; want %d parts", day, p, err, want)
		}
	}
	requests := d.site.Requests()
	if requests["GET /2025"] != 1 || requests["GET /2025/day/4"] != 2 || requests["GET /2025/day/5"] != 1 {
		t.Errorf("requests %v; want one of the calendar, and each page once but for day 4", requests)
	}
}

// A read-only link needs no session, and its key is not stored.
func TestReadOnlyLeaderboard(t *testing.T) {
	d := newDesk(t)
	d.site.Expire(true)
	link := "https://adventofcode.com/2025/leaderboard/private/view/7?" + sitetest.ViewKey
	for range 2 {
		if _, err := d.Leaderboard(t.Context(), 2025, link); err != nil {
			t.Fatal(err)
		}
	}
	if n := d.site.Requests()["GET /2025/leaderboard/private/view/7.json"]; n != 1 {
		t.Errorf("%d requests within 15 minutes, want 1", n)
	}
	err := filepath.WalkDir(d.dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if strings.Contains(string(text), sitetest.ViewKey) || strings.Contains(path, sitetest.ViewKey) {
			t.Errorf("%s has the key of the link", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
