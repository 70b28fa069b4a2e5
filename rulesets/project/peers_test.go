package project

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// peerBugs are bugs of other programs that lost files or text of their users, named
// by their issues: what the user did, and what must be there afterwards.
var peerBugs = []struct {
	issue, story string
	run          func(t *testing.T)
}{
	{"intellectronica/ruler#487", "text around the block outlives changes and the end of all rules", func(t *testing.T) {
		b := newBench(t, "agents", "claude-import")
		b.create("a", "", "A\n")
		b.write("AGENTS.md", "# Mine\n")
		b.write("CLAUDE.md", "# Mine, too\n")
		b.mustPull()
		b.update("a", "B\n")
		b.mustPull()
		b.delete("a")
		b.write(SelectionFile, "targets: [agents]\n")
		b.mustPull()
		b.want(map[string]string{"AGENTS.md": "# Mine\n", "CLAUDE.md": "# Mine, too\n"})
	}},
	{"intellectronica/ruler#489", "revert removes no file of the user", func(t *testing.T) {
		b := newBench(t, "claude")
		b.create("a", "", "A\n")
		b.mustPull()
		b.write("CLAUDE.md", "# Mine\n")
		b.write(".claude/rules/mine.md", "Mine\n")
		p, _ := b.open()
		locked, err := Locked(t.Context(), b.source, p.Lock)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Revert(locked, nil); err != nil {
			t.Error(err)
		}
		if _, err := p.Revert(locked, []string{".claude/rules/mine.md"}); err == nil {
			t.Error("a file that was not written was reverted")
		}
		b.want(map[string]string{"CLAUDE.md": "# Mine\n", ".claude/rules/mine.md": "Mine\n", ".claude/rules/a.md": "A\n"})
	}},
	{"intellectronica/ruler#527", "a pull for one client leaves the files of the others", func(t *testing.T) {
		b := newBench(t, "claude", "cursor")
		b.create("a", "", "A\n")
		b.mustPull()
		before := b.files()
		b.delete("a")
		b.create("b", "", "B\n")
		p, _ := b.open()
		all, _, err := Select(t.Context(), b.source, p.Selection)
		if err != nil {
			t.Fatal(err)
		}
		plan, err := p.Plan(all, []string{"claude"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Apply(plan, Stop); err != nil {
			t.Fatal(err)
		}
		b.want(map[string]string{".cursor/rules/a.mdc": before[".cursor/rules/a.mdc"], ".claude/rules/b.md": "B\n"})
	}},
	{"intellectronica/ruler#686", "a first run replaces no file of the same name", func(t *testing.T) {
		b := newBench(t, "claude")
		b.create("reviewer", "", "Theirs\n")
		b.write(".claude/rules/reviewer.md", "Mine\n")
		for _, choice := range []Choice{Stop, Ours, Theirs} {
			_, _ = b.pull(choice) // Stop refuses, the others leave the file
			b.want(map[string]string{".claude/rules/reviewer.md": "Mine\n"})
		}
	}},
	{"dyoshikawa/rulesync#2775", "clients that share a folder leave each other's files", func(t *testing.T) {
		for _, targets := range [][]string{{"copilot", "vscode"}, {"vscode", "copilot"}} {
			b := newBench(t, targets...)
			b.create("one", "targets: [copilot]\n", "A\n")
			b.create("two", "targets: [vscode]\n", "B\n")
			b.mustPull()
			b.checkIdempotent()
			b.read(".github/instructions/one.instructions.md")
			b.read(".github/instructions/two.instructions.md")
		}
	}},
	{"dyoshikawa/rulesync#2867", "a file that a skill loses is removed, alone and by name", func(t *testing.T) {
		b := newSkillBench(t, "claude")
		b.create("a", "skill: {}\n", "A\n")
		b.setFile("a", "references/one.md", "1\n")
		b.setFile("a", "references/two.md", "2\n")
		b.mustPull()
		b.write(".claude/skills/a/references/mine.md", "Mine\n")
		b.setFile("a", "references/two.md", "")
		report, err := b.pull(Stop)
		if err != nil || !slices.Equal(report.Removed, []string{".claude/skills/a/references/two.md"}) {
			t.Errorf("%+v, %v", report, err)
		}
		b.want(map[string]string{".claude/skills/a/references/one.md": "1\n", ".claude/skills/a/references/mine.md": "Mine\n"})
	}},
	{"gurenjs/guren#535", "rules of the project's own in a folder of rules are no leftovers", func(t *testing.T) {
		b := newBench(t, "claude")
		b.create("a", "", "A\n")
		b.mustPull()
		b.write(".claude/rules/my-layering.md", "Mine\n")
		b.delete("a")
		if _, err := b.pull(Theirs); err != nil {
			t.Fatal(err)
		}
		b.want(map[string]string{".claude/rules/my-layering.md": "Mine\n"})
	}},
	{"Tencent/teamai-cli#349", "a body that is edited for one client does not lose the globs for all", func(t *testing.T) {
		b := newBench(t, "cursor", "claude")
		const extra = "globs: [\"**/*.ts\"] # ours\n"
		b.create("a", extra, "One\n")
		b.mustPull()
		b.edit(".cursor/rules/a.mdc", "One", "Two")
		b.push()
		got, err := b.store.Get(t.Context(), "a")
		if err != nil || got.Extra != extra || got.Markdown != "Two\n" {
			t.Errorf("%+v, %v", got, err)
		}
	}},
	{"Tencent/teamai-cli#349", "a copy that is only old is not pushed over a newer rule", func(t *testing.T) {
		b := newBench(t, "cursor")
		b.create("a", "", "One\n")
		b.mustPull()
		b.update("a", "Two\n")
		if pushed := b.push(); len(pushed.Updated)+len(pushed.Left) > 0 {
			t.Errorf("%+v", pushed)
		}
	}},
	{"Tencent/teamai-cli#597", "only what was written is counted", func(t *testing.T) {
		b := newBench(t, "cursor", "claude")
		b.create("a", "", "One\n")
		b.write(".claude/rules/a.md", "Mine\n")
		report, err := b.pull(Ours)
		if err != nil || !slices.Equal(report.Written, []string{".cursor/rules/a.mdc"}) || len(report.Left) != 1 {
			t.Errorf("%+v, %v", report, err)
		}
	}},
	{"vercel-labs/skills#954", "a check changes nothing", func(t *testing.T) {
		b := newSkillBench(t, "claude", "agents")
		b.create("a", "skill: {}\n", "A\n")
		b.create("b", "", "B\n")
		b.setFile("a", "x.md", "1\n")
		before := b.files()
		b.states()
		if diff := cmp.Diff(before, b.files()); diff != "" {
			t.Error(diff)
		}
	}},
	{"Chemaclass/agnostic-ai#138", "front matter that was there outlives a change of the body", func(t *testing.T) {
		b := newBench(t, "claude")
		b.write(".claude/rules/mine.md", "---\npaths: [\"a/**\"]  # mine\nowner: me\n---\nOne\n")
		p, _ := b.open()
		if adopted, err := p.Adopt(t.Context(), b.source, []string{".claude/rules/mine.md"}); err != nil || adopted[0].Err != nil {
			t.Fatal(adopted, err)
		}
		b.update("mine", "Two\n")
		b.mustPull()
		b.want(map[string]string{".claude/rules/mine.md": "---\npaths: [\"a/**\"]  # mine\nowner: me\n---\nTwo\n"})
	}},
	{"dyoshikawa/rulesync#3123", "a link leads no write and no removal out of the project", func(t *testing.T) {
		if runtime.GOOS == "windows" {
			t.Skip("links need a privilege here")
		}
		b := newSkillBench(t, "claude")
		b.create("a", "skill: {}\n", "A\n")
		b.setFile("a", "x.md", "1\n")
		b.mustPull()
		outside := t.TempDir()
		skill := filepath.Join(b.dir, ".claude/skills/a")
		if err := errors.Join(os.Rename(skill, filepath.Join(outside, "a")), os.Symlink(filepath.Join(outside, "a"), skill)); err != nil {
			t.Fatal(err)
		}
		b.setFile("a", "x.md", "")
		_, _ = b.pull(Theirs) // it may refuse
		if text, err := os.ReadFile(filepath.Join(outside, "a/x.md")); err != nil || string(text) != "1\n" {
			t.Errorf("%q, %v", text, err)
		}
	}},
}

func TestBugsOfPeers(t *testing.T) {
	for _, bug := range peerBugs {
		t.Run(strings.ReplaceAll(bug.issue, "/", " ")+": "+bug.story, bug.run)
	}
}

func (b *bench) delete(name string) {
	b.t.Helper()
	if err := ruleset.Delete(b.t.Context(), b.store, ruleset.Name(name), ruleset.Removal{}); err != nil {
		b.t.Fatal(err)
	}
}

// edit replaces a text in a file.
func (b *bench) edit(name, old, text string) {
	b.t.Helper()
	b.write(name, strings.Replace(b.read(name), old, text, 1))
}

// want compares some files of the project.
func (b *bench) want(files map[string]string) {
	b.t.Helper()
	have := b.files()
	for name, text := range files {
		if have[name] != text {
			b.t.Errorf("%s is %q, want %q", name, have[name], text)
		}
	}
}
