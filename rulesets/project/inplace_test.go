package project

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/rulesets/editors"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// imported stores the file of a project as import does.
func (b *bench) imported(file, text string) {
	b.t.Helper()
	b.write(file, text)
	rule, err := editors.Import(editors.PlaceOf(file), []byte(text))
	if err != nil {
		b.t.Fatal(err)
	}
	r, err := rule.Update(ruleset.Ruleset{})
	if err != nil {
		b.t.Fatal(err)
	}
	draft := ruleset.Draft{Name: r.Name, Description: r.Description, Markdown: r.Markdown, Extra: r.Extra}
	if _, err := ruleset.Create(b.t.Context(), b.store, draft); err != nil {
		b.t.Fatal(err)
	}
}

// A file such as AGENTS.md that was imported is its ruleset: its text is written once, for
// whatever clients, changes reach it in both directions, and other rules stand behind it.
func TestImportedFilesAreTheirRulesets(t *testing.T) {
	for _, targets := range [][]string{{"agents"}, {"agents", "cursor"}, {"claude", "copilot", "codex"}, {"cursor", "agents", "opencode"}} {
		for _, text := range []string{"# Root\n\nBe kind.\n", "\ufeff# Root\r\n\r\nBe kind.\r\n", "No end"} {
			b := newBench(t, targets...)
			b.imported("AGENTS.md", text)
			b.mustPull()
			if got := b.read("AGENTS.md"); got != text {
				t.Errorf("%v: %q became %q", targets, text, got)
			}
			if _, err := os.Stat(filepath.Join(b.dir, ".cursor")); err == nil {
				t.Errorf("%v: the text is in .cursor, too", targets)
			}
			b.update("agents", "# Root\n\nBe kinder.\n")
			b.mustPull()
			if got := b.read("AGENTS.md"); !strings.Contains(got, "Be kinder.") || strings.Contains(got, "Be kind.") || strings.Contains(got, "triptych:") {
				t.Errorf("%v: a change became %q", targets, got)
			}
		}
	}
}

func TestEditsOfImportedFilesArePushed(t *testing.T) {
	b := newBench(t, "agents")
	b.imported("AGENTS.md", "# Root\n")
	b.create("more", "", "More.\n")
	b.mustPull()
	got := b.read("AGENTS.md")
	if !strings.HasPrefix(got, "# Root\n\n<!-- triptych:begin -->\n<!-- triptych:rule more -->\nMore.\n") || strings.Count(got, "# Root") != 1 {
		t.Fatalf("%q", got)
	}
	b.write("AGENTS.md", strings.Replace(strings.Replace(got, "# Root", "# Root, edited", 1), "More.", "More, edited.", 1))
	b.push()
	for name, want := range map[ruleset.Name]string{"agents": "# Root, edited\n", "more": "More, edited.\n"} {
		if r, err := b.source.Get(t.Context(), name, ""); err != nil || r.Markdown != want {
			t.Errorf("%s is %q, %v", name, r.Markdown, err)
		}
	}
	b.mustPull()
	if states := b.states(); len(states) != 0 {
		t.Errorf("%v", states)
	}
}

// Links to one file are served by it, and a folder that is a link is written through, as
// long as it stays in the project.
func TestLinkedPairs(t *testing.T) {
	b := newBench(t, "agents", "claude", "claude-import", "copilot")
	b.imported("AGENTS.md", "# Root\n")
	b.create("tidy", "skill: true\n", "Tidy.\n")
	if err := errors.Join(
		os.Symlink("AGENTS.md", filepath.Join(b.dir, "CLAUDE.md")), os.MkdirAll(filepath.Join(b.dir, ".agents", "skills"), 0o755),
		os.Mkdir(filepath.Join(b.dir, ".claude"), 0o755), os.Symlink("../.agents/skills", filepath.Join(b.dir, ".claude", "skills")),
	); err != nil {
		t.Skip("no symbolic links:", err)
	}
	for range 2 {
		if report, err := b.pull(Stop); err != nil || len(report.Left) > 0 {
			t.Errorf("left %v, %v", report.Left, err)
		}
	}
	for _, link := range []string{"CLAUDE.md", ".claude/skills"} {
		if info, err := os.Lstat(filepath.Join(b.dir, link)); err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Errorf("%s is no link any more", link)
		}
	}
	if b.read("AGENTS.md") != "# Root\n" || !strings.Contains(b.read(".agents/skills/tidy/SKILL.md"), "Tidy.") {
		t.Error("the files are not those that the links lead to")
	}
	if _, err := os.Stat(filepath.Join(b.dir, ".claude", "rules")); err == nil {
		t.Error("Claude Code gets the text twice")
	}
}

