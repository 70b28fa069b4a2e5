package editors

import (
	"slices"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// Imports are words that begin with @, outside of code, as Claude Code's documents say.
func TestImported(t *testing.T) {
	for text, want := range map[string][]string{
		"See @README for the project and @package.json for commands.\n": {"README", "package.json"},
		"- workflow @docs/git.md, and (@not) me@example.com\n":          {"docs/git.md"},
		"`@a.md` and ``@b.md`` @c.md\n":                                 {"c.md"},
		"```\n@a.md\n```\n@b.md\n":                                      {"b.md"},
		"~~~~\n@a.md\n~~~\n@b.md\n~~~~\n@c.md.\n":                       {"c.md"},
		"@~/mine.md @/etc/x.md @./d.md @../up.md\n":                     {"./d.md", "../up.md"},
		"@\nnothing\n": nil,
	} {
		if diff := cmp.Diff(want, (&Imports{Trims: true}).Paths(text)); diff != "" {
			t.Errorf("%q, -want +got:\n%s", text, diff)
		}
	}
}

// Claude Code takes a comma behind a path for a part of it, and does not load files beside
// the working directory without asking; Copilot does both.
func TestImportsDiffer(t *testing.T) {
	files := map[string]string{"CLAUDE.md": "See @a.md, @src/b.md.\n@src/c.md\n@d.md\n", "a.md": "", "src/b.md": "", "src/c.md": "", "d.md": ""}
	read := func(name string) (string, bool) { text, ok := files[name]; return text, ok }
	if diff := cmp.Diff([]string{"src/c.md"}, Find("claude").Imports.Of("CLAUDE.md", "src", read)); diff != "" {
		t.Errorf("claude, -want +got:\n%s", diff)
	}
	if diff := cmp.Diff([]string{"a.md", "src/b.md", "src/c.md", "d.md"}, Find("copilot").Imports.Of("CLAUDE.md", "src", read)); diff != "" {
		t.Errorf("copilot, -want +got:\n%s", diff)
	}
}

// Imports lead through five files, end at the project's folder, and may form a circle.
func TestImportsOf(t *testing.T) {
	files := map[string]string{
		"CLAUDE.md": "@docs/1.md @missing.md @../out.md\n", "docs/1.md": "@2.md @../CLAUDE.md\n", "docs/2.md": "@3.md\n",
		"docs/3.md": "@4.md\n", "docs/4.md": "@5.md\n", "docs/5.md": "@6.md\n", "docs/6.md": "",
	}
	got := (&Imports{}).Of("CLAUDE.md", ".", func(name string) (string, bool) { text, ok := files[name]; return text, ok })
	want := []string{"docs/1.md", "docs/2.md", "docs/3.md", "docs/4.md", "docs/5.md"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// Explain follows imports for the clients that do, also to files that no client reads by
// their names.
func TestExplainImports(t *testing.T) {
	tree := fstest.MapFS{}
	for name, text := range map[string]string{"CLAUDE.md": "@docs/x.md\n", "GEMINI.md": "@docs/x.md\n", "AGENTS.md": "@docs/x.md\n", "docs/x.md": "X\n"} {
		tree[name] = &fstest.MapFile{Data: []byte(text)}
	}
	files, err := Scan(tree)
	if err != nil {
		t.Fatal(err)
	}
	for client, want := range map[string]string{"claude": "imported by CLAUDE.md", "gemini": "imported by GEMINI.md", "codex": "", "copilot": "imported by AGENTS.md"} {
		got := ""
		for _, v := range Find(client).Explain(files, "main.go", ".") {
			if v.Path == "docs/x.md" && v.Loaded {
				got = v.Reason
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", client, got, want)
		}
	}
}

// A file that imports others is for the clients that follow them; a client that gets
// AGENTS.md by an import gets its rules once.
func TestImportsAreOfOneClient(t *testing.T) {
	rule, err := Import(PlaceOf("CLAUDE.md"), []byte("# Claude\n\nSee @AGENTS.md\n"))
	if err != nil || !slices.Equal(rule.Targets, []string{"claude"}) {
		t.Errorf("CLAUDE.md is for %q, %v", rule.Targets, err)
	}
	for _, text := range []string{"# Claude\n\nAsk @ann about `@AGENTS.md`.\n", "Use @scope/package.\n"} {
		if rule, err := Import(PlaceOf("CLAUDE.md"), []byte(text)); err != nil || rule.Targets != nil {
			t.Errorf("%q is for %q, %v", text, rule.Targets, err)
		}
	}
	if rule, err := Import(PlaceOf("AGENTS.md"), []byte("See @docs/x.md.\n")); err != nil || rule.Targets != nil {
		t.Errorf("AGENTS.md is for %q, %v", rule.Targets, err)
	}
	project := map[string]string{"CLAUDE.md": "# Claude\n\nSee @AGENTS.md\n", "AGENTS.md": "Be kind.\n"}
	site := Site{
		IsDir:  func(string) bool { return false },
		Exists: func(name string) bool { return project[name] != "" },
		Read:   func(name string) (string, bool) { text, ok := project[name]; return text, ok },
	}
	agents, err := Import(PlaceOf("AGENTS.md"), []byte(project["AGENTS.md"]))
	if err != nil {
		t.Fatal(err)
	}
	agents.InPlace = []string{"AGENTS.md"}
	rule.InPlace = []string{"CLAUDE.md"}
	plan, err := RenderIn([]Rule{agents, rule, {Name: "more", Activation: Always, Body: "More.\n"}}, []*Client{Find("agents"), Find("claude")}, site)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, f := range plan.Files {
		got[f.Path] = string(f.Content)
	}
	want := map[string]string{
		"AGENTS.md": "Be kind.\n\n" + beginMark + "<!-- triptych:rule more -->\nMore.\n\n" + endMark,
		"CLAUDE.md": project["CLAUDE.md"],
	}
	if diff := cmp.Diff(want, got); diff != "" || len(plan.Warnings) > 0 {
		t.Errorf("warnings %q, -want +got:\n%s", plan.Warnings, diff)
	}
	rule.InPlace = nil
	if plan, err = RenderIn([]Rule{rule}, []*Client{Find("claude")}, Site{IsDir: site.IsDir, Exists: func(string) bool { return false }}); err != nil {
		t.Fatal(err)
	}
	if n := plan.Notes[0]; n.Outcome != Projected || n.Reason != "it imports files of the project that it is from" {
		t.Errorf("in another project: %+v", n)
	}
}
