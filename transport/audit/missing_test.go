package audit_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/transport/audit"
)

// A chain whose folder is deleted is missed if another chain names it, and the
// last one because of the signing key.
func TestMissingChains(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "audit")
	a := audit.New(audit.Config{Dir: dir})
	keep(t, a, audit.Record{Key: "a"})
	first := chainsOf(t, dir)
	b := audit.New(audit.Config{Dir: dir}) // a has the first chain, so this is another one
	keep(t, b, audit.Record{Key: "b"})
	shut(t, a)
	shut(t, b)
	whole(t, dir, 2)
	if err := os.RemoveAll(filepath.Join(dir, first[0])); err != nil {
		t.Fatal(err)
	}
	expectBroken(t, dir, "chain "+first[0]+": it is gone")
	for _, id := range chainsOf(t, dir) {
		if err := os.RemoveAll(filepath.Join(dir, id)); err != nil {
			t.Fatal(err)
		}
	}
	expectBroken(t, dir, "the folders of all chains are gone")
}

// A folder that is a symbolic link is neither written nor read.
func TestSymbolicLinkIsRefused(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target"), filepath.Join(dir, "audit")
	if err := os.Mkdir(target, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	l := audit.New(audit.Config{Dir: link})
	if _, err := l.Append(audit.Record{Key: "k"}); err == nil || !strings.Contains(err.Error(), "is a symbolic link") {
		t.Errorf("append: %v, want a refusal", err)
	}
	if _, err := audit.Verify(t.Context(), link); err == nil {
		t.Error("the link is verified")
	}
	entries, err := os.ReadDir(target)
	if err != nil || len(entries) != 0 {
		t.Errorf("behind the link there is %v, %v", entries, err)
	}
}

func chainsOf(t *testing.T, dir string) []string {
	t.Helper()
	report, err := audit.Verify(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, c := range report.Chains {
		ids = append(ids, c.Chain)
	}
	return ids
}

func expectBroken(t *testing.T, dir, want string) {
	t.Helper()
	report, err := audit.Verify(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := report.Err(); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("verify: %v, want %q", err, want)
	}
}
