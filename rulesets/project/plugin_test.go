package project

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/rulesets/editors"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// newPluginBench is a bench with a plugin of a skill with a file, and of a rule.
func newPluginBench(t *testing.T, settings string) *bench {
	t.Helper()
	b := newSkillBench(t)
	b.write(SelectionFile, "# mine\ntargets: [plugin]\nplugin: {"+settings+"}\n")
	b.create("fill_forms", "skill: {license: MIT}\n", "Run scripts/run.sh\n")
	b.setFile("fill_forms", "scripts/run.sh", "#!/bin/sh\n")
	b.create("go_rule", "globs: ['**/*.go']\n", "Handle errors.\n")
	return b
}

func (b *bench) version() string {
	b.t.Helper()
	_, rest, _ := strings.Cut(b.read("plugin.json"), `"version": "`)
	version, _, _ := strings.Cut(rest, `"`)
	return version
}

// A plugin has what pull promises for other files: a second pull changes nothing, what was
// changed by hand stops it, and what no ruleset makes any more goes, with its folder.
func TestPluginIsPulled(t *testing.T) {
	b := newPluginBench(t, "name: acme, claude: true, server: 'https://rules.example.com/mcp'")
	b.mustPull()
	for file, want := range map[string]string{
		"plugin.json":                      `"name": "acme"`,
		"mcp.json":                         `"type": "streamable-http"`,
		".mcp.json":                        `"type": "http"`,
		".claude-plugin/plugin.json":       `"version": "1.0.3"`,
		"skills/fill-forms/SKILL.md":       "---\nname: fill-forms\ndescription: About fill_forms\nlicense: MIT\n---\n\nRun scripts/run.sh\n",
		"skills/fill-forms/scripts/run.sh": "#!/bin/sh\n",
		"skills/go-rule/SKILL.md":          "---\nname: go-rule\ndescription: About go_rule\n---\n\nHandle errors.\n",
	} {
		if got := b.read(file); !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", file, got, want)
		}
	}
	b.checkIdempotent()

	b.write("plugin.json", strings.Replace(b.read("plugin.json"), "1.0.3", "7.0.0", 1))
	b.write("skills/mine/SKILL.md", "mine")
	b.update("go_rule", "Wrap errors.\n")
	_, err := b.pull(Stop)
	if blocked, ok := errors.AsType[*BlockedError](err); !ok || len(blocked.Items) != 1 || blocked.Items[0].Path != "plugin.json" || b.version() != "7.0.0" {
		t.Fatalf("a changed plugin.json: %v", err)
	}
	if _, err := b.pull(Theirs); err != nil || b.version() != "1.0.4" {
		t.Errorf("version %s, %v", b.version(), err)
	}
	if err := ruleset.Delete(t.Context(), b.store, "fill_forms", ruleset.Removal{}); err != nil {
		t.Fatal(err)
	}
	b.mustPull()
	if _, err := os.Stat(filepath.Join(b.dir, "skills", "fill-forms")); !os.IsNotExist(err) {
		t.Errorf("the folder of a skill that is gone: %v", err)
	}
	if b.read("skills/mine/SKILL.md") != "mine" {
		t.Error("a skill of others was changed")
	}
}

// The version grows with each change: also where the sum of the revisions does not, and where
// a document alone changes.
func TestVersionOfPlugin(t *testing.T) {
	b := newPluginBench(t, "name: acme")
	b.mustPull()
	steps := []struct {
		want string
		do   func()
	}{
		{"1.0.3", func() {}},
		{"1.0.4", func() { b.update("go_rule", "Wrap errors.\n") }},
		{"1.0.5", func() {
			if err := ruleset.Delete(t.Context(), b.store, "fill_forms", ruleset.Removal{}); err != nil {
				t.Fatal(err)
			}
		}},
		{"1.0.5", func() {}},
		{"1.0.6", func() { b.write(SelectionFile, "targets: [plugin]\nplugin: {name: acme, server: none}\n") }},
		{"1.0.7", func() { b.write(SelectionFile, "targets: [plugin]\nplugin: {name: acme, description: Rules}\n") }},
		{"2.1.0", func() { b.write(SelectionFile, "targets: [plugin]\nplugin: {name: acme, version: 2.1.0}\n") }},
	}
	for i, step := range steps {
		step.do()
		b.mustPull()
		if got := b.version(); got != step.want {
			t.Errorf("step %d: version %s, want %s", i, got, step.want)
		}
		b.checkIdempotent()
	}
}

