package filestore_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/conformance/disktest"
	"github.com/triptych-mcp/triptych/rulesets/internal/filestore"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

func TestFullDisk(t *testing.T) {
	disk := t.TempDir()
	disktest.Mount(t, disk, 128<<10)
	dir, filler := filepath.Join(disk, "rulesets"), filepath.Join(disk, "filler")
	s := filestore.Open(dir, quiet, time.Now)
	kept, err := ruleset.Create(t.Context(), s, ruleset.Draft{Name: "kept", Markdown: "as it was"})
	if err != nil {
		t.Fatal(err)
	}
	disktest.Fill(t, filler)
	text := strings.Repeat("long ", 2000)
	_, create := ruleset.Create(t.Context(), s, ruleset.Draft{Name: "a", Markdown: text})
	_, update := ruleset.Update(t.Context(), s, "kept", ruleset.Patch{Markdown: &text})
	_, apply := s.Apply(t.Context(), []ruleset.Operation{
		{Name: "kept", Update: &ruleset.Patch{Markdown: &text}}, {Name: "a", Create: &ruleset.Draft{Name: "a", Markdown: text}},
	}, ruleset.ApplyOptions{})
	_, files := ruleset.Update(t.Context(), s, "kept", ruleset.Patch{Markdown: &text, Files: []ruleset.FileChange{
		{Path: "scripts/small", Data: []byte("x")}, {Path: "large", Data: []byte(text)},
	}})
	for what, err := range map[string]error{"Create": create, "Update": update, "Apply": apply, "files": files} {
		_, away := errors.AsType[*ruleset.UnavailableError](err)
		if !away || !strings.Contains(err.Error(), "no space left on device") || strings.Contains(err.Error(), dir) {
			t.Errorf("%s: %v, want that there is no space, without the folder", what, err)
		}
	}
	if got, err := s.Get(t.Context(), "kept"); err != nil || !cmp.Equal(got, kept) {
		t.Errorf("afterwards it is %v, %v", got, err)
	}
	for _, staged := range []string{"kept/*", ".history/kept.files/*"} {
		if left, err := filepath.Glob(filepath.Join(dir, staged)); err != nil || len(left) > 0 {
			t.Errorf("of the files that had no space %v stays, %v", left, err)
		}
	}
	if got := fileNames(t, dir); !cmp.Equal(got, []string{".gitignore", ".history", ".lock", "kept.md"}) {
		t.Errorf("the folder has %v, want no half files", got)
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	_, create = ruleset.Create(t.Context(), s, ruleset.Draft{Name: "a", Markdown: text})
	_, update = ruleset.Update(t.Context(), s, "kept", ruleset.Patch{Markdown: &text})
	_, files = ruleset.Update(t.Context(), s, "kept", ruleset.Patch{Files: []ruleset.FileChange{{Path: "scripts/small", Data: []byte("x")}}})
	if create != nil || update != nil || files != nil {
		t.Errorf("with space again: %v, %v, %v", create, update, files)
	}
	if all, err := s.History(t.Context(), "kept"); err != nil || len(all) != 3 || all[0].Content.Markdown != text {
		t.Errorf("the history has %d revisions, %v; want the first and the two that succeeded", len(all), err)
	}
}

// A batch of which a part cannot be placed is refused as a whole, and the next change is made.
// The place is on a disk that can only be read, since root may write elsewhere.
func TestProtectedFiles(t *testing.T) {
	dir := t.TempDir()
	s := filestore.Open(dir, quiet, time.Now)
	if _, err := ruleset.Create(t.Context(), s, ruleset.Draft{Name: "go_style", Markdown: "one", Files: []ruleset.FileChange{{Path: "open/a", Data: []byte("one")}}}); err != nil {
		t.Fatal(err)
	}
	put(t, dir, "go-style/plain", "by hand")
	for _, folder := range []string{"go-style/locked", "pdf-forms"} {
		path := filepath.Join(dir, folder)
		if err := os.Mkdir(path, 0o755); err != nil {
			t.Fatal(err)
		}
		disktest.Mount(t, path, 64<<10)
		put(t, path, "SKILL.md", "---\nname: pdf-forms\ndescription: d\n---\n\none")
		if err := syscall.Mount("", path, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
			t.Skip("a disk cannot be protected:", err)
		}
	}
	before, err := s.Get(t.Context(), "go_style")
	if err != nil {
		t.Fatal(err)
	}
	two := "two"
	set := func(path string) []ruleset.FileChange {
		return []ruleset.FileChange{{Path: "open/a", Data: []byte(two)}, {Path: path, Data: []byte(two)}}
	}
	_, newFile := ruleset.Update(t.Context(), s, "go_style", ruleset.Patch{Markdown: &two, Files: set("locked/deep/b")})
	_, oldFile := ruleset.Update(t.Context(), s, "go_style", ruleset.Patch{Markdown: &two, Files: set("locked/SKILL.md")})
	_, text := ruleset.Update(t.Context(), s, "pdf_forms", ruleset.Patch{Markdown: &two, Files: set("b")})
	_, removal := ruleset.Update(t.Context(), s, "go_style", ruleset.Patch{Files: []ruleset.FileChange{{Path: "locked/SKILL.md"}}})
	_, batch := s.Apply(t.Context(), []ruleset.Operation{
		{Name: "go_style", Update: &ruleset.Patch{Markdown: &two}}, {Name: "pdf_forms", Update: &ruleset.Patch{Markdown: &two}},
	}, ruleset.ApplyOptions{})
	for what, err := range map[string]error{"a new file": newFile, "a file": oldFile, "a text": text, "a removal": removal, "a batch": batch} {
		if err == nil || !strings.Contains(err.Error(), "read-only file system") {
			t.Errorf("%s: %v, want the reason", what, err)
		}
	}
	if got, err := s.Get(t.Context(), "go_style"); err != nil || !cmp.Equal(got, before) {
		t.Errorf("afterwards it is %v, %v", got, err)
	}
	if _, err := ruleset.Update(t.Context(), s, "go_style", ruleset.Patch{Markdown: &two, Files: set("open/b")}); err != nil {
		t.Errorf("the next change: %v", err)
	}
}

func fileNames(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}
