package filestore

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/triptych-mcp/triptych/mcp/folderwatch"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// noEvents watches nothing, as where the system has no watch.
var noEvents = new(folderwatch.Watcher)

// never is a poll that no test lives to see.
const never = 24 * time.Hour

func openAt(dir string) *Store { return Open(dir, slog.New(slog.DiscardHandler), time.Now) }

// watching runs a watch of s until the test ends and returns what it tells.
func watching(t *testing.T, s *Store, system *folderwatch.Watcher, every time.Duration) <-chan ruleset.Change {
	t.Helper()
	heard := make(chan ruleset.Change, 100)
	w := newWatch(s, s.watched.feeds.join(), func(c ruleset.Change) { heard <- c })
	w.system = system
	w.begin()
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.run(ctx, every)
	}()
	t.Cleanup(func() {
		stop()
		<-done
		s.watched.index.leave()
		system.Close()
	})
	return heard
}

// next returns the next change, or the zero Change if none comes in time.
func next(heard <-chan ruleset.Change) ruleset.Change {
	select {
	case c := <-heard:
		return c
	case <-time.After(20 * time.Second):
		return ruleset.Change{}
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

// No events and a poll that never comes: the store itself tells, and
// before the clock has moved at all.
func TestOwnChangesAreToldAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := openAt(filepath.Join(t.TempDir(), "rulesets"))
		heard := watching(t, s, noEvents, never)
		began := time.Now()
		text := "changed"
		for _, step := range []struct {
			change func() error
			want   ruleset.ChangeKind
		}{
			{func() error { _, err := ruleset.Create(t.Context(), s, ruleset.Draft{Name: "a"}); return err }, ruleset.Created},
			{func() error {
				_, err := ruleset.Update(t.Context(), s, "a", ruleset.Patch{Markdown: &text})
				return err
			}, ruleset.Updated},
			{func() error { return ruleset.Delete(t.Context(), s, "a", ruleset.Removal{}) }, ruleset.Deleted},
		} {
			if err := step.change(); err != nil {
				t.Fatal(err)
			}
			if got, want := <-heard, (ruleset.Change{Kind: step.want, Name: "a"}); got != want {
				t.Errorf("told %v, want %v", got, want)
			}
		}
		if took := time.Since(began); took != 0 {
			t.Errorf("it took %v", took)
		}
	})
}

func TestChangesBeforeTheWatchAreTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := openAt(t.TempDir())
		if _, err := ruleset.Create(t.Context(), s, ruleset.Draft{Name: "early"}); err != nil {
			t.Fatal(err)
		}
		want := ruleset.Change{Kind: ruleset.Unknown, Name: "early"}
		if got := next(watching(t, s, noEvents, never)); got != want {
			t.Errorf("told %v, want %v", got, want)
		}
		if got := next(watching(t, s, noEvents, never)); got != (ruleset.Change{}) {
			t.Errorf("a second watch was told %v", got)
		}
	})
}

// Where no event comes, the poll finds what others changed.
func TestPollIsTheFloor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		heard := watching(t, openAt(dir), noEvents, pollEvery)
		began := time.Now()
		lay(t, filepath.Join(dir, "b.md"), "---\n---\n")
		lay(t, filepath.Join(dir, "a.md"), "---\n---\n")
		for _, name := range []ruleset.Name{"a", "b"} {
			if got, want := <-heard, (ruleset.Change{Kind: ruleset.Created, Name: name}); got != want {
				t.Errorf("told %v, want %v", got, want)
			}
		}
		if took := time.Since(began); took != pollEvery {
			t.Errorf("it took %v, want %v", took, pollEvery)
		}
	})
}

