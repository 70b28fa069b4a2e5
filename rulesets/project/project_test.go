package project

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/rulesets/editors"
	"github.com/triptych-mcp/triptych/rulesets/internal/memstore"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// A bench is a project in a folder of its own and a store in memory.
type bench struct {
	t      *testing.T
	dir    string
	store  ruleset.Store
	source Source
}

func newBench(t *testing.T, targets ...string) *bench {
	t.Helper()
	store := memstore.New(time.Now)
	b := &bench{t: t, dir: t.TempDir(), store: store, source: FromStore(store, ruleset.By{Author: "local"})}
	text, err := Selection{Targets: targets}.Text()
	if err != nil {
		t.Fatal(err)
	}
	b.write(SelectionFile, string(text))
	return b
}

func (b *bench) write(name, text string) {
	b.t.Helper()
	path := filepath.Join(b.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) read(name string) string {
	b.t.Helper()
	data, err := os.ReadFile(filepath.Join(b.dir, filepath.FromSlash(name)))
	if err != nil {
		b.t.Fatal(err)
	}
	return string(data)
}

func (b *bench) create(name, extra, markdown string) {
	b.t.Helper()
	_, err := ruleset.Create(b.t.Context(), b.store, ruleset.Draft{Name: ruleset.Name(name), Description: "About " + name, Extra: extra, Markdown: markdown})
	if err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) update(name, markdown string) {
	b.t.Helper()
	if _, err := ruleset.Update(b.t.Context(), b.store, ruleset.Name(name), ruleset.Patch{Markdown: &markdown}); err != nil {
		b.t.Fatal(err)
	}
}

// open opens the project and plans it with the rulesets of the store.
func (b *bench) open() (*Project, Plan) {
	b.t.Helper()
	p, err := Open(b.dir)
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(p.Close)
	all, _, err := Select(context.WithoutCancel(b.t.Context()), b.source, p.Selection)
	if err != nil {
		b.t.Fatal(err)
	}
	plan, err := p.Plan(all, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	return p, plan
}

func (b *bench) pull(choice Choice) (Report, error) {
	b.t.Helper()
	p, plan := b.open()
	defer p.Close()
	return p.Apply(plan, choice)
}

func (b *bench) mustPull() {
	b.t.Helper()
	if _, err := b.pull(Stop); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) push() Pushed {
	b.t.Helper()
	p, plan := b.open()
	defer p.Close()
	pushed, err := p.Push(b.t.Context(), b.source, plan, "")
	if err != nil {
		b.t.Fatal(err)
	}
	return pushed
}

// states returns the states of the files that are not clean.
func (b *bench) states() map[string]State {
	b.t.Helper()
	_, plan := b.open()
	states := map[string]State{}
	for _, i := range plan.Items {
		if i.Err != nil {
			states[i.Path] = State(i.Err.Error())
		} else if i.State != Clean {
			states[i.Path] = i.State
		}
	}
	return states
}

// files returns all files of the project with their content.
func (b *bench) files() map[string]string {
	b.t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(b.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		rel, err := filepath.Rel(b.dir, path)
		files[filepath.ToSlash(rel)] = b.read(filepath.ToSlash(rel))
		return err
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return files
}

// Each of the nine states, as the three hashes define them.
func TestStates(t *testing.T) {
	b := newBench(t, "cursor", "agents")
	for _, name := range []string{"clean", "pending", "drift", "converged", "conflict", "orphan", "orphaned", "gone", "block"} {
		b.create(name, "targets: [cursor]\n", name+" 1\n")
	}
	b.mustPull()
	edit := func(name, old, text string) {
		path := ".cursor/rules/" + name + ".mdc"
		b.write(path, strings.Replace(b.read(path), old, text, 1))
	}
	for _, name := range []string{"pending", "converged", "conflict"} {
		b.update(name, name+" 2\n")
	}
	edit("drift", "drift 1", "drift 2")
	edit("converged", "converged 1", "converged 2")
	edit("conflict", "conflict 1", "conflict 3")
	edit("orphaned", "orphaned 1", "orphaned 2")
	if err := os.Remove(filepath.Join(b.dir, ".cursor/rules/gone.mdc")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"orphan", "orphaned"} {
		if err := ruleset.Delete(t.Context(), b.store, ruleset.Name(name), ruleset.Removal{}); err != nil {
			t.Fatal(err)
		}
	}
	b.create("new", "targets: [cursor]\n", "new\n")
	b.create("foreign", "targets: [cursor]\n", "foreign\n")
	b.write(".cursor/rules/foreign.mdc", "theirs\n")
	want := map[string]State{
		".cursor/rules/pending.mdc": Pending, ".cursor/rules/drift.mdc": Drift, ".cursor/rules/converged.mdc": Converged,
		".cursor/rules/conflict.mdc": Conflict, ".cursor/rules/orphan.mdc": Orphan, ".cursor/rules/orphaned.mdc": OrphanDrifted,
		".cursor/rules/new.mdc": New, ".cursor/rules/foreign.mdc": Foreign, ".cursor/rules/gone.mdc": Drift,
	}
	if diff := cmp.Diff(want, b.states()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}

	before := b.files()
	if _, err := b.pull(Stop); err == nil {
		t.Error("a pull with edits did not stop")
	}
	if diff := cmp.Diff(before, b.files()); diff != "" {
		t.Errorf("a pull that stopped wrote:\n%s", diff)
	}
	if report, err := b.pull(Ours); err != nil || len(report.Left) != 5 {
		t.Errorf("%v, left %v", err, report.Left)
	}
	if diff := cmp.Diff(map[string]State{
		".cursor/rules/drift.mdc": Drift, ".cursor/rules/conflict.mdc": Conflict, ".cursor/rules/orphaned.mdc": OrphanDrifted,
		".cursor/rules/foreign.mdc": Foreign, ".cursor/rules/gone.mdc": Drift,
	}, b.states()); diff != "" {
		t.Errorf("after --ours, -want +got:\n%s", diff)
	}
	if _, err := b.pull(Theirs); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]State{".cursor/rules/foreign.mdc": Foreign}, b.states()); diff != "" {
		t.Errorf("after --theirs, -want +got:\n%s", diff)
	}
	if got := b.read(".cursor/rules/foreign.mdc"); got != "theirs\n" {
		t.Errorf("a foreign file became %q", got)
	}
}

// A shared file keeps its bytes around the block, its mode and its line ends, and is
// removed with the block only if it has nothing else.
func TestSharedFiles(t *testing.T) {
	b := newBench(t, "agents")
	b.create("a", "", "A\n")
	ours := "\ufeff# Ours\r\n\r\ntext without an end"
	b.write("AGENTS.md", ours)
	path := filepath.Join(b.dir, "AGENTS.md")
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	b.mustPull()
	got := b.read("AGENTS.md")
	if !strings.HasPrefix(got, ours) || strings.Contains(strings.ReplaceAll(got, "\r\n", ""), "\n") {
		t.Errorf("%q", got)
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	b.write("AGENTS.md", strings.Replace(got, "# Ours", "# Still ours", 1))
	if states := b.states(); len(states) != 0 {
		t.Errorf("a change outside of the block: %v", states)
	}
	if err := ruleset.Delete(t.Context(), b.store, "a", ruleset.Removal{}); err != nil {
		t.Fatal(err)
	}
	b.mustPull()
	if got := b.read("AGENTS.md"); got != strings.Replace(ours, "# Ours", "# Still ours", 1) {
		t.Errorf("without rules it is %q", got)
	}
	b.create("c", "", "C\n")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	b.mustPull()
	if err := ruleset.Delete(t.Context(), b.store, "c", ruleset.Removal{}); err != nil {
		t.Fatal(err)
	}
	b.mustPull()
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an empty AGENTS.md stays: %v", err)
	}
}

// A checkout of git may change all line ends.
// A process that dies while it writes leaves new files beside the old ones. The next
// pull removes them, even if there is nothing else to do.
func TestPullRemovesWhatInterruptedWritesLeft(t *testing.T) {
	b := newBench(t, "agents")
	b.create("go", "", "Use gofmt.\n")
	b.mustPull()
	want := b.files()
	b.write(tempOf(LockFile), "triptych-lo")
	b.write(tempOf(SelectionFile), "")
	b.mustPull()
	if diff := cmp.Diff(want, b.files()); diff != "" {
		t.Errorf("after the second pull (-first +second):\n%s", diff)
	}
}

func TestLineEndsAreNoEdit(t *testing.T) {
	b := newBench(t, "gemini", "cursor")
	b.create("a", "", "A\n\nB\n")
	b.mustPull()
	for _, name := range []string{"GEMINI.md", ".cursor/rules/a.mdc", LockFile} {
		b.write(name, strings.ReplaceAll(b.read(name), "\n", "\r\n"))
	}
	if states := b.states(); len(states) != 0 {
		t.Errorf("%v", states)
	}
}

// Links are not followed, neither files nor folders, and nothing leaves the project.
func TestLinks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege here")
	}
	elsewhere := t.TempDir()
	b := newBench(t, "cursor", "gemini", "claude")
	b.create("a", "", "A\n")
	outside := filepath.Join(elsewhere, "GEMINI.md")
	if err := errors.Join(
		os.WriteFile(outside, []byte("theirs\n"), 0o644),
		os.Symlink(elsewhere, filepath.Join(b.dir, ".cursor")),
		os.Symlink(outside, filepath.Join(b.dir, "GEMINI.md")),
	); err != nil {
		t.Fatal(err)
	}
	want := map[string]State{
		".cursor/rules/a.mdc": ".cursor is a symbolic link, which is not followed",
		"GEMINI.md":           "GEMINI.md is a symbolic link, which is not followed",
		".claude/rules/a.md":  New,
	}
	if diff := cmp.Diff(want, b.states()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for _, choice := range []Choice{Stop, Ours, Theirs} {
		report, err := b.pull(choice)
		if err != nil || len(report.Left) != 2 {
			t.Errorf("choice %d: %v, left %v", choice, err, report.Left)
		}
	}
	entries, err := os.ReadDir(elsewhere)
	if text, readErr := os.ReadFile(outside); err != nil || readErr != nil || len(entries) != 1 || string(text) != "theirs\n" {
		t.Errorf("the folder behind the link has %v, %q", entries, text)
	}
	if b.read(".claude/rules/a.md") != "A\n" {
		t.Error("the other file was not written")
	}
}

