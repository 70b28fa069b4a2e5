package filestore_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/rulesets/internal/filestore"
	"github.com/triptych-mcp/triptych/rulesets/internal/storetest"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

var quiet = slog.New(slog.DiscardHandler)

func TestContract(t *testing.T) {
	storetest.Run(t, func(t *testing.T, clock *storetest.Clock) (ruleset.Store, func() ruleset.Store) {
		dir := filepath.Join(t.TempDir(), "rulesets")
		open := func() ruleset.Store { return filestore.Open(dir, quiet, clock.Now) }
		return open(), open
	})
}

// TestMain lets the test binary be a process that writes until it is killed, one that
// contends for names, or one of package storetest.
func TestMain(m *testing.M) {
	if dir := os.Getenv("FILESTORE_TEST_DIR"); dir != "" {
		os.Exit(play(os.Getenv("FILESTORE_TEST_ROLE"), filestore.Open(dir, quiet, time.Now)))
	}
	isChild, err := storetest.RunChild(func(dir string) (ruleset.Store, error) { return filestore.Open(dir, quiet, time.Now), nil })
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if !isChild {
		os.Exit(m.Run())
	}
}

func play(role string, s *filestore.Store) int {
	ctx := context.Background()
	if role == "writer" {
		text := strings.Repeat("0123456789\n", 1000)
		for i := 0; ; i++ {
			name := ruleset.Name(fmt.Sprintf("n%d", i%50))
			_, _ = ruleset.Create(ctx, s, ruleset.Draft{Name: name, Markdown: text}) // it may be there
			if _, err := ruleset.Update(ctx, s, name, ruleset.Patch{Markdown: &text}); err != nil {
				fmt.Fprintln(os.Stderr, err)
				return 1
			}
		}
	}
	for i := range 100 {
		if _, err := ruleset.Create(ctx, s, ruleset.Draft{Name: ruleset.Name(fmt.Sprintf("n%d", i)), Description: role}); err == nil {
			fmt.Printf("n%d\n", i)
		}
	}
	return 0
}

func process(t *testing.T, dir, role string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), "FILESTORE_TEST_DIR="+dir, "FILESTORE_TEST_ROLE="+role)
	cmd.Stderr = os.Stderr
	return cmd
}

func TestProcessesThatCreateTheSameNames(t *testing.T) {
	dir := t.TempDir()
	var mu sync.Mutex
	wins := map[string]int{}
	var wg sync.WaitGroup
	for i := range 64 {
		wg.Go(func() {
			out, err := process(t, dir, fmt.Sprintf("p%d", i)).Output()
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			for name := range strings.FieldsSeq(string(out)) {
				wins[name]++
			}
		})
	}
	wg.Wait()
	for i := range 100 {
		if name := fmt.Sprintf("n%d", i); wins[name] != 1 {
			t.Errorf("%s was won %d times", name, wins[name])
		}
	}
	metas, _, err := filestore.Open(dir, quiet, time.Now).List(t.Context(), ruleset.Page{})
	if err != nil || len(metas) != 100 {
		t.Errorf("%d rulesets, %v, want 100", len(metas), err)
	}
}

func TestProcessesThatChangeOneRuleset(t *testing.T) {
	dir := t.TempDir()
	storetest.Contend(t, dir, filestore.Open(dir, quiet, time.Now))
}

func TestKilledWriterLeavesWholeFiles(t *testing.T) {
	dir := t.TempDir()
	want := strings.Repeat("0123456789\n", 1000)
	for round := range 10 {
		cmd := process(t, dir, "writer")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(50+13*round) * time.Millisecond) // anywhere in a write
		_ = cmd.Process.Kill()                                    // it runs for ever
		_ = cmd.Wait()                                            // killed
		s := filestore.Open(dir, quiet, time.Now)
		metas, _, err := s.List(t.Context(), ruleset.Page{})
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range metas {
			if r, err := s.Get(t.Context(), m.Name); err != nil || r.Markdown != want {
				t.Fatalf("round %d: %s has %d bytes, %v", round, m.Name, len(r.Markdown), err)
			}
			history, err := s.History(t.Context(), m.Name)
			if err != nil || history[0].Deleted || history[0].Content.Markdown != want {
				t.Fatalf("round %d: the history of %s has %d revisions, %v", round, m.Name, len(history), err)
			}
		}
		files, err := filepath.Glob(filepath.Join(dir, "*.md"))
		if err != nil || len(files) != len(metas) {
			t.Fatalf("round %d: %d files, %d rulesets, %v", round, len(files), len(metas), err)
		}
	}
}

// TestFileIsTheDocumentedText compares a file with the text that the family's
// document shows for the resource.
func TestFileIsTheDocumentedText(t *testing.T) {
	dir := t.TempDir()
	at := time.Date(2025, 10, 29, 10, 30, 0, 0, time.UTC)
	s := filestore.Open(dir, quiet, func() time.Time { return at })
	_, err := ruleset.Create(t.Context(), s, ruleset.Draft{
		Name: "python_style_guide", Description: "Python coding style guidelines", Tags: []string{"python", "style", "pep8"},
		Markdown: "# Python Style Guide\n\n## Naming Conventions\n...",
	})
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(dir, "python_style_guide.md"))
	if err != nil {
		t.Fatal(err)
	}
	const want = "---\nname: python_style_guide\ndescription: Python coding style guidelines\ntags: [python, style, pep8]\n" +
		"created_at: 2025-10-29 10:30:00\nlast_modified: 2025-10-29 10:30:00\n---\n\n# Python Style Guide\n\n## Naming Conventions\n..."
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("file (-want +got):\n%s", diff)
	}
}

