package project

import (
	"slices"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// pullAll pulls the files of the team and those of one person, and returns all warnings.
func (b *bench) pullAll() []string {
	b.t.Helper()
	team, plan := b.open()
	defer team.Close()
	all, _, err := Select(b.t.Context(), b.source, team.Selection)
	if err != nil {
		b.t.Fatal(err)
	}
	added, _, err := team.SelectPersonal(b.t.Context(), b.source, all)
	if err != nil {
		b.t.Fatal(err)
	}
	mine, err := team.PlanPersonal(plan, all, added)
	if err != nil {
		b.t.Fatal(err)
	}
	if _, err := team.Apply(plan, Stop); err != nil {
		b.t.Fatal(err)
	}
	if _, err := team.Personal().Apply(mine, Stop); err != nil {
		b.t.Fatal(err)
	}
	return append(plan.Warnings, mine.Warnings...)
}

// What one person adds is in files and in a lock of its own; the files of the team and
// their lock are the same bytes as without it.
func TestPersonal(t *testing.T) {
	b := newBench(t, "agents", "cursor")
	b.write(SelectionFile, "targets: [agents, cursor]\nselect: ['team_*']\n")
	b.create("team_style", "globs: '**/*.go'\n", "Use gofmt.\n")
	b.create("team_kind", "", "Be kind.\n")
	b.create("my_style", "globs: '**/*.go'\n", "Write less.\n")
	b.create("my_secret", "", "Nothing.\n")
	b.mustPull()
	before := b.files()

	b.write(LocalFile, "targets: [cline]\nselect: ['my_*', '!my_secret', '!team_kind']\n")
	warnings := strings.Join(b.pullAll(), "\n")
	after := b.files()
	for name, text := range before {
		if after[name] != text {
			t.Errorf("%s of the team became %q", name, after[name])
		}
	}
	want := []string{".clinerules/my-style.md", ".clinerules/team-style.md", ".cursor/rules/my-style.mdc"}
	var got []string
	for name := range after {
		if _, known := before[name]; !known && strings.Contains(name, "rules/") {
			got = append(got, name)
		}
	}
	if slices.Sort(got); !slices.Equal(got, want) {
		t.Errorf("personal files %q, want %q", got, want)
	}
	if strings.Contains(after[LockFile], "my_") || !strings.Contains(after[LocalLockFile], "my_style@1") || strings.Contains(after[LocalLockFile], "git to keep") {
		t.Errorf("locks:\n%s\n%s", after[LockFile], after[LocalLockFile])
	}
	for _, part := range []string{"[my_style] stays out of AGENTS.md", "team_kind stays in AGENTS.md"} {
		if !strings.Contains(warnings, part) {
			t.Errorf("warnings %q do not say %q", warnings, part)
		}
	}

	b.write(LocalFile, "")
	b.pullAll()
	for _, name := range want {
		if _, there := b.files()[name]; there {
			t.Errorf("%s is still there", name)
		}
	}
	if b.read(LockFile) != before[LockFile] {
		t.Errorf("the lock became %q", b.read(LockFile))
	}
}

// A ruleset that one person leaves out is removed only if git ignores the rule files, and
// the lock keeps it.
func TestPersonalExclusion(t *testing.T) {
	b := newBench(t, "cursor")
	b.create("kept", "", "K\n")
	b.create("noisy", "", "N\n")
	b.mustPull()
	b.write(LocalFile, "select: ['!noisy']\n")
	if warnings := strings.Join(b.pullAll(), "\n"); !strings.Contains(warnings, "noisy stays in .cursor/rules/noisy.mdc") || b.read(".cursor/rules/noisy.mdc") == "" {
		t.Errorf("git keeps the file: %q", warnings)
	}
	if _, err := b.ignore(true); err != nil {
		t.Fatal(err)
	}
	lock := b.read(LockFile)
	b.update("kept", "K2\n")
	for range 2 {
		b.pullAll()
		if _, there := b.files()[".cursor/rules/noisy.mdc"]; there {
			t.Error("the file that was left out is there")
		}
	}
	if got := b.read(LockFile); !strings.Contains(got, "noisy@1") || strings.Count(got, "\n") != strings.Count(lock, "\n") {
		t.Errorf("the lock became %q", got)
	}
	p, plan := b.open()
	for _, i := range plan.Items {
		if i.State != Clean {
			t.Errorf("%s is %s", i.Path, i.State)
		}
	}
	locked, err := Locked(t.Context(), b.source, p.Lock)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := p.Revert(locked, nil); err != nil || len(r.Written) > 0 {
		t.Errorf("revert wrote %v, %v", r.Written, err)
	}
	b.write(LocalFile, "")
	b.mustPull()
	if _, there := b.files()[".cursor/rules/noisy.mdc"]; !there {
		t.Error("the file that is not left out any more is missing")
	}
}

// A file that was changed here is not removed for being left out.
func TestPersonalExclusionOfEdit(t *testing.T) {
	b := newBench(t, "cursor")
	b.create("noisy", "", "N\n")
	if _, err := b.ignore(true); err != nil {
		t.Fatal(err)
	}
	b.edit(".cursor/rules/noisy.mdc", "N", "mine")
	b.write(LocalFile, "select: ['!noisy']\n")
	_, plan := b.open()
	if got := plan.Items[0].State; got != Drift {
		t.Errorf("the edited file is %s", got)
	}
}

// Git ignores what is personal, and other lines of the file stay.
func TestIgnorePersonal(t *testing.T) {
	b := newBench(t, "cursor")
	b.create("team", "", "T\n")
	b.create("my", "", "M\n")
	b.write(SelectionFile, "targets: [cursor]\nselect: [team]\n")
	b.write(LocalFile, "select: [my]\n")
	b.gitIgnores(t, LocalFile, false)
	b.pullAll()
	p, _ := b.open()
	if written, err := p.Personal().IgnorePersonal(); !written || err != nil {
		t.Fatal(written, err)
	}
	for path, want := range map[string]bool{LocalFile: true, LocalLockFile: true, ".cursor/rules/my.mdc": true, ".cursor/rules/team.mdc": false, LockFile: false} {
		b.gitIgnores(t, path, want)
	}
}

// Mistakes are told in words of the file.
func TestLocalMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"server: https://x.example\n": `.triptych.local.yaml: line 1: unknown key "server"; there are targets, select`,
		"target: [cursor]\n":          "did you mean targets?",
		"select: a\n":                 "select must be a list",
		"targets: [curser]\n":         "did you mean cursor?",
		"targets: [cursor\n":          ".triptych.local.yaml: line 1",
	} {
		if _, err := ParseLocal([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	if l, err := ParseLocal(nil); err != nil || l.adds(ruleset.Meta{Name: "x"}) || l.excludes("x") {
		t.Errorf("%+v, %v", l, err)
	}
}
