package personal_test

import (
	"errors"
	"io/fs"
	"maps"
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
	if v, err := d.Submit(t.Context(), puzzle, 1, " 11\n"); err != nil || v.Outcome != site.Correct {
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
	if v, err := d.Submit(t.Context(), puzzle, 2, "31"); err != nil || v.Outcome != site.Correct {
		t.Fatalf("got %v, %v", v, err)
	}
	before := d.site.Requests()
	if v, err := d.Submit(t.Context(), puzzle, 2, "31"); err != nil || v.Outcome != site.Correct {
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
		if got, err := d.Submit(t.Context(), puzzle, 1, v.answer); err != nil || !got.Outcome.Rejected() {
			t.Fatalf("%s: %v, %v", v.answer, got, err)
		}
		_, err := d.Submit(t.Context(), puzzle, 1, "50")
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
		_, err := d.Submit(t.Context(), puzzle, 1, answer)
		if refused, ok := errors.AsType[*personal.RefusedError](err); !ok || !strings.Contains(refused.Reason, want) {
			t.Errorf("%q: got %v, want a refusal with %q", answer, err, want)
		}
	}
	if _, err := d.Submit(t.Context(), puzzle, 2, "7"); err == nil || !strings.Contains(err.Error(), "opens when part 1") {
		t.Errorf("part 2 before part 1: %v", err)
	}
	if diff := cmp.Diff(before, d.site.Requests()); diff != "" {
		t.Errorf("a refused answer was sent:\n%s", diff)
	}
	if _, err := d.Submit(t.Context(), puzzle, 1, "11"); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Submit(t.Context(), puzzle, 2, "11"); err == nil || !strings.Contains(err.Error(), "answer to part 1") {
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
		if v, err := d.Submit(t.Context(), puzzle, 1, answer); err != nil || v != want {
			t.Errorf("%s: got %+v, %v, want %+v", answer, v, err, want)
		}
		if p, err := d.Stored(puzzle); err != nil || len(p.Answers) != 1 || p.Answers[0] != "11" || len(p.Parts) != 2 {
			t.Errorf("%s: stored %+v, %v; want the accepted answer 11", answer, p, err)
		}
	}
}

// The last star needs all others: 49 up to 2024, 23 from 2025 on.
func TestLastStar(t *testing.T) {
	for p, want := range map[site.Puzzle]string{{Year: 2024, Day: 25}: "49", {Year: 2025, Day: 12}: "23"} {
		d := newDesk(t)
		if _, err := d.Submit(t.Context(), p, 1, "11"); err != nil {
			t.Fatal(err)
		}
		_, err := d.Submit(t.Context(), p, 2, "31")
		if err == nil || !strings.Contains(err.Error(), want+" others; 3 are there") {
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
	if _, err := d.Submit(t.Context(), puzzle, 1, "12"); err != nil {
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
	if v, err := d.Submit(t.Context(), puzzle, 2, "31"); err != nil || v.Outcome != site.Correct {
		t.Errorf("part two: %v, %v", v, err)
	}
	if p, err := d.Puzzle(t.Context(), puzzle); err != nil || len(p.Parts) != 2 || len(p.Answers) != 2 {
		t.Errorf("got %+v, %v; want both parts solved", p, err)
	}
}
