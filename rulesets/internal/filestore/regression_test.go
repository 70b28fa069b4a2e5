package filestore_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/rulesets/internal/filestore"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// An update once dropped an anchor of the front matter that another key refers
// to, and wrote times whose offset leads out of the four digits of a year: what
// had been a ruleset could not be read any more.
func TestUpdateKeepsFilesReadable(t *testing.T) {
	description, text, none := "new", "text", []string{}
	for name, tc := range map[string]struct {
		file  string
		patch ruleset.Patch
		want  string // in the error, "" for none
	}{
		"a reference":         {"---\ndescription: &d old\nother: *d\n---\n", ruleset.Patch{Description: &description}, ""},
		"a lost reference":    {"---\ntags: [&t x]\nother: *t\n---\n", ruleset.Patch{Tags: &none}, "a.md cannot be written anew"},
		"after the year 9999": {"---\ncreated_at: 9999-12-31T23:59:59-01:00\n---\n", ruleset.Patch{Markdown: &text}, "created_at is no time"},
		"before the year 0":   {"---\ncreated_at: 0000-01-01T00:00:00+01:00\n---\n", ruleset.Patch{Markdown: &text}, "created_at is no time"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			put(t, dir, "a.md", tc.file)
			s := filestore.Open(dir, quiet, time.Now)
			_, err := ruleset.Update(t.Context(), s, "a", tc.patch)
			if tc.want == "" {
				if _, getErr := s.Get(t.Context(), "a"); err != nil || getErr != nil {
					t.Errorf("Update: %v; Get: %v", err, getErr)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("Update: %v, want %q", err, tc.want)
			}
			if got, err := os.ReadFile(filepath.Join(dir, "a.md")); err != nil || string(got) != tc.file {
				t.Errorf("the file became %q, %v", got, err)
			}
		})
	}
}
