package filestore

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

func rule(text string) string { return "---\ndescription: d\ntags: [a, b]\n---\n\n" + text }

// layOld writes a file that was last changed a minute ago, or so much later.
func layOld(t *testing.T, path, text string, later time.Duration) {
	t.Helper()
	lay(t, path, text)
	then := time.Now().Add(later - time.Minute).Truncate(time.Second)
	if err := os.Chtimes(path, then, then); err != nil {
		t.Fatal(err)
	}
}

func markdown(t *testing.T, s *Store) string {
	t.Helper()
	r, err := s.Get(t.Context(), "one")
	if err != nil {
		t.Fatal(err)
	}
	return r.Markdown
}

// TestCacheIsNeverStale: whatever happens to a file is seen by the next Get.
func TestCacheIsNeverStale(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "one.md")
	s := openAt(dir)
	layOld(t, path, rule("first"), 0)
	for range 2 {
		if got := markdown(t, s); got != "first" {
			t.Errorf("got %q", got)
		}
	}
	if s.cache.bytes == 0 {
		t.Error("nothing is kept")
	}
	layOld(t, path, rule("again"), time.Second)
	if got := markdown(t, s); got != "again" {
		t.Errorf("after a change in place: %q", got)
	}
	other := filepath.Join(dir, "other")
	layOld(t, other, rule("third"), time.Second) // of the same size and time
	if err := os.Rename(other, path); err != nil {
		t.Fatal(err)
	}
	if got := markdown(t, s); got != "third" && stampHasInode(t, path) {
		t.Errorf("after another file took its place: %q", got)
	}
	lay(t, path, "no ruleset")
	if _, err := s.Get(t.Context(), "one"); !errors.As(err, new(*InvalidFileError)) {
		t.Errorf("of no ruleset: %v", err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Get(t.Context(), "one"); !errors.As(err, new(*ruleset.NotFoundError)) {
		t.Errorf("of no file: %v", err)
	}
}

func stampHasInode(t *testing.T, path string) bool {
	t.Helper()
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	return stampOf(info).Unique()
}

// TestCacheOfFreshFiles: what was changed a moment ago may be changed again at
// the same time, as file systems count it, and is read each time.
func TestCacheOfFreshFiles(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "one.md")
	s := openAt(dir)
	now := time.Now()
	for _, text := range []string{"first", "again", "third"} {
		lay(t, path, rule(text))
		if err := os.Chtimes(path, now, now); err != nil {
			t.Fatal(err)
		}
		if got := markdown(t, s); got != text {
			t.Errorf("got %q, want %q", got, text)
		}
	}
}

// TestCacheIsBounded: reading much keeps no more than the bound, and what is
// too large is not kept.
func TestCacheIsBounded(t *testing.T) {
	dir := t.TempDir()
	s := openAt(dir)
	for n := range 30 {
		name := fmt.Sprintf("rule_%d", n)
		layOld(t, filepath.Join(dir, name+".md"), rule(strings.Repeat("x", 300_000)), 0)
		if _, err := s.Get(t.Context(), ruleset.Name(name)); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(s.cache.of); s.cache.bytes > maxCached || n < 10 || n > 14 {
		t.Errorf("%d bytes of %d rulesets are kept", s.cache.bytes, n)
	}
	before := s.cache.bytes
	layOld(t, filepath.Join(dir, "one.md"), rule(strings.Repeat("x", maxCached)), 0)
	markdown(t, s)
	if s.cache.bytes != before {
		t.Errorf("%d bytes are kept, want %d as before", s.cache.bytes, before)
	}
}

// TestCacheIsNotShared: callers may do with a ruleset what they want.
func TestCacheIsNotShared(t *testing.T) {
	dir := t.TempDir()
	s := openAt(dir)
	layOld(t, filepath.Join(dir, "one.md"), rule("text"), 0)
	for range 3 {
		r, err := s.Get(t.Context(), "one")
		if err != nil || r.Tags[0] != "a" {
			t.Fatal(r.Tags, err)
		}
		r.Tags[0] = "changed"
	}
}