// A path in a ruleset or in a lock cannot leave the project.
func TestPathsStayInside(t *testing.T) {
	b := newBench(t, "cursor")
	b.create("a", "extra: {cursor: {triptych: {path: ../../../a.mdc}}}\n", "A\n")
	b.mustPull()
	b.read(".cursor/rules/a.mdc")
	b.write(LockFile, lockHead+"file "+strings.Repeat("0", 64)+" ../outside.md a@1\n")
	p, err := Open(b.dir)
	if err == nil {
		defer p.Close()
		var plan Plan
		if plan, err = p.Plan(Set{}, nil); err == nil {
			for _, i := range plan.Items {
				if i.Err == nil {
					t.Errorf("%s has the state %s", i.Path, i.State)
				}
			}
		}
	}
}

// A project that cannot be written is left as it was, with an error.
func TestReadOnly(t *testing.T) {
	if os.Getuid() == 0 || runtime.GOOS == "windows" {
		t.Skip("no folder is read-only for this user")
	}
	b := newBench(t, "cursor")
	b.create("a", "", "A\n")
	if err := os.Chmod(b.dir, 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(b.dir, 0o755) }) // for the removal of the folder
	before := b.files()
	if _, err := b.pull(Stop); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("got %v", err)
	}
	if diff := cmp.Diff(before, b.files()); diff != "" {
		t.Error(diff)
	}
}