// A file of others or with damaged marks stops only itself.
func TestOneFileStopsOnlyItself(t *testing.T) {
	b := newBench(t, "cursor", "gemini", "kiro")
	b.create("a", "", "A.\n")
	b.write(".cursor/rules/a.mdc", "Mine.\n")
	b.write("GEMINI.md", "<!-- triptych:begin -->\nno end\n")
	report, err := b.pull(Stop)
	if err != nil || len(report.Left) != 2 || b.read(".kiro/steering/a.md") == "" {
		t.Errorf("%v, left %v", err, report.Left)
	}
	if b.read(".cursor/rules/a.mdc") != "Mine.\n" || b.read("GEMINI.md") != "<!-- triptych:begin -->\nno end\n" {
		t.Error("a file of others was changed")
	}
}

// A store that does not have what the lock names is another one, also if it has a ruleset
// of the same name.
func TestOtherStores(t *testing.T) {
	for name, tc := range map[string]struct {
		prepare func(own *bench)
		other   bool
	}{
		"other names":       {func(own *bench) { own.create("mine", "", "Mine.\n") }, true},
		"the same name":     {func(own *bench) { own.create("a", "", "Mine.\n") }, true},
		"a copy":            {func(own *bench) { own.create("a", "", "A.\n") }, false},
		"a copy, goes on":   {func(own *bench) { own.create("a", "", "A.\n"); own.update("a", "B.\n") }, false},
		"nothing to remove": {func(*bench) {}, false}, // told by another error
	} {
		b := newBench(t, "cursor", "gemini")
		b.create("a", "", "A.\n")
		b.mustPull()
		own := newBench(t, "cursor", "gemini")
		tc.prepare(own)
		p, err := Open(b.dir)
		if err != nil {
			t.Fatal(err)
		}
		all, _, err := Select(t.Context(), own.source, p.Selection)
		if err != nil {
			t.Fatal(err)
		}
		p.Selection.Targets = []string{"cursor", "gemini"}
		plan, err := p.Plan(all, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, other := errors.AsType[*OtherStoreError](p.CheckStore(t.Context(), own.source, plan))
		if other != tc.other {
			t.Errorf("%s: other store %v", name, other)
		}
		p.Close()
	}
}

// Where AGENTS.md is the link, the rules for those who read it go into the file behind it. What
// is written through a folder that is a link stays as it is with the next pull.
func TestLinksTheOtherWayRound(t *testing.T) {
	b := newBench(t, "agents", "claude", "copilot")
	b.imported("CLAUDE.md", "# Project\n")
	b.write("sub/CLAUDE.md", "# Sub\n")
	b.write(".claude/skills/x/SKILL.md", "---\nname: x\n---\nX\n")
	for link, to := range map[string]string{"AGENTS.md": "CLAUDE.md", "sub/AGENTS.md": "../CLAUDE.md", ".agents": ".claude", ".github": ".claude"} {
		if err := os.Symlink(to, filepath.Join(b.dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	b.create("more", "", "More.\n")
	b.create("below", "globs: [sub/**]\n", "Below.\n")
	b.create("tidy", "skill: {}\n", "Tidy.\n")
	b.create("go", "globs: ['*.go']\n", "Go.\n")
	var first map[string]string
	for range 3 {
		b.mustPull()
		if files := b.files(); first == nil {
			first = files
		} else if diff := cmp.Diff(first, files); diff != "" {
			t.Errorf("another pull changes files:\n%s", diff)
		}
	}
	if got := b.read("CLAUDE.md"); !strings.HasPrefix(got, "# Project\n") || !strings.Contains(got, "More.") {
		t.Errorf("CLAUDE.md is %q", got)
	}
	if got := b.read("sub/CLAUDE.md"); got != "# Sub\n" {
		t.Errorf("sub/CLAUDE.md is %q", got)
	}
	for _, link := range []string{"AGENTS.md", "sub/AGENTS.md", ".agents", ".github"} {
		if info, err := os.Lstat(filepath.Join(b.dir, link)); err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Errorf("%s is no link any more: %v", link, err)
		}
	}
}

// A store that shares some rulesets with the one that a project was pulled from is another
// one if it never had the others, whose files would be removed. Deleted ones have a history.
func TestStoresThatShareRulesets(t *testing.T) {
	b := newBench(t, "cursor")
	own := newBench(t, "cursor")
	for _, name := range []string{"a", "b", "c"} {
		b.create(name, "", name+".\n")
	}
	b.mustPull()
	own.create("a", "", "a.\n")
	check := func(source Source) error {
		p, _ := b.open()
		all, _, err := Select(t.Context(), source, p.Selection)
		if err != nil {
			t.Fatal(err)
		}
		plan, err := p.Plan(all, nil)
		if err != nil {
			t.Fatal(err)
		}
		return p.CheckStore(t.Context(), source, plan)
	}
	if other, ok := errors.AsType[*OtherStoreError](check(own.source)); !ok || other.Removed != 2 {
		t.Errorf("another store: %v", other)
	}
	b.delete("b")
	b.delete("c")
	if err := check(b.source); err != nil {
		t.Errorf("the same store: %v", err)
	}
}

// A block whose end is lost says nothing of the store: the mark is told, not another store.
func TestDamagedBlockIsOfThisStore(t *testing.T) {
	b := newBench(t, "agents")
	b.create("a", "", "A.\n")
	if err := os.WriteFile(filepath.Join(b.dir, "AGENTS.md"), []byte("Mine.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	b.mustPull()
	path := filepath.Join(b.dir, "AGENTS.md")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	whole, _, found := strings.Cut(string(text), "<!-- triptych:end")
	if !found {
		t.Fatalf("no block in %q", text)
	}
	if err := os.WriteFile(path, []byte(whole), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := Open(b.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	all, _, err := Select(t.Context(), b.source, p.Selection)
	if err != nil {
		t.Fatal(err)
	}
	p.Selection.Targets = []string{"agents"}
	plan, err := p.Plan(all, nil)
	if err != nil || len(plan.Items) != 1 || plan.Items[0].Err == nil {
		t.Fatalf("%+v, %v", plan, err)
	}
	if err := p.CheckStore(t.Context(), b.source, plan); err != nil {
		t.Error(err)
	}
}

// A client that reads AGENTS.md beside its own folder loads a rule once: AGENTS.md does not
// get the rules that the project had in files of that client's, in this pull and the next,
// unless another client that has AGENTS.md alone is named. Elsewhere both are written.
func TestRulesStayAtHome(t *testing.T) {
	files := map[string]string{
		"AGENTS.md":                    "# Root\n",
		".cursor/rules/always.mdc":     "---\nalwaysApply: true\n---\nAlways.\n",
		".cursor/rules/go.mdc":         "---\nglobs: *.go\nalwaysApply: false\n---\nGo.\n",
		"web/.cursor/rules/w.mdc":      "---\nalwaysApply: true\n---\nWeb.\n",
		".cursor/skills/tidy/SKILL.md": "---\nname: tidy\ndescription: Tidies\n---\nTidy.\n",
	}
	b := newBench(t, "agents", "cursor")
	for file, text := range files {
		b.imported(file, text)
	}
	for range 2 {
		b.mustPull()
		for file, text := range files {
			if got := b.read(file); got != text {
				t.Errorf("%s became %q", file, got)
			}
		}
		p, plan := b.open()
		p.Close()
		if len(plan.Warnings) > 0 || len(plan.Items) != len(files) {
			t.Errorf("%q, %d files", plan.Warnings, len(plan.Items))
		}
	}
	b.write(SelectionFile, "targets: [codex, cursor]\n")
	b.mustPull()
	if got := b.read("AGENTS.md"); !strings.Contains(got, "Go.") || !strings.Contains(got, "Always.") {
		t.Errorf("Codex gets %q", got)
	}

	b = newBench(t, "agents", "cursor")
	for file, text := range files {
		b.imported(file, text)
	}
	if err := os.RemoveAll(filepath.Join(b.dir, ".cursor")); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		b.mustPull()
		if got := b.read("AGENTS.md"); !strings.Contains(got, "Go.") || b.read(".cursor/rules/go.mdc") != files[".cursor/rules/go.mdc"] {
			t.Errorf("elsewhere AGENTS.md is %q", got)
		}
	}
}

// A project uses the clients that have folders of their own in it, also below the
// root, but not in examples and test data.
func TestUsedTargets(t *testing.T) {
	for want, files := range map[string][]string{
		"agents":                 {"README.md"},
		"agents,cursor":          {"AGENTS.md", "web/.cursor/rules/a.mdc"},
		"claude":                 {"packages/a/.claude/rules/a.md", "examples/x/.cursor/rules/a.mdc", "node_modules/x/.clinerules/a.md", "tests/fixtures/.kiro/steering/a.md"},
		"devin,opencode":         {".windsurf/rules/a.md", ".opencode/command/a.md"},
		"copilot,gemini":         {".github/copilot-instructions.md", "GEMINI.md", ".github/workflows/ci.yml"},
		"agents,claude,devin":    {"AGENTS.md", "CLAUDE.md", "a/b/.windsurf/rules/a.md"},
		"cursor,cline,kiro,qwen": {".cursorrules", ".clinerules/a.md", ".kiro/steering/a.md", ".qwen/commands/a.md"},
	} {
		b := newBench(t, "agents")
		for _, file := range files {
			b.write(file, "Text\n")
		}
		p, _ := b.open()
		if got := strings.Join(p.UsedTargets(), ","); got != want {
			t.Errorf("%v: %s, want %s", files, got, want)
		}
		p.Close()
	}
}

// Files of one name in the folders of several clients are rulesets of their own, each of which
// stays in its file, whatever its name is; another client gets both.
func TestFilesOfOneName(t *testing.T) {
	files := map[string]string{
		".claude/rules/api.md":         "Claude.\n",
		".cursor/rules/api.mdc":        "---\ndescription: A\nglobs: src/**\nalwaysApply: false\n---\n\nCursor.\n",
		".kiro/steering/api.md":        "---\ninclusion: always\n---\n\nKiro.\n",
		".claude/commands/api.md":      "Do.\n",
		".cursor/commands/api.md":      "Do it.\n",
		".claude/skills/api/SKILL.md":  "---\nname: api\ndescription: S\n---\nS.\n",
		".cursor/skills/api2/SKILL.md": "---\nname: api\ndescription: S\n---\nS2.\n",
	}
	b := newBench(t, "claude", "cursor", "kiro", "cline")
	for file, text := range files {
		b.write(file, text)
	}
	p, _ := b.open()
	for file, text := range files {
		if _, err := p.adoptOwn(t.Context(), b.source, file, []byte(text)); err != nil {
			t.Fatal(file, err)
		}
	}
	_, plan := b.open()
	for _, i := range plan.Items {
		if text, known := files[i.Path]; known && string(i.Content) != text || i.State == Foreign {
			t.Errorf("%s is %s: %q", i.Path, i.State, i.Content)
		}
	}
	for range 2 {
		b.mustPull()
	}
	for file, text := range files {
		if got := b.read(file); got != text {
			t.Errorf("%s became %q", file, got)
		}
	}
	rules := 0
	for file := range b.files() {
		if strings.HasPrefix(file, ".clinerules/") && !strings.Contains(file, "workflows") {
			rules++
		}
	}
	if rules != 3 {
		t.Errorf("Cline has %d rules", rules)
	}
}
