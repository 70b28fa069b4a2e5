package rulesets

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/mcp/mcptest"
	"github.com/triptych-mcp/triptych/rulesets/internal/filestore"
	"github.com/triptych-mcp/triptych/rulesets/internal/memstore"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// connected returns a client of the family on a store.
func connected(t *testing.T, store ruleset.Store) *mcptest.Client {
	t.Helper()
	c := mcptest.Connect(t, newTools(store, LabelRules{}, Scan{mode: "warn"}, slog.New(slog.DiscardHandler)).table())
	c.Initialize("2026-07-28")
	return c
}

// A skillEntry has what tests look at.
type skillEntry struct {
	URI         string
	Frontmatter map[string]any
	Resources   []struct {
		URI, Digest string
		Size        int
	}
}

func listedSkills(t *testing.T, c *mcptest.Client) map[string]skillEntry {
	t.Helper()
	all := map[string]skillEntry{}
	for _, raw := range c.List("skills") {
		var s skillEntry
		if err := json.Unmarshal(raw, &s); err != nil {
			t.Fatal(err)
		}
		all[s.URI] = s
	}
	return all
}

// Every file of every skill that is listed can be read, and has the digest and size of
// its entry.
func verify(t *testing.T, c *mcptest.Client, skills map[string]skillEntry) {
	t.Helper()
	for uri, s := range skills {
		own := false
		for _, f := range s.Resources {
			contents, err := c.Read(f.URI)
			if err != nil {
				t.Fatalf("%s: %v", f.URI, err)
			}
			data := contents[0].Blob
			if contents[0].Text != "" {
				data = []byte(contents[0].Text)
			}
			if got := fmt.Sprintf("sha256:%x", sha256.Sum256(data)); got != f.Digest || len(data) != f.Size {
				t.Errorf("%s: %d bytes with %s, listed %d with %s", f.URI, len(data), got, f.Size, f.Digest)
			}
			own = own || f.URI == uri
		}
		if !own {
			t.Errorf("%s is not among its own files", uri)
		}
	}
}

// A tool writes the files of a skill, and removes them again.
func TestSkillsAreWritable(t *testing.T) {
	for name, store := range map[string]ruleset.Store{
		"memory": memstore.New(time.Now), "files": filestore.Open(t.TempDir(), slog.New(slog.DiscardHandler), time.Now),
	} {
		c := connected(t, store)
		c.Call("create_ruleset", map[string]any{"name": "pdf_forms", "description": "Fill: forms", "markdown": "Run scripts/fill.py", "tags": []string{"pdf", "yes"}})
		got := c.Call("update_ruleset", map[string]any{"name": "pdf_forms", "if_rev": 1, "files": []any{
			map[string]any{"path": "scripts/fill.py", "text": "print()\n"}, map[string]any{"path": "logo.png", "blob": "iVBORw=="},
		}})
		if got.String() != "Successfully updated ruleset 'pdf_forms'" {
			t.Fatalf("%s: %s", name, got)
		}
		skills := listedSkills(t, c)
		if s := skills["skill://pdf-forms/SKILL.md"]; len(s.Resources) != 3 || s.Frontmatter["description"] != "Fill: forms" {
			t.Errorf("%s: %+v", name, skills)
		}
		verify(t, c, skills)
		for _, bad := range []any{
			map[string]any{"path": "../x", "text": ""}, map[string]any{"path": "none"}, map[string]any{"path": "SKILL.md", "text": "x"},
			map[string]any{"path": "x", "text": "", "blob": ""}, map[string]any{"path": "x", "blob": "!"},
		} {
			if got := c.Call("update_ruleset", map[string]any{"name": "pdf_forms", "markdown": "lost", "files": []any{bad}}); !got.IsError {
				t.Errorf("%s: %v: %s", name, bad, got)
			}
			if r, err := store.Get(t.Context(), "pdf_forms"); err != nil || r.Markdown != "Run scripts/fill.py" || r.Rev != 2 {
				t.Errorf("%s: %v has changed the text: %+v, %v", name, bad, r, err)
			}
		}
		c.Call("update_ruleset", map[string]any{"name": "pdf_forms", "files": []any{map[string]any{"path": "logo.png"}}})
		if s := listedSkills(t, c)["skill://pdf-forms/SKILL.md"]; len(s.Resources) != 2 {
			t.Errorf("%s: after a removal %+v", name, s)
		}
	}
}

