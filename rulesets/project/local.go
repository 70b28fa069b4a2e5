package project

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/triptych-mcp/triptych/rulesets/editors"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// LocalFile is the file with the additions and exclusions of one person. It is not for git
// to keep, and neither is [LocalLockFile].
const LocalFile = ".triptych.local.yaml"

// LocalLockFile records the rule files that were written for [LocalFile]. [LockFile], which a
// team shares, has nothing of one person.
const LocalLockFile = "triptych.local.lock"

// A Local names the additions of one person to the [Selection] of a project, and exclusions.
type Local struct {
	Targets []string `yaml:"targets"` // clients besides those of the project
	// Select has patterns as [Selection.Select] does. Those with "!" before them leave
	// rulesets out, also those of the project; without another pattern, none are added.
	Select []string `yaml:"select"`
}

// localKeys are the keys of a [LocalFile], a part of those of a [SelectionFile].
var localKeys = keys[:2]

// ParseLocal reads a [LocalFile].
func ParseLocal(data []byte) (l Local, err error) {
	root, err := parseKeys(data, localKeys)
	if err == nil && root != nil {
		err = root.Decode(&l)
	}
	if err == nil {
		err = Selection{Targets: l.Targets, Select: l.Select}.Check()
	}
	if err != nil {
		return l, fmt.Errorf("%s: %w", LocalFile, yamlError(err))
	}
	return l, nil
}

// yamlError returns an error of the YAML reader without its name.
func yamlError(err error) error {
	text, ok := strings.CutPrefix(err.Error(), "yaml: ")
	if !ok {
		return err
	}
	if line, reason, ok := strings.Cut(text, ": "); ok && strings.HasPrefix(line, "line ") {
		return fmt.Errorf("%s is not YAML: %s", line, reason)
	}
	return errors.New(text)
}

// excludes reports whether the person leaves a ruleset out.
func (l Local) excludes(name ruleset.Name) bool {
	return slices.ContainsFunc(l.Select, func(word string) bool {
		pattern, excludes := strings.CutPrefix(word, "!")
		return excludes && ruleset.Match(pattern, string(name))
	})
}

// adds reports whether the person wants a ruleset that the project may not select.
func (l Local) adds(m ruleset.Meta) bool {
	return !l.excludes(m.Name) && slices.ContainsFunc(l.Select, func(word string) bool {
		return !strings.HasPrefix(word, "!") && matches(word, m)
	})
}

// loadLocal reads the files of one person.
func (p *Project) loadLocal() error {
	data, exists, err := p.disk.read(LocalFile)
	if err == nil && exists {
		p.Local, err = ParseLocal(data)
	}
	if err != nil {
		return err
	}
	p.hasLocal = exists
	if data, exists, err = p.disk.read(LocalLockFile); err == nil && exists {
		p.localLock, err = ParseLock(data)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", LocalLockFile, err)
	}
	return nil
}

// HasPersonal reports whether there is a [LocalFile], or files that one had.
func (p *Project) HasPersonal() bool { return p.hasLocal || len(p.localLock.Entries) > 0 }

// PersonalFiles returns the paths of the files that were written for [LocalFile].
func (p *Project) PersonalFiles() (paths []string) {
	for _, e := range p.localLock.Entries {
		paths = append(paths, e.Path)
	}
	return paths
}

// Personal returns the project as one person has it beside the team: its lock is
// [LocalLockFile]. It shares the open folder of p, which closes it.
func (p *Project) Personal() *Project {
	mine := *p
	mine.lockFile, mine.Lock, mine.localLock, mine.Local = LocalLockFile, p.localLock, Lock{}, Local{}
	return &mine
}

// SelectPersonal returns the rulesets that [LocalFile] adds to those of the project.
func (p *Project) SelectPersonal(ctx context.Context, source Source, team Set) (Set, []string, error) {
	if !slices.ContainsFunc(p.Local.Select, func(word string) bool { return !strings.HasPrefix(word, "!") }) {
		return Set{}, nil, nil
	}
	return selectWhere(ctx, source, p.Selection.Label, func(m ruleset.Meta) bool {
		return p.Local.adds(m) && !slices.ContainsFunc(team.Rulesets, func(r ruleset.Ruleset) bool { return r.Name == m.Name })
	})
}