// What people change in the skills of a plugin goes back to the rulesets, which keep the
// form that they have elsewhere.
func TestPluginIsPushed(t *testing.T) {
	b := newPluginBench(t, "name: acme")
	imported, err := editors.Import(editors.PlaceOf(".claude/skills/PDF/SKILL.md"), []byte("---\nname: PDF Forms\ndescription: PDF # a comment\n---\ntext\n"))
	if err != nil {
		t.Fatal(err)
	}
	fresh, err := imported.Update(ruleset.Ruleset{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.source.Create(t.Context(), fresh, ""); err != nil {
		t.Fatal(err)
	}
	b.mustPull()
	edit := func(file, old, fresh string) { b.write(file, strings.Replace(b.read(file), old, fresh, 1)) }
	edit("skills/go-rule/SKILL.md", "Handle errors.", "Wrap errors.")
	edit("skills/fill-forms/SKILL.md", "license: MIT", "license: BSD")
	edit("skills/fill-forms/scripts/run.sh", "#!/bin/sh", "#!/bin/bash")
	edit("skills/pdf/SKILL.md", "text", "better text")
	pushed := b.push()
	if len(pushed.Left) > 0 || len(pushed.Updated) != 3 || fmt.Sprint(pushed.Files) != "[skills/fill-forms/scripts/run.sh]" {
		t.Fatalf("%+v", pushed)
	}
	for name, want := range map[ruleset.Name][2]string{
		"go_rule":    {"globs: ['**/*.go']\n", "Wrap errors.\n"},
		"fill_forms": {"license: BSD", "Run scripts/run.sh\n"},
		"pdf":        {"path: PDF", "better text\n"},
	} {
		r, err := b.source.Get(t.Context(), name, "")
		if err != nil || !strings.Contains(r.Extra, want[0]) || r.Markdown != want[1] {
			t.Errorf("%s: %q %q, %v", name, r.Extra, r.Markdown, err)
		}
	}
	b.mustPull()
	b.checkIdempotent()
	edit("skills/go-rule/SKILL.md", "name: go-rule", "name: other")
	edit("plugin.json", "acme", "other")
	if pushed := b.push(); len(pushed.Left) != 2 || len(pushed.Updated) != 0 {
		t.Errorf("%+v", pushed)
	}
}

// A pull of some of the rulesets leaves the documents as they are.
func TestNarrowedPlugin(t *testing.T) {
	b := newPluginBench(t, "name: acme")
	b.mustPull()
	b.update("go_rule", "Wrap errors.\n")
	p, err := Open(b.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	p.Selection.Select = []string{"go_*"}
	all, _, err := Select(t.Context(), b.source, p.Selection)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := p.Plan(all, nil)
	if err != nil || len(plan.Items) != 1 || plan.Items[0].Path != "skills/go-rule/SKILL.md" {
		t.Errorf("%+v, %v", plan.Items, err)
	}
}

// A plugin is no place for a key, and its name has a form.
func TestSettingsOfPlugins(t *testing.T) {
	for _, settings := range []string{
		"name: Acme", "name: a--b", "name: -a", "nam: acme", "name: [a]", "claude: maybe", "server: ftp://example.com",
		"server: 'https://key@example.com/mcp'", "server: 'https://example.com/mcp?key=1'", "server: 'https://example.com/mcp#key'", "server: 'http://example.com/mcp'",
	} {
		if _, err := ParseSelection([]byte("targets: [plugin]\nplugin: {" + settings + "}\n")); err == nil {
			t.Errorf("%s is accepted", settings)
		}
	}
	for _, settings := range []string{"name: a.b-c, claude: true", "server: none", "server: 'http://localhost:8080/mcp'", "server: 'http://[::1]:8080/mcp'"} {
		if _, err := ParseSelection([]byte("targets: [plugin]\nplugin: {" + settings + "}\n")); err != nil {
			t.Errorf("%s: %v", settings, err)
		}
	}
}

// SetPlugin changes the values that it is given, and keeps the comments of people.
func TestSetPlugin(t *testing.T) {
	b := newPluginBench(t, "name: acme")
	p, err := Open(b.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	before := b.read(SelectionFile)
	if err := p.SetPlugin(func(*Plugin) {}, nil); err != nil || b.read(SelectionFile) != before {
		t.Errorf("%v: %s", err, b.read(SelectionFile))
	}
	if err := p.SetPlugin(func(s *Plugin) { s.Claude = true }, []string{"go_*"}); err != nil {
		t.Fatal(err)
	}
	text := b.read(SelectionFile)
	s, err := ParseSelection([]byte(text))
	if err != nil || !strings.HasPrefix(text, "# mine\n") || s.Plugin != (Plugin{Name: "acme", Claude: true}) || fmt.Sprint(s.Select) != "[go_*]" {
		t.Errorf("%v: %s", err, text)
	}
}

// A project may have a folder named skills of its own, with rules for it.
func TestFolderNamedSkills(t *testing.T) {
	b := newPluginBench(t, "name: acme")
	b.write(SelectionFile, "targets: [plugin, agents]\nplugin: {name: acme}\n")
	b.write("skills/go-rule/main.go", "package main\n")
	b.create("for_skills", "globs: ['skills/go-rule/**']\ntargets: [agents]\n", "Be kind.\n")
	b.mustPull()
	b.checkIdempotent()
	if got := b.version(); got != "1.0.3" {
		t.Errorf("version %s", got)
	}
	b.write("skills/go-rule/AGENTS.md", strings.Replace(b.read("skills/go-rule/AGENTS.md"), "Be kind", "Be kinder", 1))
	if pushed := b.push(); len(pushed.Left) > 0 || len(pushed.Updated) != 1 || pushed.Updated[0].Name != "for_skills" {
		t.Errorf("%+v", pushed)
	}
}