// Rulesets that cannot be skills are not listed, and getting them says why; a folder is
// read with what stands in it, but not through links.
func TestWhatIsASkill(t *testing.T) {
	dir := t.TempDir()
	write := func(path, text string) {
		t.Helper()
		full := filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	long := strings.Repeat("a", 65)
	write("plain.md", "---\ndescription: d\n---\n\ntext")
	write("none.md", "---\ndescription: d\nskill: false\n---\n\ntext")
	write("silent.md", "---\ntags: []\n---\n\ntext")
	write(long+".md", "---\ndescription: d\n---\n\ntext")
	write("plain/SKILL.md", "---\nname: plain\ndescription: another\n---\n")
	write("a-folder/SKILL.md", "---\nname: a-folder\ndescription: d\n---\n")
	write("a-folder/.git/config", "secret")
	write("wrong/SKILL.md", "---\nname: other\ndescription: d\n---\n")
	write("outside.txt", "secret")
	if err := os.Symlink("../outside.txt", filepath.Join(dir, "a-folder", "link.txt")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("a-folder", filepath.Join(dir, "linked")); err != nil {
		t.Fatal(err)
	}
	c := connected(t, filestore.Open(dir, slog.New(slog.DiscardHandler), time.Now))
	skills := listedSkills(t, c)
	if len(skills) != 2 || len(skills["skill://a-folder/SKILL.md"].Resources) != 1 || skills["skill://plain/SKILL.md"].Frontmatter["description"] != "d" {
		t.Errorf("got %+v", skills)
	}
	verify(t, c, skills)
	for uri, why := range map[string]string{
		"skill://none/SKILL.md": "skill: false", "skill://silent/SKILL.md": "description is missing",
		"skill://wrong/SKILL.md": "not that of its folder", "skill://linked/SKILL.md": "",
	} {
		_, err := c.Ask("skills/get", map[string]any{"uri": uri})
		if err == nil || !strings.Contains(err.Message, why) {
			t.Errorf("%s: %v", uri, err)
		}
	}
	for _, uri := range []string{"skill://a-folder/link.txt", "skill://a-folder/.git/config", "skill://a-folder/%2e%2e/outside.txt", "skill://linked/SKILL.md"} {
		if got, err := c.Read(uri); err == nil {
			t.Errorf("%s was read: %v", uri, got)
		}
	}
}

// A resource is as large as its list says, whatever is in it.
func TestSizeOfResources(t *testing.T) {
	store := memstore.New(time.Now)
	c := connected(t, store)
	for i, text := range []string{"", "é\n", "---\nx", strings.Repeat("long ", 1000)} {
		c.Call("create_ruleset", map[string]any{"name": fmt.Sprintf("r%d", i), "description": "a: \"b\" é", "tags": []string{"x", "y z"}, "markdown": text})
	}
	for _, raw := range c.List("resources") {
		var r struct {
			URI  string
			Size int
		}
		if err := json.Unmarshal(raw, &r); err != nil {
			t.Fatal(err)
		}
		contents, err := c.Read(r.URI)
		if err != nil || len(contents[0].Text) != r.Size {
			t.Errorf("%s: size %d, but %d bytes, %v", r.URI, r.Size, len(contents[0].Text), err)
		}
	}
}

// Files of a skill are in the history of its ruleset: the difference names them, they come
// back with a revision, and who reads a label reads the files of its revision.
func TestFilesOfSkillsHaveRevisions(t *testing.T) {
	for name, store := range map[string]ruleset.Store{
		"memory": memstore.New(time.Now), "files": filestore.Open(t.TempDir(), slog.New(slog.DiscardHandler), time.Now),
	} {
		c := connected(t, store)
		change := func(text string) map[string]any {
			return map[string]any{"op": "put", "name": "pdf_forms", "description": "Fill forms", "markdown": "Run fill.py",
				"files": []any{map[string]any{"path": "fill.py", "text": text}}}
		}
		c.Call("apply_rulesets", map[string]any{"operations": []any{change("one"), map[string]any{"op": "label", "name": "pdf_forms", "label": "production"}}})
		c.Call("apply_rulesets", map[string]any{"operations": []any{change("two")}})
		diff := c.Call("ruleset_history", map[string]any{"name": "pdf_forms", "from": 1}).String()
		for _, want := range []string{"--- pdf_forms@1/fill.py\n", "\n-one\n", "\n+two\n"} {
			if !strings.Contains(diff, want) {
				t.Errorf("%s: no %q in %s", name, want, diff)
			}
		}
		tools := newTools(store, LabelRules{}, Scan{mode: "warn"}, slog.New(slog.DiscardHandler))
		tools.bound = "production"
		labelled := mcptest.Connect(t, tools.table())
		labelled.Initialize("2026-07-28")
		read := func(c *mcptest.Client, want string) {
			t.Helper()
			verify(t, c, listedSkills(t, c))
			if got, err := c.Read("skill://pdf-forms/fill.py"); err != nil || got[0].Text != want {
				t.Errorf("%s: read %+v, %v, want %q", name, got, err, want)
			}
		}
		read(c, "two")
		read(labelled, "one")
		c.Call("apply_rulesets", map[string]any{"operations": []any{map[string]any{"op": "restore", "name": "pdf_forms", "rev": 1}}})
		read(c, "one")
		if got := c.Call("delete_ruleset", map[string]any{"name": "pdf_forms", "if_rev": 3}); got.IsError {
			t.Fatalf("%s: %s", name, got)
		}
		c.Call("apply_rulesets", map[string]any{"operations": []any{map[string]any{"op": "restore", "name": "pdf_forms", "rev": 2}}})
		read(c, "two")
	}
}

// A skill is created with its files, or not at all.
func TestSkillsAreCreatedWithFiles(t *testing.T) {
	c := connected(t, memstore.New(time.Now))
	create := func(files ...any) mcptest.Answer {
		return c.Call("create_ruleset", map[string]any{"name": "pdf_forms", "description": "Fill forms", "markdown": "m", "files": files})
	}
	for what, bad := range map[string]any{
		"an unknown member": map[string]any{"path": "a", "txt": "x"}, "a path that leads out": map[string]any{"path": "../a", "text": "x"},
		"a removal": map[string]any{"path": "a"}, "text and blob": map[string]any{"path": "a", "text": "x", "blob": "eA=="},
	} {
		if got := create(bad); !got.IsError {
			t.Errorf("%s is accepted: %s", what, got)
		}
	}
	if got := create(map[string]any{"path": "a/b.txt", "text": "one"}, map[string]any{"path": "c.bin", "blob": "AP8="}); got.IsError {
		t.Fatal(got)
	}
	verify(t, c, listedSkills(t, c))
	if got, err := c.Read("skill://pdf-forms/a/b.txt"); err != nil || got[0].Text != "one" {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := c.Read("skill://pdf-forms/c.bin"); err != nil || string(got[0].Blob) != "\x00\xff" {
		t.Errorf("%+v, %v", got, err)
	}
}

// A folder with a SKILL.md is a ruleset that lists do not have. A tool changes its text and
// its files in the folder, and keeps what it does not change.
func TestFoldersAreWritable(t *testing.T) {
	dir := t.TempDir()
	at := filepath.Join(dir, "pdf-processing", "SKILL.md")
	before := "---\nname: pdf-processing # as the folder\ndescription: Old\nlicense: MIT\nmetadata: {owner:   ann}\n---\n\nOld text\n"
	writeAll(t, map[string]string{at: before, filepath.Join(dir, "pdf-processing", "ref", "FORMS.md"): "forms"})
	c := connected(t, filestore.Open(dir, slog.New(slog.DiscardHandler), time.Now))
	verify(t, c, listedSkills(t, c))
	if got, err := c.Read("skill://pdf-processing/SKILL.md"); err != nil || got[0].Text != before {
		t.Errorf("served %+v, %v", got, err)
	}
	c.Call("update_ruleset", map[string]any{"name": "pdf_processing", "if_rev": 1, "markdown": "New text\n"})
	after := strings.Replace(before, "Old text", "New text", 1)
	if text, err := os.ReadFile(at); err != nil || string(text) != after {
		t.Errorf("written %q, %v, want %q", text, err, after)
	}
	got := c.Call("update_ruleset", map[string]any{
		"name": "pdf_processing", "if_rev": 2, "description": "New", "files": []any{map[string]any{"path": "ref/FORMS.md"}, map[string]any{"path": "a.py", "text": "print()"}},
	})
	if got.String() != "Successfully updated ruleset 'pdf_processing'" {
		t.Fatal(got)
	}
	after = "---\nname: pdf-processing # as the folder\ndescription: New\nlicense: MIT\nmetadata: {owner: ann}\n---\n\nNew text\n"
	if text, err := os.ReadFile(at); err != nil || string(text) != after {
		t.Errorf("written %q, %v, want %q", text, err, after)
	}
	skills := listedSkills(t, c)
	if s := skills["skill://pdf-processing/SKILL.md"]; len(s.Resources) != 2 || s.Frontmatter["license"] != "MIT" {
		t.Errorf("got %+v", skills)
	}
	verify(t, c, skills)
	if got := c.Call("create_ruleset", map[string]any{"name": "pdf_processing", "description": "d", "markdown": "m"}); !got.IsError {
		t.Errorf("the name is not taken: %s", got)
	}
	c.Call("delete_ruleset", map[string]any{"name": "pdf_processing"})
	c.Call("apply_rulesets", map[string]any{"operations": []any{map[string]any{"op": "restore", "name": "pdf_processing", "rev": 1}}})
	if text, err := os.ReadFile(filepath.Join(dir, "pdf-processing", "ref", "FORMS.md")); err != nil || string(text) != "forms" {
		t.Errorf("restored %q, %v", text, err)
	}
	if got, err := c.Read("skill://pdf-processing/SKILL.md"); err != nil || !strings.Contains(got[0].Text, "name: pdf-processing\ndescription: Old\nlicense: MIT\nmetadata: {owner: ann}\n---\n\nOld text\n") {
		t.Errorf("restored %+v, %v", got, err)
	}
}

func writeAll(t *testing.T, files map[string]string) {
	t.Helper()
	for path, text := range files {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