// After an overflow of the system's queue nothing is known, so all is looked at.
func TestLostEventsAreMadeUpFor(t *testing.T) {
	dir, lost := filepath.Join(t.TempDir(), "rulesets"), make(chan error)
	heard := watching(t, openAt(dir), &folderwatch.Watcher{Lost: lost}, never)
	lay(t, filepath.Join(dir, "a.md"), "---\n---\n")
	lost <- fsnotify.ErrEventOverflow
	if got, want := next(heard), (ruleset.Change{Kind: ruleset.Created, Name: "a"}); got != want {
		t.Errorf("told %v, want %v", got, want)
	}
}

// The folder need not be there, and may be put in place of another.
func TestFolderThatComesAndGoes(t *testing.T) {
	top := t.TempDir()
	dir := filepath.Join(top, "data", "rulesets")
	heard := watching(t, openAt(dir), folderwatch.New(dir), never)
	expect := func(doing string, want ruleset.Change) {
		t.Helper()
		for {
			got := next(heard)
			if got == want {
				return
			}
			if got.Kind != ruleset.Updated { // writing a file is several events
				t.Fatalf("%s: told %v, want %v", doing, got, want)
			}
		}
	}
	move := func(from, to string) {
		t.Helper()
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
	}
	lay(t, filepath.Join(dir, "a.md"), "---\n---\n")
	expect("the folder appears", ruleset.Change{Kind: ruleset.Created, Name: "a"})
	lay(t, filepath.Join(dir, "b.md"), "---\n---\n")
	expect("a file is written", ruleset.Change{Kind: ruleset.Created, Name: "b"})
	move(filepath.Join(dir, "b.md"), filepath.Join(dir, "README"))
	expect("a file is renamed", ruleset.Change{Kind: ruleset.Deleted, Name: "b"})
	move(dir, filepath.Join(top, "old"))
	expect("the folder goes", ruleset.Change{Kind: ruleset.Deleted, Name: "a"})
	lay(t, filepath.Join(top, "new", "c.md"), "---\n---\n")
	move(filepath.Join(top, "new"), dir)
	expect("another takes its place", ruleset.Change{Kind: ruleset.Created, Name: "c"})
	lay(t, filepath.Join(dir, "c.md"), "---\ndescription: new\n---\n")
	expect("a file in it changes", ruleset.Change{Kind: ruleset.Updated, Name: "c"})
}

// A folder that goes just when a change in it is told is told of as well: nothing compares it
// between the two without telling what it finds.
func TestFolderGoesWhileItIsTold(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "pdf-forms")
	lay(t, filepath.Join(path, "SKILL.md"), "---\nname: pdf-forms\ndescription: d\n---\n\nText")
	s := openAt(dir)
	var told []ruleset.Change
	w := newWatch(s, s.watched.feeds.join(), func(c ruleset.Change) { told = append(told, c) })
	w.begin()
	defer s.watched.index.leave()
	lay(t, filepath.Join(path, "a.txt"), "new")
	c := w.compareFolder("pdf_forms", true)
	if err := os.Rename(path, filepath.Join(t.TempDir(), "away")); err != nil {
		t.Fatal(err)
	}
	w.tell(c)
	w.lookAtAll() // the folder may be being replaced
	w.lookAtAll()
	want := []ruleset.Change{{Kind: ruleset.Updated, Name: "pdf_forms"}, {Kind: ruleset.Deleted, Name: "pdf_forms"}}
	if !slices.Equal(told, want) {
		t.Errorf("told %+v, want %+v", told, want)
	}
}