func put(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestFilesEditedByHand(t *testing.T) {
	dir := t.TempDir()
	s := filestore.Open(dir, quiet, time.Now)
	put(t, dir, "mine.md", "---\r\n# a comment\r\ndescription: one\r\nowner: me\r\n---\r\nText\r\n")
	if r, err := s.Get(t.Context(), "mine"); err != nil || r.Description != "one" || r.Markdown != "Text\n" || len(r.Tags) != 0 {
		t.Errorf("got %+v, %v", r, err)
	}
	description := "three"
	if _, err := ruleset.Update(t.Context(), s, "mine", ruleset.Patch{Description: &description}); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "mine.md")); err != nil || strings.Count(string(got), "\r\n") != strings.Count(string(got), "\n") {
		t.Errorf("a file of CRLF lines became %q, %v", got, err)
	}
	put(t, dir, "mine.md", "---\n# a comment\ndescription: two\nowner: me\n---\n\nText\n")
	if metas, _, err := s.List(t.Context(), ruleset.Page{}); err != nil || len(metas) != 1 || metas[0].Description != "two" {
		t.Errorf("after the edit the list is %+v, %v", metas, err)
	}
	tags := []string{"x"}
	if _, err := ruleset.Update(t.Context(), s, "mine", ruleset.Patch{Tags: &tags}); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(dir, "mine.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, kept := range []string{"# a comment\n", "owner: me\n", "description: two\n", "tags: [x]\n", "\n---\n\nText\n"} {
		if !strings.Contains(string(got), kept) {
			t.Errorf("%q is not in the updated file:\n%s", kept, got)
		}
	}
}

func TestFilesThatAreNoRulesetsAreLeftAlone(t *testing.T) {
	dir := t.TempDir()
	s := filestore.Open(dir, quiet, time.Now)
	texts := map[ruleset.Name]string{
		"plain": "# no front matter", "open": "---\ndescription: x\n", "broken": "---\n: [\n---\n", "other": "---\nname: another\n---\n",
		"late": "---\ncreated_at: soon\n---\n", "list": "---\n- a\n---\n", "bytes": "---\ndescription: \"\xff\"\n---\n", "tags": "---\ntags: {a: b}\n---\n",
	}
	for name, text := range texts {
		put(t, dir, string(name)+".md", text)
	}
	put(t, dir, "README.md", "not ours")
	if err := os.Symlink("/etc/hostname", filepath.Join(dir, "link.md")); err != nil {
		t.Fatal(err)
	}
	if metas, _, err := s.List(t.Context(), ruleset.Page{}); err != nil || len(metas) != 0 {
		t.Errorf("listed %+v, %v", metas, err)
	}
	text := "x"
	for name, want := range texts {
		_, create := ruleset.Create(t.Context(), s, ruleset.Draft{Name: name})
		_, update := ruleset.Update(t.Context(), s, name, ruleset.Patch{Markdown: &text})
		for what, err := range map[string]error{"create": create, "update": update, "delete": ruleset.Delete(t.Context(), s, name, ruleset.Removal{})} {
			if _, ok := errors.AsType[*filestore.InvalidFileError](err); !ok {
				t.Errorf("%s %s: %v", what, name, err)
			}
		}
		if got, err := os.ReadFile(filepath.Join(dir, string(name)+".md")); err != nil || string(got) != want {
			t.Errorf("%s became %q, %v", name, got, err)
		}
	}
}

func TestFolderThatCannotBeWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	put(t, filepath.Dir(path), "file", "in the way")
	s := filestore.Open(path, quiet, time.Now)
	_, err := ruleset.Create(t.Context(), s, ruleset.Draft{Name: "a"})
	if _, ok := errors.AsType[*ruleset.UnavailableError](err); !ok {
		t.Errorf("Create: %v, want unavailable", err)
	}
}

func BenchmarkStore(b *testing.B) {
	dir := b.TempDir()
	s := filestore.Open(dir, quiet, time.Now)
	front := "---\nname: %s\ndescription: A rule for benchmarks\ntags: [a, b]\ncreated_at: 2025-10-29 10:30:00\nlast_modified: 2025-10-29 10:30:00\n---\n\n"
	body := strings.Repeat("Some rule that is as long as a line.\n", 50)
	for i := range 10_000 {
		name := fmt.Sprintf("rule_%d", i)
		path := filepath.Join(dir, name+".md")
		if err := os.WriteFile(path, []byte(fmt.Sprintf(front, name)+body), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("get", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := s.Get(b.Context(), "rule_77"); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("list_10000_cold", func(b *testing.B) {
		for b.Loop() {
			if _, _, err := filestore.Open(dir, quiet, time.Now).List(b.Context(), ruleset.Page{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("list_10000", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, _, err := s.List(b.Context(), ruleset.Page{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("search_10000", func(b *testing.B) {
		for b.Loop() {
			if _, err := ruleset.Search(b.Context(), s, "*_7?7"); err != nil {
				b.Fatal(err)
			}
		}
	})
}