// PlanPersonal compares the rules of one person with the project. Files that belong to the
// team's plan, and files such as AGENTS.md, which the team shares, are not in it.
func (p *Project) PlanPersonal(team Plan, rulesets, added Set) (Plan, error) {
	clients, err := editors.Targets(append(slices.Clone(p.Selection.Targets), p.Local.Targets...))
	if err != nil {
		return Plan{}, err
	}
	isAdded := map[ruleset.Name]bool{}
	var all Set
	for _, set := range []Set{rulesets, added} {
		for _, r := range set.Rulesets {
			if !p.Local.excludes(r.Name) {
				all.Rulesets = append(all.Rulesets, r)
			}
		}
		for name, files := range set.Files {
			all.addAttachments(name, files)
		}
	}
	for _, r := range added.Rulesets {
		isAdded[r.Name] = true
	}
	rules, warnings := rulesOf(all)
	p.markInPlace(rules)
	rendered, err := editors.RenderIn(rules, clients, p.site())
	if err != nil {
		return Plan{}, err
	}
	ofTeam := map[string]bool{}
	for _, i := range team.Items {
		ofTeam[i.Path] = true
	}
	files, _ := p.throughLinks(rendered.Files)
	plan := Plan{Warnings: warnings}
	var own []editors.File
	for _, file := range files {
		switch {
		case file.Shared || file.Whole:
			plan.Warnings = append(plan.Warnings, notShared(file, isAdded)...)
		case !ofTeam[file.Path]:
			own = append(own, file)
		}
	}
	mine := p.Personal()
	plan.Items = mine.items(own, false)
	slices.SortFunc(plan.Items, func(a, b Item) int { return strings.Compare(a.Path, b.Path) })
	return plan, nil
}

// notShared warns of the added rules that a shared file would have.
func notShared(file editors.File, isAdded map[ruleset.Name]bool) []string {
	var names []ruleset.Name
	for _, part := range file.Parts {
		if isAdded[part.Name] {
			names = append(names, part.Name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s: %s stays out of %s, which the team shares", LocalFile, ruleset.NameList(names, len(names)), file.Path)}
}

// leaveOut marks the files of the team that one person leaves out. Where git keeps the rule
// files they stay: a deletion would be the team's with the next commit.
func (p *Project) leaveOut(plan *Plan) {
	if !p.hasLocal {
		return
	}
	gitKeeps := !p.ignoresFiles()
	told := map[ruleset.Name]bool{}
	for at := range plan.Items {
		i := &plan.Items[at]
		all, some := len(i.Parts) > 0, ruleset.Name("")
		for _, part := range i.Parts {
			if p.Local.excludes(part.Name) {
				some = part.Name
			} else {
				all = false
			}
		}
		switch {
		case some == "" || i.Err != nil:
		case i.Shared || i.Whole || gitKeeps:
			if !told[some] {
				told[some] = true
				plan.Warnings = append(plan.Warnings, fmt.Sprintf("%s: %s stays in %s, which the team shares%s", LocalFile, some, i.Path, ignoreHint(i)))
			}
		case all:
			i.leaveOut()
		}
	}
}

// ignoreHint says what lets a person leave a file out.
func ignoreHint(i *Item) string {
	if i.Shared || i.Whole {
		return ""
	}
	return "; pull --gitignore has git ignore such files"
}

// leaveOut decides what is to be done with a file that a person leaves out: one that was
// changed here needs a decision as before.
func (i *Item) leaveOut() {
	switch {
	case !i.Exists:
		i.LeftOut, i.State = true, Clean
	case i.State == Clean || i.State == Pending || i.State == Converged:
		i.LeftOut, i.State = true, Unwanted
	}
}

// removeLeftOut removes the files that a person leaves out. The lock keeps their entries.
func (p *Project) removeLeftOut(items []Item, r *Report) error {
	for _, i := range items {
		data, exists, err := p.disk.read(i.Path)
		if err == nil && exists && !bytes.Equal(data, i.Have) {
			err = fmt.Errorf("%s: %w", i.Path, errChanged)
		}
		if err == nil && exists {
			r.Removed = append(r.Removed, i.Path)
			err = p.disk.remove(i.Path)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// parseKeys reads the keys of a file in YAML; root is nil for an empty one.
func parseKeys(data []byte, known []keyForm) (root *yaml.Node, err error) {
	var document yaml.Node
	if err := decodeOne(data, &document); err != nil {
		return nil, err
	}
	if len(document.Content) != 1 {
		return nil, nil
	}
	return &document, checkKeys(document.Content[0], known)
}
