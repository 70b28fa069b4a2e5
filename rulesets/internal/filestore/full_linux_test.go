package filestore_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
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
	kept, err := s.Create(t.Context(), ruleset.Draft{Name: "kept", Markdown: "as it was"})
	if err != nil {
		t.Fatal(err)
	}
	disktest.Fill(t, filler)
	text := strings.Repeat("long ", 2000)
	_, create := s.Create(t.Context(), ruleset.Draft{Name: "a", Markdown: text})
	_, update := s.Update(t.Context(), "kept", ruleset.Patch{Markdown: &text})
	_, apply := s.Apply(t.Context(), []ruleset.Operation{
		{Name: "kept", Update: &ruleset.Patch{Markdown: &text}}, {Name: "a", Create: &ruleset.Draft{Name: "a", Markdown: text}},
	}, ruleset.ApplyOptions{})
	for what, err := range map[string]error{"Create": create, "Update": update, "Apply": apply} {
		_, away := errors.AsType[*ruleset.UnavailableError](err)
		if !away || !strings.Contains(err.Error(), "no space left on device") || strings.Contains(err.Error(), dir) {
			t.Errorf("%s: %v, want that there is no space, without the folder", what, err)
		}
	}
	if got, err := s.Get(t.Context(), "kept"); err != nil || !cmp.Equal(got, kept) {
		t.Errorf("afterwards it is %v, %v", got, err)
	}
	if got := fileNames(t, dir); !cmp.Equal(got, []string{".gitignore", ".history", ".lock", "kept.md"}) {
		t.Errorf("the folder has %v, want no half files", got)
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	_, create = s.Create(t.Context(), ruleset.Draft{Name: "a", Markdown: text})
	_, update = s.Update(t.Context(), "kept", ruleset.Patch{Markdown: &text})
	if create != nil || update != nil {
		t.Errorf("with space again: %v, %v", create, update)
	}
	if all, err := s.History(t.Context(), "kept"); err != nil || len(all) != 2 || all[0].Content.Markdown != text {
		t.Errorf("the history has %d revisions, %v; want the first and the one that succeeded", len(all), err)
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
