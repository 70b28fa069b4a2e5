package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/aoc/sitetest"
)

// A household is processes with one data folder and the cookie of one user. All that
// they print is searched for the cookie when the test ends.
type household struct {
	site *sitetest.Site
	env  []string
	data string

	mu   sync.Mutex
	told bytes.Buffer
}

func newHousehold(t *testing.T) *household {
	t.Helper()
	h := &household{site: sitetest.New(), data: filepath.Join(t.TempDir(), "data")}
	t.Cleanup(h.site.Close)
	h.env = []string{
		"HOME=" + t.TempDir(), "TRIPTYCH_DATA=" + h.data, "TRIPTYCH_AOC_URL=" + h.site.URL, "GORACE=" + quickExit, "LOG_LEVEL=debug",
	}
	return h
}

// run runs a command with a throttle of its own or, if cache is not "", with that below
// cache, and returns its standard output.
func (h *household) run(t *testing.T, cache, stdin string, args ...string) (string, error) {
	t.Helper()
	if cache == "" {
		cache = t.TempDir()
	}
	cmd := program(t, args...)
	cmd.Env = append(slices.Clone(h.env), "XDG_CACHE_HOME="+cache)
	cmd.Stdin = strings.NewReader(stdin)
	var out, log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &log
	err := cmd.Run()
	h.mu.Lock()
	defer h.mu.Unlock()
	fmt.Fprintf(&h.told, "== %v: %v\n%s%s", args[:min(2, len(args))], err, &out, &log)
	return out.String(), err
}

// search fails the test if the cookie is in what was printed, or in a file but its own.
func (h *household) search(t *testing.T, folders ...string) {
	t.Helper()
	if told := h.told.String(); strings.Contains(told, sitetest.Session) {
		at := strings.Index(told, sitetest.Session)
		t.Errorf("the cookie was printed: …%s", told[max(0, at-500):at])
	}
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() || d.Name() == "session" {
				return err
			}
			text, err := os.ReadFile(path)
			if bytes.Contains(text, []byte(sitetest.Session)) {
				t.Errorf("%s has the cookie", path)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// Sixteen processes that want a puzzle and its input at once make one request for each,
// and so do those that come later.
func TestProcessesDownloadOnce(t *testing.T) {
	h, cache := newHousehold(t), t.TempDir()
	if _, err := h.run(t, cache, sitetest.Session+"\n", "aoc", "login"); err != nil {
		t.Fatal(err)
	}
	commands := [][]string{
		{"aoc", "fetch", "2024", "1"},
		{"call", "fetch_input", "year=2024", "day=1"},
		{"call", "fetch_instruction", "year=2024", "day=1"},
	}
	const processes = 16
	for range 2 {
		var all sync.WaitGroup
		for i := range processes {
			all.Go(func() {
				args := commands[i%len(commands)]
				if out, err := h.run(t, cache, "", args...); err != nil || out == "" {
					t.Errorf("%v: %q, %v", args, out, err)
				}
			})
		}
		all.Wait()
	}
	want := map[string]int{"GET /2024/day/1": 1, "GET /2024/day/1/input": 1}
	if diff := cmp.Diff(want, h.site.Requests()); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
	if agents := h.site.Agents(); len(agents) != 1 || !strings.Contains(agents[0], "github.com/triptych-mcp/triptych") {
		t.Errorf("User-Agent is %q, want one with the project's page", agents)
	}
	h.search(t, h.data, cache)
}

// The cookie leaves the program only to the site: it is in no output, log, error, audit
// record or backup, whatever the site answers and however people give it.
func TestCookieIsNowhere(t *testing.T) {
	h := newHousehold(t)
	tryAll := func() {
		t.Helper()
		for _, args := range [][]string{
			{"aoc", "fetch", "2024", "2"},
			{"call", "fetch_input", "year=2024", "day=3"},
			{"call", "aoc_progress", "year=2024", "leaderboard=7"},
			{"call", "--aoc-submit", "submit_answer", "year=2024", "day=1", "part=1", "answer=12"},
		} {
			_, _ = h.run(t, "", "", args...) // most fail
		}
	}
	if _, err := h.run(t, "", "", "aoc", "login", sitetest.Session); err == nil {
		t.Error("a cookie on a command line is accepted")
	}
	if _, err := h.run(t, "", "x"+sitetest.Session+"!\n", "aoc", "login"); err == nil {
		t.Error("a wrong cookie is accepted")
	}
	tryAll() // without one
	kept := h.env
	h.env = append(slices.Clone(kept), "AOC_SESSION="+sitetest.Session)
	if _, err := h.run(t, "", "", "aoc", "fetch", "2024", "1"); err != nil {
		t.Errorf("with AOC_SESSION: %v", err)
	}
	h.env = kept
	if _, err := h.run(t, "", "session="+sitetest.Session+"; path=/\n", "aoc", "login"); err != nil {
		t.Fatal(err)
	}
	for _, status := range []int{http.StatusFound, http.StatusNotFound, http.StatusTooManyRequests, http.StatusInternalServerError, 0} {
		h.site.Fail(status)
		tryAll()
	}
	if requests := h.site.Requests(); requests["GET /2024/day/3/input"] != 5 || requests["POST /2024/day/1/answer"] != 5 {
		t.Errorf("requests %v, want one at each status", slices.Sorted(maps.Keys(requests)))
	}
	h.site.Close()
	_, _ = h.run(t, "", "", "aoc", "fetch", "2024", "4") // the site cannot be reached
	for _, args := range [][]string{
		{"audit", "show", "--json", "--limit", "0"}, {"aoc", "race", "2024"}, {"doctor"}, {"rulesets", "export", t.TempDir()},
	} {
		_, _ = h.run(t, "", "", args...) // some have nothing to show
	}
	saved := t.TempDir()
	for file, flags := range map[string][]string{"for_others": nil, "own": {"--personal"}} {
		archive := filepath.Join(saved, file)
		if _, err := h.run(t, "", "", append([]string{"backup", archive}, flags...)...); err != nil {
			t.Errorf("backup %v: %v", flags, err)
		}
		content := unpacked(t, archive)
		h.search(t, content)
		_, err := os.Stat(filepath.Join(content, "data/aoc/personal/local/2024/day01/puzzle.json"))
		if has := err == nil; has != (flags != nil) {
			t.Errorf("backup %v has the puzzle that was downloaded: %v", flags, has)
		}
		if _, err := os.Stat(filepath.Join(content, "data/aoc/personal/local/session")); err == nil {
			t.Errorf("backup %v has the file of the cookie", flags)
		}
	}
	h.search(t, h.data)
	elsewhere := filepath.Join(t.TempDir(), "data")
	if _, err := h.run(t, "", "", "restore", filepath.Join(saved, "own"), "--data", elsewhere); err != nil {
		t.Errorf("restore: %v", err)
	}
	if out, err := h.run(t, "", "", "call", "fetch_input", "year=2024", "day=1", "--data", elsewhere); err != nil || !strings.HasPrefix(out, sitetest.Input) {
		t.Errorf("the input that was restored: %q, %v", out, err)
	}
}

// unpacked returns a folder with the content of a backup.
func unpacked(t *testing.T, archive string) string {
	t.Helper()
	dir := t.TempDir()
	if out, err := exec.CommandContext(t.Context(), "tar", "-xf", archive, "-C", dir).CombinedOutput(); err != nil {
		t.Fatalf("tar: %v: %s", err, out)
	}
	return dir
}