// A ruleset whose file comes or goes beside a folder with a SKILL.md is there before and after.
func TestFileBesideItsFolder(t *testing.T) {
	own := func(w *watch) { w.lookAtOwn(map[ruleset.Name]struct{}{"go_style": {}}) }
	others := func(w *watch) {
		w.lookAtAll()
		w.resolveDoubts()
	}
	for by, look := range map[string]func(*watch){"this process": own, "others": others} {
		t.Run("by "+by, func(t *testing.T) {
			dir := t.TempDir()
			file, main := filepath.Join(dir, "go_style.md"), filepath.Join(dir, "go-style", "SKILL.md")
			lay(t, file, "---\n---\nText")
			lay(t, main, "---\nname: go-style\ndescription: d\n---\n\nOther text")
			s := openAt(dir)
			var told []ruleset.ChangeKind
			w := newWatch(s, s.watched.feeds.join(), func(c ruleset.Change) { told = append(told, c.Kind) })
			w.begin()
			defer s.watched.index.leave()
			expect := func(what string, want ruleset.ChangeKind) {
				t.Helper()
				look(w)
				told = slices.Compact(told) // the file and the folder may be told one by one
				if !slices.Equal(told, []ruleset.ChangeKind{want}) {
					t.Errorf("%s: told %v, want %v", what, told, want)
				}
				told = nil
			}
			remove := func(path string) {
				t.Helper()
				if err := os.Remove(path); err != nil {
					t.Fatal(err)
				}
			}
			remove(file)
			expect("the file goes", ruleset.Updated)
			lay(t, file, "---\n---\nThird text")
			expect("the file comes", ruleset.Updated)
			remove(main)
			expect("the SKILL.md goes", ruleset.Updated)
			remove(file)
			expect("both have gone", ruleset.Deleted)
		})
	}
}

// A watch tells of the files of rulesets, and of folders that are rulesets, at any depth:
// what this process changes at once, what others change with the next poll.
func TestWatchTellsOfFolders(t *testing.T) {
	dir, beside := t.TempDir(), t.TempDir()
	write := func(path, text string) { // in one step, as a rename is
		t.Helper()
		temp := filepath.Join(beside, "new")
		if err := os.WriteFile(temp, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, path)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(temp, filepath.Join(dir, path)); err != nil {
			t.Fatal(err)
		}
	}
	write("go_style.md", "---\n---\nText")
	write("go-style/scripts/check.py", "one")
	s := openAt(dir)
	heard := watching(t, s, noEvents, 10*time.Millisecond)
	expect := func(what string, want ruleset.Change) {
		t.Helper()
		if got := next(heard); got != want {
			t.Errorf("%s: told %+v, want %+v", what, got, want)
		}
	}
	write("go-style/scripts/check.py", "two, longer")
	expect("a file of a ruleset", ruleset.Change{Kind: ruleset.Updated, Name: "go_style"})
	write("pdf-forms/SKILL.md", "---\nname: pdf-forms\ndescription: d\n---\n\nText")
	expect("a new folder", ruleset.Change{Kind: ruleset.Created, Name: "pdf_forms"})
	write("pdf-forms/a/b.txt", "new")
	expect("a new file", ruleset.Change{Kind: ruleset.Updated, Name: "pdf_forms"})
	write("pdf-forms/SKILL.md", "---\nname: pdf-forms\ndescription: d\n---\n\nOther text")
	expect("the text of a folder", ruleset.Change{Kind: ruleset.Updated, Name: "pdf_forms"})
	if _, err := ruleset.Update(t.Context(), s, "pdf_forms", ruleset.Patch{Markdown: new("Mine"), Files: []ruleset.FileChange{{Path: "a/b.txt"}}}); err != nil {
		t.Fatal(err)
	}
	for what := next(heard); what.Kind == ruleset.Updated; what = next(heard) { // once by the feed, and perhaps by a poll between two of its steps
		if what.Name != "pdf_forms" {
			t.Errorf("told %+v", what)
		}
		if r, err := s.Get(t.Context(), "pdf_forms"); err == nil && r.Markdown == "Mine" && len(r.Files) == 0 {
			break
		}
	}
	if err := os.Rename(filepath.Join(dir, "pdf-forms"), filepath.Join(beside, "away")); err != nil {
		t.Fatal(err)
	}
	for {
		got := next(heard)
		if got.Kind == ruleset.Updated && got.Name == "pdf_forms" {
			continue // of the change before
		}
		if want := (ruleset.Change{Kind: ruleset.Deleted, Name: "pdf_forms"}); got != want {
			t.Errorf("a folder has gone: told %+v, want %+v", got, want)
		}
		return
	}
}
