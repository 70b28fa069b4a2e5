package filestore

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/rulesets/frontmatter"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// The list of a watched store is the one that a new store reads from the folder,
// after changes by the store, by another one, and by hand.
func TestIndexIsTheFolder(t *testing.T) {
	dir := t.TempDir()
	watched, other := openAt(dir), openAt(dir)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- watched.Watch(ctx, func(ruleset.Change) {}) }()
	defer func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}()
	random := rand.New(rand.NewPCG(1, 2))
	name := func() ruleset.Name { return ruleset.Name(fmt.Sprintf("n%d", random.IntN(12))) }
	text := func() *string { s := fmt.Sprint(random.IntN(1000)); return &s }
	for step := range 300 {
		n, s := name(), watched
		if random.IntN(2) == 0 {
			s = other
		}
		path := filepath.Join(dir, string(n)+".md")
		switch random.IntN(6) { // what cannot be done is an error
		case 0, 1:
			_, _ = ruleset.Create(ctx, s, ruleset.Draft{Name: n, Description: *text()})
		case 2:
			_, _ = ruleset.Update(ctx, s, n, ruleset.Patch{Description: text()})
		case 3:
			_ = ruleset.Delete(ctx, s, n, ruleset.Removal{})
		case 4:
			_ = os.WriteFile(path, []byte("---\ndescription: "+*text()+"\n---\n"), 0o644)
		case 5:
			_ = os.Rename(path, filepath.Join(dir, string(name())+".md"))
		}
		if step%3 == 0 {
			continue // changes may pile up
		}
		expectList(t, watched, dir)
	}
	metas, err := ruleset.Search(ctx, watched, "n1*")
	if err != nil {
		t.Fatal(err)
	}
	fresh, err := ruleset.Search(ctx, openAt(dir), "n1*")
	if diff := cmp.Diff(fresh, metas); diff != "" || err != nil {
		t.Errorf("search, %v (-folder +index):\n%s", err, diff)
	}
}

// A list has every file that was created before, though the events of only some of
// them have arrived, and this process changed another meanwhile.
func TestIndexAwaitsNoEvents(t *testing.T) {
	dir := t.TempDir()
	s := openAt(dir)
	s.watched.index.join()
	w := newWatch(s, s.watched.feeds.join(), func(ruleset.Change) {})
	w.seen = map[ruleset.Name]stamp{}
	write := func(name string) string {
		path := filepath.Join(dir, name+".md")
		if err := os.WriteFile(path, []byte("---\ndescription: d\n---\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	age := func() { // so that the next change alters the folder's time
		past := time.Now().Add(-time.Hour)
		if err := os.Chtimes(dir, past, past); err != nil {
			t.Fatal(err)
		}
	}
	write("a")
	age()
	expectNames(t, s, "a")
	first, _ := write("b"), write("c")
	w.follow(fsnotify.Event{Name: first, Op: fsnotify.Create})
	expectNames(t, s, "a", "b", "c")
	age()
	expectNames(t, s, "a", "b", "c")
	write("e")
	if _, err := ruleset.Create(t.Context(), s, ruleset.Draft{Name: "d", Description: "d"}); err != nil {
		t.Fatal(err)
	}
	expectNames(t, s, "a", "b", "c", "d", "e")
}

func expectNames(t *testing.T, s *Store, want ...ruleset.Name) {
	t.Helper()
	metas, _, err := s.List(t.Context(), ruleset.Page{})
	var got []ruleset.Name
	for _, m := range metas {
		got = append(got, m.Name)
	}
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("list, %v (-want +got):\n%s", err, diff)
	}
}

// expectList compares the list with the folder. An edit in place is told by an event,
// which may be on its way.
func expectList(t *testing.T, s *Store, dir string) {
	t.Helper()
	var diff string
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); {
		got, _, err := s.List(t.Context(), ruleset.Page{})
		if err != nil {
			t.Fatal(err)
		}
		want, _, err := openAt(dir).List(t.Context(), ruleset.Page{})
		if err != nil {
			t.Fatal(err)
		}
		names, total, err := s.Names(t.Context(), "n1", 2)
		if err != nil {
			t.Fatal(err)
		}
		wantNames, wantTotal := namesOf(want, "n1", 2)
		if diff = cmp.Diff(want, got) + cmp.Diff(fmt.Sprint(wantNames), fmt.Sprint(names)) + cmp.Diff(wantTotal, total); diff == "" {
			return
		}
		time.Sleep(10 * time.Millisecond) // the system's event, not a clock, decides
	}
	t.Fatalf("list (-folder +index):\n%s", diff)
}

// namesOf returns the first names of a list that begin with a prefix, and their number.
func namesOf(metas []ruleset.Meta, prefix string, limit int) (names []ruleset.Name, total int) {
	for _, m := range metas {
		if strings.HasPrefix(string(m.Name), prefix) {
			names = append(names, m.Name)
		}
	}
	slices.Sort(names)
	return names[:min(limit, len(names))], len(names)
}

// What a list returns is the caller's.
func TestIndexIsNotShared(t *testing.T) {
	s := openAt(t.TempDir())
	s.watched.index.join()
	if _, err := ruleset.Create(t.Context(), s, ruleset.Draft{Name: "a", Tags: []string{"x"}}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		metas, _, err := s.List(t.Context(), ruleset.Page{Limit: 1})
		if err != nil || metas[0].Tags[0] != "x" {
			t.Fatal(metas, err)
		}
		metas[0].Tags[0] = "changed"
	}
}

// BenchmarkPage reads a page of a watched folder.
func BenchmarkPage(b *testing.B) {
	dir := b.TempDir()
	const many = 100_000
	for i := range many {
		front := fmt.Sprintf("---\ndescription: A rule for benchmarks\ntags: [a, b]\ncreated_at: %s\nlast_modified: 2025-10-29 10:30:00\n---\n\ntext\n",
			time.Unix(int64(1_700_000_000+i), 0).UTC().Format(frontmatter.TimeLayout))
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("rule_%d.md", i)), []byte(front), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	s := openAt(dir)
	ctx, stop := context.WithCancel(b.Context())
	done := make(chan struct{})
	go func() { defer close(done); _ = s.Watch(ctx, func(ruleset.Change) {}) }()
	defer func() { stop(); <-done }()
	for !func() bool {
		s.watched.index.mu.Lock()
		defer s.watched.index.mu.Unlock()
		return s.watched.index.watches > 0
	}() {
		time.Sleep(time.Millisecond)
	}
	page := ruleset.Page{Limit: 500}
	if _, next, err := s.List(ctx, page); err != nil {
		b.Fatal(err)
	} else {
		page.After = next
	}
	b.Run("page", func(b *testing.B) {
		for b.Loop() {
			if _, _, err := s.List(ctx, page); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("page_after_update", func(b *testing.B) {
		i := 0
		for b.Loop() {
			text := fmt.Sprint(i)
			i++
			b.StopTimer()
			if _, err := ruleset.Update(ctx, s, "rule_5000", ruleset.Patch{Markdown: &text}); err != nil {
				b.Fatal(err)
			}
			b.StartTimer()
			if _, _, err := s.List(ctx, page); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("completion", func(b *testing.B) {
		for b.Loop() {
			if _, _, err := s.Names(ctx, "rule_7", 100); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("search", func(b *testing.B) {
		for b.Loop() {
			if _, err := ruleset.Search(ctx, s, "*_777?"); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("cold_list", func(b *testing.B) {
		for b.Loop() {
			if _, _, err := openAt(dir).List(ctx, ruleset.Page{}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
