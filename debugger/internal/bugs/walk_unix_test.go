//go:build unix

package bugs_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/bugs"
)

// A pipe does not block, a folder that cannot be read is left out, and what
// lies too deep is not reached.
func TestOddFiles(t *testing.T) {
	folder := write(t, map[string]string{
		"a.c": broken("site"), "b.c": broken("copy"), "locked/c.c": broken("locked"),
		strings.Repeat("d/", 30) + "d.c": broken("deep"), strings.Repeat("e/", 70) + "e.c": broken("deeper"),
	})
	if err := syscall.Mkfifo(filepath.Join(folder, "pipe.c"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(folder, ".gitignore"), 0o600); err != nil {
		t.Fatal(err)
	}
	locked := filepath.Join(folder, "locked")
	if err := os.Chmod(locked, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(locked, 0o700) })
	want := []string{"b.c:4", strings.Repeat("d/", 30) + "d.c:4"}
	if os.Getuid() == 0 { // nothing is locked for root
		want = append(want, "locked/c.c:4")
	}
	wantPlaces(t, find(t, finder(t, bugs.Config{}), bugs.Request{Path: folder, Site: here("a.c")}), want...)
}
