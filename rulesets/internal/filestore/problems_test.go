package filestore_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/rulesets/internal/filestore"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

func TestProblems(t *testing.T) {
	dir := t.TempDir()
	s := filestore.Open(dir, quiet, time.Now)
	if _, err := s.Create(t.Context(), ruleset.Draft{Name: "good"}); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "sub", "deep"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"broken.md": "---\n: [\n---\n", "plain.md": "# text", "other.md": "---\nname: another\n---\n", "Kebab-Case.md": "---\n---\n", "cursor.mdc": "---\n---\n",
		"README.md": "for people", "notes.txt": "none of ours", ".hidden.md": "", "sub/a.md": "", "sub/deep/b.md": "", "empty/c.txt": "",
	} {
		put(t, dir, name, text)
	}
	problems, err := s.Problems(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, p := range problems {
		got[p.File] = p.Reason
	}
	misnamed := "its name is not snake_case with .md, such as python_style_guide.md"
	want := map[string]string{
		"plain.md": "it has no front matter", "other.md": `it says its name is "another"`, "Kebab-Case.md": misnamed, "cursor.mdc": misnamed,
		"sub": "subfolders are not read, and this one has 2 Markdown file(s)", "broken.md": got["broken.md"], // a text of the YAML library
	}
	if diff := cmp.Diff(want, got); diff != "" || !strings.Contains(got["broken.md"], "front matter") {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestProblemsOfNoFolder(t *testing.T) {
	if problems, err := filestore.Open(filepath.Join(t.TempDir(), "none"), quiet, time.Now).Problems(t.Context()); err != nil || len(problems) > 0 {
		t.Error(problems, err)
	}
}
