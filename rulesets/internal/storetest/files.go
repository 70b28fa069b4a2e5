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

// filesOf returns the files of a store.
func filesOf(t *testing.T, s ruleset.Store) ruleset.FileStore {
	t.Helper()
	store, ok := ruleset.FilesOf(s)
	if !ok {
		t.Fatal("the store keeps no files")
	}
	return store
}

// listFiles returns the files of a ruleset with their bytes. Digests and sizes are checked.
func listFiles(t *testing.T, s ruleset.FileStore, name ruleset.Name) map[string]string {
	t.Helper()
	files, err := s.Files(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	last := ""
	for _, f := range files {
		data, err := s.ReadFile(t.Context(), name, f.Path)
		if err != nil || sha256.Sum256(data) != f.SHA256 || f.Size != int64(len(data)) || f.Path < last {
			t.Errorf("%s after %s: %d of %d bytes, digest %x, %v", f.Path, last, len(data), f.Size, f.SHA256, err)
		}
		texts[f.Path], last = string(data), f.Path
	}
	return texts
}

func setFile(path, text string) ruleset.FileChange {
	return ruleset.FileChange{Path: path, Data: []byte(text)}
}

// changeFiles changes files of go_style.
func changeFiles(t *testing.T, s ruleset.Store, changes ...ruleset.FileChange) error {
	_, err := ruleset.Update(t.Context(), s, "go_style", ruleset.Patch{Files: changes})
	return err
}

// Files belong to a ruleset: they are set and removed together, or not at all.
func files(t *testing.T, s ruleset.Store, _ *Clock, again func() ruleset.Store) {
	store := filesOf(t, s)
	if err := changeFiles(t, s, setFile("a", "x")); !isNotFound(err) {
		t.Errorf("files of a ruleset that is missing: %v", err)
	}
	create(t, s, ruleset.Draft{Name: "go_style", Markdown: "text"})
	if err := changeFiles(t, s, setFile("scripts/a.py", "one"), setFile("b.bin", "\x00\xff"), setFile("empty", "")); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"scripts/a.py": "one", "b.bin": "\x00\xff", "empty": ""}
	if diff := cmp.Diff(want, listFiles(t, filesOf(t, again()), "go_style")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for what, bad := range map[string]ruleset.FileChange{
		"a file that is missing": {Path: "none"}, "a path that leads out": setFile("../x", "x"),
		"a hidden path": setFile(".git/config", "x"), "the text itself": setFile("SKILL.md", "x"),
		"a folder of a file": setFile("scripts", "x"), "a file below a file": setFile("b.bin/x", "x"),
		"too much": {Path: "large", Data: make([]byte, ruleset.MaxFileBytes)},
	} {
		if err := changeFiles(t, s, setFile("b.bin", "changed"), bad); err == nil {
			t.Errorf("%s is accepted", what)
		}
	}
	if diff := cmp.Diff(want, listFiles(t, store, "go_style")); diff != "" {
		t.Errorf("after changes that were refused (-want +got):\n%s", diff)
	}
	if err := changeFiles(t, s, ruleset.FileChange{Path: "scripts/a.py"}, setFile("b.bin", "new")); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(map[string]string{"b.bin": "new", "empty": ""}, listFiles(t, store, "go_style")); diff != "" {
		t.Errorf("after a change (-want +got):\n%s", diff)
	}
	for _, changes := range [][]ruleset.FileChange{ // a file becomes a folder, and again a file
		{{Path: "empty"}, setFile("empty/not", "text")},
		{{Path: "empty/not"}, setFile("empty", "")},
	} {
		if err := changeFiles(t, s, changes...); err != nil {
			t.Error(err)
		}
	}
	if diff := cmp.Diff(map[string]string{"b.bin": "new", "empty": ""}, listFiles(t, store, "go_style")); diff != "" {
		t.Errorf("after a file was a folder (-want +got):\n%s", diff)
	}
	many := make([]ruleset.FileChange, ruleset.MaxFiles)
	for i := range many {
		many[i] = setFile(fmt.Sprintf("f%d", i), "")
	}
	if _, ok := errors.AsType[*ruleset.TooManyFilesError](changeFiles(t, s, many...)); !ok {
		t.Errorf("%d more files are accepted", len(many))
	}
	pairs := make([]ruleset.FileChange, 0, 4*ruleset.MaxFiles) // which leave no file
	for i := range 2 * ruleset.MaxFiles {
		path := fmt.Sprintf("f%d", i)
		pairs = append(pairs, setFile(path, ""), ruleset.FileChange{Path: path})
	}
	if changeFiles(t, s, pairs...) == nil {
		t.Errorf("%d changes at once are accepted", len(pairs))
	}
	for _, path := range []string{"none", "../go_style.md", "", strings.Repeat("a/", 300) + "a"} {
		if _, err := store.ReadFile(t.Context(), "go_style", path); err == nil {
			t.Errorf("%q was read", path)
		}
	}
}

// Each change of files is a revision with the text, which can be read and restored, also
// after the ruleset was deleted.
func filesAreRevised(t *testing.T, s ruleset.Store, _ *Clock, again func() ruleset.Store) {
	ann := ruleset.By{Author: "ann", Message: "a script"}
	create(t, s, ruleset.Draft{Name: "go_style", Markdown: "one", Files: []ruleset.FileChange{setFile("a.py", "first")}})
	two := "two"
	r := update(t, again(), "go_style", ruleset.Patch{Markdown: &two, Files: []ruleset.FileChange{setFile("a.py", "second"), setFile("b.py", "new")}, IfRev: 1, By: ann})
	want := []ruleset.File{ruleset.FileOf("a.py", []byte("second")), ruleset.FileOf("b.py", []byte("new"))}
	for what, r := range map[string]ruleset.Ruleset{"updated": r, "read": get(t, s, "go_style")} {
		if diff := cmp.Diff(want, r.Files); diff != "" || r.Rev != 2 || r.Markdown != two {
			t.Errorf("%s: revision %d with %q and (-want +got):\n%s", what, r.Rev, r.Markdown, diff)
		}
	}
	if r := update(t, s, "go_style", ruleset.Patch{Files: []ruleset.FileChange{setFile("b.py", "new")}}); r.Rev != 2 {
		t.Errorf("files that stay the same make revision %d", r.Rev)
	}
	three := "three"
	if r := update(t, s, "go_style", ruleset.Patch{Markdown: &three}); r.Rev != 3 || !ruleset.SameFiles(r.Files, want) {
		t.Errorf("a new text leaves %v at revision %d", r.Files, r.Rev)
	}
	_, err := ruleset.Update(t.Context(), s, "go_style", ruleset.Patch{Files: []ruleset.FileChange{{Path: "a.py"}}, IfRev: 2})
	if conflict, ok := errors.AsType[*ruleset.ConflictError](err); !ok || conflict.Current.Rev != 3 || !ruleset.SameFiles(conflict.Current.Files, want) {
		t.Errorf("files from an old revision: %v", err)
	}
	all := revisions(t, again(), "go_style")
	if len(all) != 3 || all[1].By != ann || !ruleset.SameFiles(all[1].Content.Files, want) || !ruleset.SameFiles(all[2].Content.Files, want) {
		t.Errorf("the history is %+v", all)
	}
	restoreFiles(t, s, all[0])
	if err := ruleset.Delete(t.Context(), s, "go_style", ruleset.Removal{}); err != nil {
		t.Fatal(err)
	}
	restoreFiles(t, again(), all[1])
}

// restoreFiles restores a revision of go_style and compares the files with it.
func restoreFiles(t *testing.T, s ruleset.Store, old ruleset.Revision) {
	t.Helper()
	changes, err := ruleset.RestoreFiles(t.Context(), s, "go_style", old.Content.Files)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Get(t.Context(), "go_style"); err == nil {
		p := old.Patch(ruleset.By{})
		p.Files = changes
		update(t, s, "go_style", p)
	} else {
		d := old.Draft(ruleset.By{})
		d.Files = changes
		create(t, s, d)
	}
	want := map[string]string{}
	for _, f := range old.Content.Files {
		data, err := filesOf(t, s).ReadRevised(t.Context(), "go_style", f)
		if err != nil {
			t.Errorf("%s of revision %d: %v", f.Path, old.Number, err)
		}
		want[f.Path] = string(data)
	}
	if diff := cmp.Diff(want, listFiles(t, filesOf(t, s), "go_style")); diff != "" {
		t.Errorf("restored (-want +got):\n%s", diff)
	}
	if r := get(t, s, "go_style"); r.Markdown != old.Content.Markdown || !ruleset.SameFiles(r.Files, old.Content.Files) {
		t.Errorf("restored %+v, want %+v", r, old.Content)
	}
}

// Pruning removes the bytes of files that no revision has any more, and no others.
func filesArePruned(t *testing.T, s ruleset.Store, _ *Clock, _ func() ruleset.Store) {
	create(t, s, ruleset.Draft{Name: "go_style", Files: []ruleset.FileChange{setFile("a", "first"), setFile("b", "stays")}})
	first := get(t, s, "go_style")
	if err := changeFiles(t, s, setFile("a", "second")); err != nil {
		t.Fatal(err)
	}
	for _, dry := range []bool{true, false} {
		if pruned, err := ruleset.Prune(t.Context(), s, ruleset.Retention{Revisions: 1}, dry); err != nil || pruned.Revisions != 1 {
			t.Fatalf("pruned %+v, %v", pruned, err)
		}
		for _, f := range first.Files {
			_, err := filesOf(t, s).ReadRevised(t.Context(), "go_style", f)
			if isThere := dry || f.Path == "b"; (err == nil) != isThere {
				t.Errorf("after a dry run %t: %s of revision 1: %v", dry, f.Path, err)
			}
		}
	}
	if diff := cmp.Diff(map[string]string{"a": "second", "b": "stays"}, listFiles(t, filesOf(t, s), "go_style")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// filesAreWonOnce has writers add a file to a ruleset, each from the revision that it has
// read: each revision has one file more.
func filesAreWonOnce(t *testing.T, s ruleset.Store, _ *Clock, again func() ruleset.Store) {
	const n, steps = 4, 4
	create(t, s, ruleset.Draft{Name: "a"})
	writers(t, n, steps, again, "a", func(s ruleset.Store, base ruleset.Ruleset, text string) (ruleset.Ruleset, error) {
		path := fmt.Sprintf("f%d", base.Rev)
		return ruleset.Update(t.Context(), s, "a", ruleset.Patch{Markdown: &text, Files: []ruleset.FileChange{setFile(path, text)}, IfRev: base.Rev})
	})
	for i, r := range revisions(t, s, "a") {
		if len(r.Content.Files) != i {
			t.Errorf("revision %d has %d files, want %d", r.Number, len(r.Content.Files), i)
		}
	}
	if all := listFiles(t, filesOf(t, s), "a"); len(all) != n*steps {
		t.Errorf("%d files are left of %d", len(all), n*steps)
	}
}

func isNotFound(err error) bool {
	_, ok := errors.AsType[*ruleset.NotFoundError](err)
	return ok
}
