package filestore_test

import (
	"context"
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
	if _, err := ruleset.Create(t.Context(), s, ruleset.Draft{Name: "good"}); err != nil {
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
	got := problemsOf(t, s)
	misnamed := "its name is not snake_case with .md, such as python_style_guide.md"
	want := map[string]string{
		"plain.md": "it has no front matter", "other.md": `it says its name is "another"`, "Kebab-Case.md": misnamed, "cursor.mdc": misnamed,
		"sub": "subfolders are not read, and this one has 2 Markdown file(s)", "broken.md": got["broken.md"], // a text of the YAML library
	}
	if diff := cmp.Diff(want, got); diff != "" || !strings.Contains(got["broken.md"], "front matter") {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// problemsOf returns the reasons by file.
func problemsOf(t *testing.T, s *filestore.Store) map[string]string {
	t.Helper()
	problems, err := s.Problems(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, p := range problems {
		all[p.File] = p.Reason
	}
	return all
}

// A watched folder has its problems in memory, and follows what people do.
func TestProblemsAreFollowed(t *testing.T) {
	dir := t.TempDir()
	watched := filestore.Open(dir, quiet, time.Now)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- watched.Watch(ctx, func(ruleset.Change) {}) }()
	defer func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}()
	for _, step := range []func() error{
		func() error { return os.WriteFile(filepath.Join(dir, "a.md"), []byte("broken"), 0o644) },
		func() error { return os.WriteFile(filepath.Join(dir, "Mine.md"), []byte("---\n---\n"), 0o644) },
		func() error { return os.WriteFile(filepath.Join(dir, "a.md"), []byte("---\n---\n"), 0o644) },
		func() error { return os.MkdirAll(filepath.Join(dir, "go-style", "x"), 0o755) },
		func() error { return os.WriteFile(filepath.Join(dir, "go-style", "x.md"), nil, 0o644) },
		func() error { return os.WriteFile(filepath.Join(dir, "go_style.md"), []byte("---\n---\n"), 0o644) },
		func() error { return os.Rename(filepath.Join(dir, "Mine.md"), filepath.Join(dir, "mine.md")) },
		func() error { return os.Remove(filepath.Join(dir, "go_style.md")) },
	} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
		var got, want map[string]string
		awaitUntil(t, "the problems are those of the folder", func() bool {
			got, want = problemsOf(t, watched), problemsOf(t, filestore.Open(dir, quiet, time.Now))
			return cmp.Equal(want, got)
		})
	}
}

func TestProblemsOfNoFolder(t *testing.T) {
	if problems, err := filestore.Open(filepath.Join(t.TempDir(), "none"), quiet, time.Now).Problems(t.Context()); err != nil || len(problems) > 0 {
		t.Error(problems, err)
	}
}
