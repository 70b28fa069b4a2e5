package sourcefile

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A file that is kept shows the lines that it has now.
func TestKeptSource(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	first := write("first.c", "int a;\n\n\tint b; \r\nlast")
	second := write("second.c", "one\ntwo\n")
	large := write("large.c", strings.Repeat("\n", maxCached)+"far\n")
	var kept Cache
	require := func(path string, n int, want string) {
		t.Helper()
		if got := kept.Line(path, n); got != want {
			t.Errorf("line %d of %s is %q, want %q", n, filepath.Base(path), got, want)
		}
	}
	for n, want := range []string{"", "int a;", "", "int b;", "last", ""} {
		require(first, n, want)
	}
	require(first, -1, "")
	require(second, 2, "two")
	require(second, 3, "")
	require(large, maxCached+1, "far")
	require(filepath.Join(dir, "none.c"), 1, "")
	require(dir, 1, "")
	require(first, 4, "last")

	write("first.c", "int c;\nlonger than it was\n")
	require(first, 2, "longer than it was")
	write("first.c", "int d;\nlonger than it is.\n") // as long, and later
	if err := os.Chtimes(first, time.Time{}, time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	require(first, 1, "int d;")
	if err := os.Rename(second, first); err != nil {
		t.Fatal(err)
	}
	require(first, 1, "one")
	if err := os.Remove(first); err != nil {
		t.Fatal(err)
	}
	require(first, 1, "")
}

// What is kept is not read again.
func TestKeptSourceIsKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "long.c")
	var text strings.Builder
	for n := range 10_000 {
		fmt.Fprintf(&text, "line %d\n", n+1)
	}
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	var kept Cache
	kept.Line(path, 1)
	allocs := testing.AllocsPerRun(100, func() {
		if got := kept.Line(path, 9_999); got != "line 9999" {
			t.Fatal(got)
		}
	})
	if allocs > 10 {
		t.Errorf("a line of a file that was kept takes %v allocations", allocs)
	}
}