// An AGENTS.md of 33 KiB: Codex reads 32,768 bytes of it.
func TestBudgetNamesWhatFallsOff(t *testing.T) {
	b := newBench(t, "codex")
	b.write("AGENTS.md", strings.Repeat("x", 31*1024)+"\n")
	b.create("a", "order: 1\n", strings.Repeat("a", 512)+"\n")
	b.create("b", "order: 2\n", strings.Repeat("b", 1024)+"\n")
	b.create("c", "order: 3\n", "last\n")
	if err := os.Mkdir(filepath.Join(b.dir, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	_, plan := b.open()
	want := fmt.Sprintf("codex: AGENTS.md: %d bytes in all, of which it reads 32768; the rest is cut, without a word; b is cut in the middle; lost: [c]",
		31*1024+1+1+len(plan.Items[0].Content))
	if diff := cmp.Diff([]string{want}, plan.Warnings); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// The budget of Codex is that of all files from the root to its working directory, also of
// those that triptych does not write.
func TestBudgetCountsFilesOfOthers(t *testing.T) {
	b := newBench(t, "codex")
	b.write("AGENTS.md", strings.Repeat("x", 20_000))
	for _, folder := range []string{"src/deep", "other", "node_modules/x", ".hidden", "small"} {
		b.write(folder+"/AGENTS.md", strings.Repeat("y", 12_800))
	}
	b.write("small/AGENTS.md", "short\n")
	b.write("src/AGENTS.override.md", "short\n")
	b.create("a", "", "Rule a\n")
	_, plan := b.open()
	root := 20_000 + 1 + len(plan.Items[0].Content)
	want := []string{
		fmt.Sprintf("codex: other/AGENTS.md: %d bytes in all, of which it reads 32768; the rest is cut, without a word", root+12_800),
		fmt.Sprintf("codex: src/deep/AGENTS.md: %d bytes in all, of which it reads 32768; the rest is cut, without a word", root+6+12_800),
	}
	if root+12_800 <= 32_768 {
		t.Fatalf("%d bytes are no test", root)
	}
	if diff := cmp.Diff(want, plan.Warnings); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestLockRoundTrip(t *testing.T) {
	sum := strings.Repeat("0123456789abcdef", 4)
	text := lockHead + lockComment + "file " + sum + " \"a b\\\"c.md\" x@1\nblock " + sum + " AGENTS.md a@1 b@22 was:-\n"
	l, err := ParseLock([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	again, err := ParseLock(l.Text())
	if diff := cmp.Diff(l, again); diff != "" || err != nil || len(l.Entries) != 2 {
		t.Errorf("%v\n%s", err, diff)
	}
	for _, bad := range []string{"", "triptych-lock 2\n", lockHead + "<<<<<<< HEAD\n", lockHead + "file x y\n", lockHead + "file " + sum + " a b\n"} {
		if _, err := ParseLock([]byte(bad)); err == nil {
			t.Errorf("%q is a lock", bad)
		}
	}
	for _, path := range []string{"/etc/passwd", "//", "../a", "a/../../b", "a/"} {
		line := "file " + sum + " " + path + " a@1"
		if _, err := ParseLock([]byte(lockHead + line + "\n")); err == nil || !strings.Contains(err.Error(), strconv.Quote(line)) {
			t.Errorf("%s: the error is %v, want one with the line", path, err)
		}
	}
}

// A selection of flags that is not the project's leaves the files of other rulesets.
func TestNarrowedSelectionHasNoOrphans(t *testing.T) {
	b := newBench(t, "cursor")
	b.create("go_style", "", "Go\n")
	b.create("python", "", "Python\n")
	b.mustPull()
	narrow := map[string]func(*Selection){
		"select": func(s *Selection) { s.Select = []string{"go_*"} },
		"label":  func(s *Selection) { s.Label = "production" },
	}
	for name, change := range narrow {
		p, _ := b.open()
		change(&p.Selection)
		all, _, err := Select(t.Context(), b.source, p.Selection)
		if err != nil {
			t.Fatal(err)
		}
		plan, err := p.Plan(all, nil)
		if err != nil {
			t.Fatal(err)
		}
		report, err := p.Apply(plan, Stop)
		if err != nil || len(all.Rulesets) > 1 || len(report.Removed) > 0 {
			t.Errorf("%s: %d rulesets, removed %v, %v", name, len(all.Rulesets), report.Removed, err)
		}
	}
	if err := ruleset.Delete(t.Context(), b.store, "python", ruleset.Removal{}); err != nil {
		t.Fatal(err)
	}
	if got := b.states()[".cursor/rules/python.mdc"]; got != Orphan {
		t.Errorf("with the project's selection it is %q, want an orphan", got)
	}
}

// narrowed plans the project with a selection of flags.
func (b *bench) narrowed(words ...string) (*Project, Plan) {
	b.t.Helper()
	p, _ := b.open()
	p.Selection.Select = words
	all, _, err := Select(b.t.Context(), b.source, p.Selection)
	if err != nil {
		b.t.Fatal(err)
	}
	plan, err := p.Plan(all, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	return p, plan
}

// A selection of flags changes its own rules in a block, and leaves the others in
// their places: a pull of everything has nothing to do then.
func TestNarrowedSelectionKeepsTheRestOfABlock(t *testing.T) {
	b := newBench(t, "agents")
	for _, name := range []string{"a", "c", "d"} {
		b.create(name, "", name+" 1\n")
	}
	b.mustPull()
	b.create("b", "", "b 1\n")
	b.update("c", "c 2\n")
	b.update("d", "d 2\n")
	p, plan := b.narrowed("b", "c")
	if _, err := p.Apply(plan, Stop); err != nil {
		t.Fatal(err)
	}
	text := b.read("AGENTS.md")
	at := 0
	for _, want := range []string{"a 1\n", "b 1\n", "c 2\n", "d 1\n"} {
		next := strings.Index(text[at:], want)
		if next < 0 {
			t.Fatalf("%q is missing, or not in its place:\n%s", want, text)
		}
		at += next
	}
	want := []editors.Part{{Name: "a", Rev: 1}, {Name: "b", Rev: 1}, {Name: "c", Rev: 2}, {Name: "d", Rev: 1}}
	if diff := cmp.Diff(want, p.Lock.Entries[0].Parts); diff != "" {
		t.Errorf("the lock, -want +got:\n%s", diff)
	}
	if states := b.states(); states["AGENTS.md"] != Pending {
		t.Errorf("with d at revision 2 it is %v", states)
	}
	p, plan = b.narrowed("d")
	if _, err := p.Apply(plan, Stop); err != nil || len(b.states()) > 0 {
		t.Errorf("%v, %v", err, b.states())
	}
}

// A block that was changed here is not replaced by a selection of flags: the change may
// be in a rule that is not selected.
func TestNarrowedSelectionLeavesAChangedBlock(t *testing.T) {
	b := newBench(t, "agents")
	b.create("a", "", "a 1\n")
	b.create("b", "", "b 1\n")
	b.mustPull()
	b.write("AGENTS.md", strings.Replace(b.read("AGENTS.md"), "b 1", "b edited", 1))
	for _, change := range []string{"a 1\n", "a 2\n"} {
		b.update("a", change)
		for _, choice := range []Choice{Stop, Ours, Theirs} {
			p, plan := b.narrowed("a")
			report, err := p.Apply(plan, choice)
			if (err != nil) != (choice == Stop) || len(report.Left) != 1 || !strings.Contains(b.read("AGENTS.md"), "b edited") {
				t.Errorf("choice %d: %+v, %v", choice, report, err)
			}
		}
	}
	p, plan := b.narrowed("a")
	if pushed, err := p.Push(t.Context(), b.source, plan, ""); err != nil || len(pushed.Updated) != 1 {
		t.Errorf("%+v, %v", pushed, err)
	}
	p, plan = b.narrowed("a")
	if _, err := p.Apply(plan, Stop); err != nil || !strings.Contains(b.read("AGENTS.md"), "a 2") || !strings.Contains(b.read("AGENTS.md"), "b edited") {
		t.Errorf("%v\n%s", err, b.read("AGENTS.md"))
	}
}

// A file that becomes a ruleset which the project does not select outlives pulls, and
// becomes the project's once the ruleset is selected.
func TestAdoptOfWhatIsNotSelected(t *testing.T) {
	b := newBench(t, "cursor")
	const file, text = ".cursor/rules/mine.mdc", "---\nalwaysApply: true\n---\nMine.\n"
	b.write(SelectionFile, "targets: [cursor]\nselect: ['tag:team']\n")
	b.write(file, text)
	adopt := func(flags []string) Adoption {
		p, _ := b.open()
		p.Selection.Select = append(p.Selection.Select, flags...)
		adopted, err := p.Adopt(t.Context(), b.source, []string{file})
		if err != nil || len(adopted) != 1 || adopted[0].Err != nil || adopted[0].Name != "mine" {
			t.Fatalf("%+v, %v", adopted, err)
		}
		return adopted[0]
	}
	for _, flags := range [][]string{nil, {"mine"}} {
		if adopt(flags).Written {
			t.Errorf("--select %v: the selection file has it written", flags)
		}
		b.mustPull()
		if got := b.read(file); got != text {
			t.Errorf("--select %v: it is %q after a pull", flags, got)
		}
	}
	b.write(SelectionFile, "targets: [cursor]\nselect: [mine]\n")
	if !adopt(nil).Written {
		t.Error("it is not written although it is selected")
	}
	b.mustPull()
	if states := b.states(); b.read(file) != text || len(states) > 0 {
		t.Errorf("%q, %v", b.read(file), states)
	}
}

// Files that differ in their description alone are two rulesets.
func TestAdoptComparesDescriptions(t *testing.T) {
	b := newBench(t, "cursor")
	for i, want := range []ruleset.Name{"mine", "mine_2", "mine_2"} {
		b.write(".cursor/rules/mine.mdc", "---\ndescription: "+[]string{"One", "Two", "Two"}[i]+"\nalwaysApply: false\n---\nMine.\n")
		p, _ := b.open()
		adopted, err := p.Adopt(t.Context(), b.source, []string{".cursor/rules/mine.mdc"})
		if err != nil || len(adopted) != 1 || adopted[0].Err != nil || adopted[0].Name != want {
			t.Errorf("%d: %+v, %v, want %s", i, adopted, err, want)
		}
	}
}

func TestSelection(t *testing.T) {
	meta := ruleset.Meta{Name: "go_style", Tags: []string{"team/x", "lint"}}
	for words, want := range map[string]bool{
		"": true, "go_*": true, "python_*": false, "tag:lint": true, "tag:x": false, "layer:team": true, "layer:org": false,
		"!go_*": false, "!python_*": true, "go_*,!go_style": false, "x,tag:lint": true,
	} {
		var s Selection
		if words != "" {
			s.Select = strings.Split(words, ",")
		}
		if got := s.Selects(meta); got != want {
			t.Errorf("%q selects: %v", words, got)
		}
	}
	if s := (Selection{Select: []string{"layer:org"}}); !s.Selects(ruleset.Meta{Name: "law", Layer: "org"}) {
		t.Error("the layer of the store is not that of a ruleset whose tags name none")
	}
	for _, bad := range []string{"targets: [emacs]\n", "select: ['layer:x']\n", "label: 7\n", "labels: x\n", "- a\n"} {
		if _, err := ParseSelection([]byte(bad)); err == nil {
			t.Errorf("%q is a selection", bad)
		}
	}
}

// Different edits of one ruleset in two files are not stored, equal ones once.
func TestPushOfTwoFiles(t *testing.T) {
	b := newBench(t, "cursor", "claude", "gemini")
	b.create("a", "", "One\nTwo\n")
	b.mustPull()
	replace := func(name, old, text string) { b.write(name, strings.Replace(b.read(name), old, text, 1)) }
	replace(".cursor/rules/a.mdc", "One", "Uno")
	replace(".claude/rules/a.md", "One", "Eins")
	pushed := b.push()
	if len(pushed.Updated) != 0 || len(pushed.Left) != 1 || !strings.Contains(pushed.Left[0].Error(), "changed in both") {
		t.Errorf("%+v", pushed)
	}
	replace(".claude/rules/a.md", "Eins", "Uno")
	replace(".cursor/rules/a.mdc", "About a", "All about a")
	if pushed = b.push(); len(pushed.Updated) != 1 || len(pushed.Left) != 0 {
		t.Errorf("%+v", pushed)
	}
	got, err := b.store.Get(t.Context(), "a")
	if err != nil || got.Markdown != "Uno\nTwo\n" || got.Description != "All about a" || got.Rev != 2 {
		t.Errorf("%+v, %v", got, err)
	}
	b.mustPull()
	if !strings.Contains(b.read("GEMINI.md"), "Uno") || len(b.states()) != 0 {
		t.Error("the other file does not have the edit")
	}
}

// Text that other tools lost: keys that a format does not know (Tencent/teamai-cli#349),
// text in a block that belongs to no rule, a file that was deleted.
func TestPushLosesNothing(t *testing.T) {
	b := newBench(t, "claude", "agents")
	b.create("a", "globs: ['src/**']\nowner: me # who\nextra: {cursor: {x: 1}}\n", "One\n")
	b.mustPull()
	b.write(".claude/rules/a.md", strings.Replace(b.read(".claude/rules/a.md"), "One", "Uno", 1))
	b.push()
	got, err := b.store.Get(t.Context(), "a")
	if err != nil || got.Markdown != "Uno\n" || got.Extra != "globs: ['src/**']\nowner: me # who\nextra: {cursor: {x: 1}}\n" {
		t.Errorf("%+v, %v", got, err)
	}
	b.mustPull()
	b.write("AGENTS.md", strings.Replace(b.read("AGENTS.md"), "<!-- triptych:rule a -->", "stray\n<!-- triptych:rule a -->", 1))
	if pushed := b.push(); len(pushed.Left) != 1 || !strings.Contains(pushed.Left[0].Error(), "stray") {
		t.Errorf("%+v", pushed)
	}
	if err := os.Remove(filepath.Join(b.dir, ".claude/rules/a.md")); err != nil {
		t.Fatal(err)
	}
	if pushed := b.push(); len(pushed.Updated) != 0 {
		t.Errorf("a deleted file was pushed: %+v", pushed)
	}
	if _, err := b.store.Get(t.Context(), "a"); err != nil {
		t.Error(err)
	}
}

// Files that were adopted have the same bytes after every pull.
func TestAdoptKeepsBytes(t *testing.T) {
	b := newBench(t, "cursor")
	texts := map[string]string{
		".cursor/rules/Some Rule.mdc": "---\nglobs: **/*.ts # ours\nalwaysApply: false\nx: y\n---\nText\r\n",
		".cursor/rules/deep/b.mdc":    "# B",
	}
	for name, text := range texts {
		b.write(name, text)
	}
	p, plan := b.open()
	found, err := p.Strangers(plan, nil)
	if err != nil || len(found) != 0 {
		t.Fatal(found, err)
	}
	adopted, err := p.Adopt(t.Context(), b.source, slices.Sorted(mapKeys(texts)))
	if err != nil || len(adopted) != 2 || adopted[0].Err != nil || adopted[1].Err != nil {
		t.Fatalf("%+v, %v", adopted, err)
	}
	b.mustPull()
	for name, text := range texts {
		if got := b.read(name); got != text {
			t.Errorf("%s is %q, want %q", name, got, text)
		}
	}
	if states := b.states(); len(states) != 0 {
		t.Error(states)
	}
}

func mapKeys(m map[string]string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for key := range m {
			if !yield(key) {
				return
			}
		}
	}
}

func TestRevert(t *testing.T) {
	b := newBench(t, "cursor", "gemini")
	b.create("a", "", "One\n")
	b.mustPull()
	before := b.files()
	b.update("a", "Two\n")
	b.write("GEMINI.md", strings.Replace(b.read("GEMINI.md"), "One", "Edited", 1))
	if err := os.Remove(filepath.Join(b.dir, ".cursor/rules/a.mdc")); err != nil {
		t.Fatal(err)
	}
	p, _ := b.open()
	locked, err := Locked(t.Context(), b.source, p.Lock)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Revert(locked, nil); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, b.files()); diff != "" {
		t.Error(diff)
	}
}
