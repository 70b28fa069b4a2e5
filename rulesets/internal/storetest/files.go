package storetest

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// listFiles returns the files of a ruleset with their sizes. Digests are checked.
func listFiles(t *testing.T, s ruleset.FileStore, name ruleset.Name) map[string]int64 {
	t.Helper()
	files, err := s.Files(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	sizes := map[string]int64{}
	last := ""
	for _, f := range files {
		data, err := s.ReadFile(t.Context(), name, f.Path)
		if err != nil || sha256.Sum256(data) != f.SHA256 || f.Path < last {
			t.Errorf("%s after %s: %d bytes, digest %x, %v", f.Path, last, len(data), f.SHA256, err)
		}
		sizes[f.Path], last = f.Size, f.Path
	}
	return sizes
}

// Files belong to a ruleset: they are set and removed together, or not at all.
func files(t *testing.T, s ruleset.Store, _ *Clock, again func() ruleset.Store) {
	store, ok := ruleset.FilesOf(s)
	if !ok {
		t.Fatal("the store keeps no files")
	}
	change := func(changes ...ruleset.FileChange) error { return store.ChangeFiles(t.Context(), "go_style", changes) }
	if err := change(ruleset.FileChange{Path: "a", Data: []byte("x")}); !isNotFound(err) {
		t.Errorf("files of a ruleset that is missing: %v", err)
	}
	create(t, s, ruleset.Draft{Name: "go_style", Markdown: "text"})
	if err := change(ruleset.FileChange{Path: "scripts/a.py", Data: []byte("one")}, ruleset.FileChange{Path: "b.bin", Data: []byte{0, 255}}, ruleset.FileChange{Path: "empty", Data: []byte{}}); err != nil {
		t.Fatal(err)
	}
	want := map[string]int64{"scripts/a.py": 3, "b.bin": 2, "empty": 0}
	other, _ := ruleset.FilesOf(again())
	if diff := cmp.Diff(want, listFiles(t, other, "go_style")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for what, bad := range map[string]ruleset.FileChange{
		"a file that is missing": {Path: "none"}, "a path that leads out": {Path: "../x", Data: []byte("x")},
		"a hidden path": {Path: ".git/config", Data: []byte("x")}, "the text itself": {Path: "SKILL.md", Data: []byte("x")},
		"too much": {Path: "large", Data: make([]byte, ruleset.MaxFileBytes)},
	} {
		if err := change(ruleset.FileChange{Path: "b.bin", Data: []byte("changed")}, bad); err == nil {
			t.Errorf("%s is accepted", what)
		}
	}
	if diff := cmp.Diff(want, listFiles(t, store, "go_style")); diff != "" {
		t.Errorf("after changes that were refused (-want +got):\n%s", diff)
	}
	if err := change(ruleset.FileChange{Path: "scripts/a.py"}, ruleset.FileChange{Path: "b.bin", Data: []byte("new")}); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(map[string]int64{"b.bin": 3, "empty": 0}, listFiles(t, store, "go_style")); diff != "" {
		t.Errorf("after a change (-want +got):\n%s", diff)
	}
	many := make([]ruleset.FileChange, ruleset.MaxFiles)
	for i := range many {
		many[i] = ruleset.FileChange{Path: fmt.Sprintf("f%d", i), Data: []byte{}}
	}
	if _, ok := errors.AsType[*ruleset.TooManyFilesError](change(many...)); !ok {
		t.Errorf("%d more files are accepted", len(many))
	}
	for _, path := range []string{"none", "../go_style.md", "", strings.Repeat("a/", 300) + "a"} {
		if _, err := store.ReadFile(t.Context(), "go_style", path); err == nil {
			t.Errorf("%q was read", path)
		}
	}
}

func isNotFound(err error) bool {
	_, ok := errors.AsType[*ruleset.NotFoundError](err)
	return ok
}
