package answers

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/mcp/host"
)

// An answer is removed when it is older than seven days and another one is stored.
func TestAnswersAreKeptForAWeek(t *testing.T) {
	clock := time.Now()
	s := New(filepath.Join(t.TempDir(), "answers"), func() time.Time { return clock })
	s.free = func(string) (int64, error) { return 1_000_000, nil }
	_, first, err := s.Put(t.Context(), "a", "text")
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		after time.Duration
		there bool
	}{{167 * time.Hour, true}, {2 * time.Hour, false}} {
		clock = clock.Add(step.after)
		if _, _, err := s.Put(t.Context(), "a", "other"); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(first); (err == nil) != step.there {
			t.Errorf("after %v more: %v, want it there: %v", step.after, err, step.there)
		}
	}
}

// TestOversizeFilesAreBounded stores answers of ten bytes until they meet each
// bound: that of one key, that of all, a tenth of the free disk, their age.
func TestOversizeFilesAreBounded(t *testing.T) {
	clock, free := time.Now().Add(-time.Hour), int64(1_000_000)
	s := New(filepath.Join(t.TempDir(), "answers"), func() time.Time { return clock })
	s.Limit(50, 30)
	s.free = func(string) (int64, error) { return free, nil }
	put := func(owner string) string {
		t.Helper()
		clock = clock.Add(time.Second)
		id, path, err := s.Put(t.Context(), owner, strings.Repeat("x", 10))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, clock, clock); err != nil {
			t.Fatal(err)
		}
		return id
	}
	kept := func(owner string, ids []string, want int) {
		t.Helper()
		for i, id := range ids {
			text, err := s.Open(t.Context(), owner, id)
			if err == nil {
				err = text.Close()
			}
			if i < len(ids)-want && !errors.Is(err, fs.ErrNotExist) || i >= len(ids)-want && err != nil {
				t.Errorf("%s: answer %d of %d: %v, want the last %d", owner, i, len(ids), err, want)
			}
		}
	}
	var a, b []string
	for range 5 {
		a = append(a, put("a"))
	}
	kept("a", a, 3) // 30 bytes
	for range 3 {
		b = append(b, put("b"))
	}
	kept("b", b, 3)
	kept("a", a, 2) // 50 bytes in all, and the oldest went
	free = 300 - 50 // a tenth of the disk is 30 bytes
	b = append(b, put("b"))
	kept("b", b, 3)
	kept("a", a, 0)
	if _, _, err := s.Put(t.Context(), "a", strings.Repeat("x", 31)); !errors.Is(err, host.ErrNoRoom) {
		t.Errorf("an answer that is too large: %v, want %v", err, host.ErrNoRoom)
	}
	kept("b", b, 3) // it displaced nothing
	if used, limit, refused := s.Usage(); used != 30 || limit != 50 || refused != 1 {
		t.Errorf("%d of %d bytes are used, %d refused; want 30 of 50, and one", used, limit, refused)
	}
	clock, free = clock.Add(DefaultAge-time.Second), 1_000_000
	b = append(b, put("b"))
	kept("b", b, 2) // the one before is as old as it may be
}
