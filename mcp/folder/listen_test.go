package folder

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
)

func TestListenerKnowsItsPath(t *testing.T) {
	l := &Listener{dir: filepath.FromSlash("/data/rulesets")}
	for path, want := range map[string][2]bool{ // leads, holds
		"/data":               {true, false},
		"/data/rulesets":      {true, false},
		"/data/rule":          {false, false},
		"/data/rulesets/a.md": {false, true},
		"/data/rulesets2":     {false, false},
		"/data/rulesets/a/b":  {false, false},
	} {
		path = filepath.FromSlash(path)
		if got := [2]bool{l.Leads(path), l.Holds(path)}; got != want {
			t.Errorf("%s: leads, holds %v, want %v", path, got, want)
		}
	}
}

// Many events that are there at once are one look; those about other files are
// none.
func TestHear(t *testing.T) {
	dir := filepath.FromSlash("/data/aoc/instructions")
	for _, tc := range []struct {
		name  string
		paths []string
		about bool
	}{
		{"a file of the folder", []string{"/data/aoc/instructions/day01.json"}, true},
		{"the folder", []string{"/data/aoc/instructions"}, true},
		{"what leads to it", []string{"/data"}, true},
		{"its neighbour", []string{"/data/aoc/instructions2", "/data/ao"}, false},
		{"the last of several", []string{"/data/x", "/data/y", "/data/aoc/instructions/a"}, true},
		{"the first of several", []string{"/data/aoc/instructions/a", "/data/x"}, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			events := make(chan fsnotify.Event, len(tc.paths))
			for _, path := range tc.paths {
				events <- fsnotify.Event{Name: filepath.FromSlash(path)}
			}
			l := &Listener{dir: dir, Events: events}
			if got := l.Hear(<-events); got != tc.about || len(events) > 0 {
				t.Errorf("got %v with %d left, want %v with none", got, len(events), tc.about)
			}
		})
	}
}

// The folder need not be there, and may be put in place of another. A file that
// is changed afterwards is heard of.
func TestListenerFollowsTheFolder(t *testing.T) {
	top := t.TempDir()
	dir := filepath.Join(top, "some", "where")
	l := Listen(dir)
	defer l.Close()
	for _, step := range []struct {
		name string
		do   func() error
	}{
		{"the folder appears", func() error { return os.MkdirAll(dir, 0o755) }},
		{"a file is written", func() error { return os.WriteFile(filepath.Join(dir, "a"), nil, 0o644) }},
		{"a file goes", func() error { return os.Remove(filepath.Join(dir, "a")) }},
		{"the folder goes", func() error { return os.Rename(dir, filepath.Join(top, "old")) }},
		{"another takes its place", func() error {
			return errors.Join(os.Mkdir(dir, 0o755), os.WriteFile(filepath.Join(dir, "b"), nil, 0o644))
		}},
	} {
		if err := step.do(); err != nil {
			t.Fatal(err)
		}
		if !heard(l) {
			t.Errorf("%s: nothing was heard", step.name)
		}
	}
}

// heard reports whether something about the folder is heard, and hears it all.
func heard(l *Listener) bool {
	about, patience := false, time.After(5*time.Second)
	for {
		quiet := make(<-chan time.Time)
		if about {
			quiet = time.After(20 * time.Millisecond) // one change may be several events
		}
		select {
		case e := <-l.Events:
			about = l.Hear(e) || about
		case <-quiet:
			return true
		case <-patience:
			return about
		}
	}
}
