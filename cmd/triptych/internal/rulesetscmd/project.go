package rulesetscmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmdio"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/command"
	"github.com/triptych-mcp/triptych/rulesets/editors"
	"github.com/triptych-mcp/triptych/rulesets/lint"
	"github.com/triptych-mcp/triptych/rulesets/project"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// projectCommands are the commands that work on the rule files of a project.
func (a commands) projectCommands() []command.Command {
	return []command.Command{
		a.rulesetsPull(), a.rulesetsStatus(), a.rulesetsPush(), a.rulesetsRevert(), a.rulesetsOutdated(), a.rulesetsAdopt(),
		a.rulesetsExplain(), a.rulesetsConsumers(),
	}
}

// projectFlags are the flags of the commands that write editors' files.
type projectFlags struct {
	dir     string
	targets []string
	sel     []string
	label   string

	otherStore bool
}

func (f *projectFlags) register(set *pflag.FlagSet) {
	set.StringVar(&f.dir, "dir", "", "the project's `folder`\ndefault: the nearest one with "+project.SelectionFile)
	set.StringSliceVar(&f.targets, "target", nil, "write only the files of these `clients`; auto is those in use, plugin an Agent Plugin")
	command.Offer(set, "target", append([]string{project.AutoTarget, editors.PluginTarget}, editors.Names()...))
	set.StringSliceVar(&f.sel, "select", nil, "take only rulesets of these `patterns`: of names, tag:TAG, layer:LAYER, !PATTERN")
	set.StringVar(&f.label, "label", "", "take the revisions with this `label`, not the newest")
	set.BoolVar(&f.otherStore, "other-store", false, "accept another store than the one that the files were pulled from")
}

// reading registers the flags of a command that compares a project with its rulesets.
func (f *projectFlags) reading(a commands) func(*pflag.FlagSet) {
	return func(set *pflag.FlagSet) {
		f.register(set)
		a.readingFlags(set)
	}
}

// narrows reports whether the flags choose other files than the selection file does.
func (f *projectFlags) narrows(p *project.Project) bool { return p.HasFile && len(f.targets) > 0 }

// openProject opens the project that the flags name, with a selection that they
// change.
func openProject(f *projectFlags) (*project.Project, error) {
	dir := f.dir
	if dir == "" {
		here, err := os.Getwd()
		if err != nil {
			return nil, err
		}
		dir = project.FindRoot(here)
	}
	p, err := project.Open(dir)
	if err != nil {
		return nil, err
	}
	if len(f.sel) > 0 {
		p.Selection.Select = f.sel
	}
	if f.label != "" {
		p.Selection.Label = f.label
	}
	if !p.HasFile {
		p.Selection.Targets = f.targets
	}
	if slices.Contains(f.targets, project.AutoTarget) {
		f.targets = p.UsedTargets()
		if !p.HasFile {
			p.Selection.Targets = f.targets
		}
	}
	if err := p.Selection.Check(); err != nil {
		p.Close()
		return nil, cmderr.UsageErrorf("%v", err)
	}
	if len(p.Selection.Targets) == 0 {
		p.Close()
		return nil, cmderr.WithHints(cmderr.UsageErrorf("%s: no client is named", filepath.Join(dir, project.SelectionFile)),
			"triptych rulesets pull --target auto makes the file, for the clients that the project uses", "clients: "+strings.Join(editors.Names(), ", ")+", and plugin for an Agent Plugin")
	}
	return p, nil
}

// A projectRun is a command at work on a project.
type projectRun struct {
	commands
	flags   *projectFlags
	project *project.Project
	source  project.Source
	mine    personal
	chosen  project.Set // that were planned last
}

// personal is the part of a project that one person has beside the team.
type personal struct {
	project *project.Project // nil if there is none
	plan    project.Plan
}

// planPersonal compares what one person adds with the project. Flags that choose files, and
// those of a lock, leave it as it is.
func (r *projectRun) planPersonal(ctx context.Context, team project.Plan, rulesets project.Set) error {
	if r.mine = (personal{}); !r.project.HasPersonal() || r.flags.label != "" || len(r.flags.sel)+len(r.flags.targets) > 0 {
		return nil
	}
	added, warnings, err := r.project.SelectPersonal(ctx, r.source, rulesets)
	if err != nil {
		return err
	}
	r.mine.project = r.project.Personal()
	r.mine.plan, err = r.project.PlanPersonal(team, rulesets, added)
	r.mine.plan.Warnings = append(warnings, r.mine.plan.Warnings...)
	return err
}

// with returns a plan with what one person adds to it.
func (m personal) with(plan project.Plan) project.Plan {
	plan.Items = append(slices.Clone(plan.Items), m.plan.Items...)
	plan.Warnings = append(slices.Clone(plan.Warnings), m.plan.Warnings...)
	return plan
}

// withProject runs a function with the project and the store that the flags name.
func (a commands) withProject(ctx context.Context, f *projectFlags, use func(*projectRun) error) error {
	p, err := openProject(f)
	if err != nil {
		return err
	}
	defer p.Close()
	if err := a.useServer(p.Selection.Server); err != nil {
		return err
	}
	source, done, err := a.openSource(ctx)
	if err != nil {
		return err
	}
	return errors.Join(storeHint(use(&projectRun{commands: a, flags: f, project: p, source: source})), done())
}

// useServer takes the server that a project names, unless flags name another one. The file
// is another person's, perhaps: a key goes to a server on another machine only if
// TRIPTYCH_URL names it, too.
func (b books) useServer(server string) error {
	if server == "" || b.app.Flags.Remote.URL != "" || b.app.Flags.Store != "" {
		return nil
	}
	u, err := app.EndpointURL(server)
	if err != nil {
		return cmderr.UsageErrorf("%s: server is %q, want a URL such as https://rules.example/mcp", project.SelectionFile, server)
	}
	env := b.app.Getenv("TRIPTYCH_URL")
	switch named, err := app.EndpointURL(env); {
	case env != "" && (err != nil || named.String() != u.String()):
		return cmderr.WithHints(fmt.Errorf("TRIPTYCH_URL is %s, and %s names the server %s", env, project.SelectionFile, server), "--url URL says which of them to ask")
	case env == "" && b.app.Getenv("TRIPTYCH_KEY") != "" && !app.IsLoopback(u.Hostname()):
		return cmderr.WithHints(fmt.Errorf("%s names the server %s, which would be shown the key in TRIPTYCH_KEY", project.SelectionFile, server), "TRIPTYCH_URL="+u.String()+" says that the key is for this server")
	}
	b.app.Flags.Remote.URL = u.String()
	return nil
}

// plan compares the project with the rulesets, those of the lock if frozen.
func (r *projectRun) plan(ctx context.Context, frozen bool) (project.Plan, error) {
	rulesets, warnings, err := r.rulesets(ctx, frozen)
	if err != nil {
		return project.Plan{}, err
	}
	r.chosen = rulesets
	plan, err := r.project.Plan(rulesets, r.only())
	plan.Warnings = append(warnings, plan.Warnings...)
	if err == nil && !r.flags.otherStore {
		err = r.checkStore(ctx, plan)
	}
	if err == nil && !frozen {
		err = r.planPersonal(ctx, plan, rulesets)
	}
	return plan, err
}

// checkStore refuses a store that the files of the project are not from: forgetting --url
// must not replace a team's rules by private ones.
func (r *projectRun) checkStore(ctx context.Context, plan project.Plan) error {
	err := r.project.CheckStore(ctx, r.source, plan)
	if _, other := errors.AsType[*project.OtherStoreError](err); other {
		return cmderr.WithHints(err, "--url, --store or TRIPTYCH_URL names the store that the project was pulled from; server: in "+project.SelectionFile+" records it",
			"pull --other-store takes this one from now on")
	}
	return err
}

func (r *projectRun) only() []string {
	if r.flags.narrows(r.project) {
		return r.flags.targets
	}
	return nil
}

func (r *projectRun) rulesets(ctx context.Context, frozen bool) (project.Set, []string, error) {
	if frozen {
		if !r.project.HasLock {
			return project.Set{}, nil, fmt.Errorf("%s is missing: without it there is nothing to repeat", project.LockFile)
		}
		all, err := project.Locked(ctx, r.source, r.project.Lock)
		if len(r.flags.sel) > 0 {
			all.Rulesets = slices.DeleteFunc(all.Rulesets, func(one ruleset.Ruleset) bool { return !r.project.Selection.Selects(one.Meta) })
		}
		return all, nil, err
	}
	return project.Select(ctx, r.source, r.project.Selection)
}

// printNotes prints how each client gets the rules: the number of native ones, the
// others by name.
func (r *projectRun) printNotes(plan project.Plan) error {
	for _, target := range append(editors.Names(), editors.PluginTarget) {
		native := 0
		var others []string
		for _, n := range plan.Notes {
			switch {
			case n.Client != target:
			case n.Outcome == editors.Native:
				native++
			default:
				others = append(others, fmt.Sprintf("  %-9s %s: %s", n.Outcome, n.Rule, n.Reason))
			}
		}
		if native+len(others) == 0 {
			continue
		}
		if err := r.Printf("%s: %d native\n", target, native); err != nil {
			return err
		}
		if err := r.printLines(others); err != nil {
			return err
		}
	}
	return r.printWarnings(plan.Warnings)
}

func (r *projectRun) printLines(lines []string) error {
	if len(lines) == 0 {
		return nil
	}
	return r.Printf("%s\n", strings.Join(lines, "\n"))
}

func (r *projectRun) printWarnings(warnings []string) error {
	var lines []string
	for _, w := range warnings {
		lines = append(lines, "warning: "+w)
	}
	return r.printLines(lines)
}

// printItems prints the items that are not clean, and a count of the others.
func (r *projectRun) printItems(items []project.Item) error {
	others := slices.DeleteFunc(slices.Clone(items), func(i project.Item) bool { return i.State == project.Clean })
	if err := r.printLines(itemLines(others)); err != nil {
		return err
	}
	return r.Printf("%s clean\n", cmdio.Counted(len(items)-len(others), "file"))
}

// itemLines returns a line for each item, and one for all that cannot be read for the
// same reason, such as a folder on their way that is a link.
func itemLines(items []project.Item) (lines []string) {
	for len(items) > 0 {
		line, n := itemLine(items[0]), 1
		for n < len(items) && itemLine(items[n]) == line {
			n++
		}
		if n > 1 {
			line += fmt.Sprintf(" (%d files)", n)
		}
		lines, items = append(lines, line), items[n:]
	}
	return lines
}

func itemLine(i project.Item) string {
	if i.Err != nil {
		return fmt.Sprintf("%-14s %s", "unreadable", i.Err)
	}
	line := fmt.Sprintf("%-14s %s", i.State, i.Path)
	if i.Shared {
		line += " (block)"
	}
	if i.State == project.Drift && !i.Exists {
		line += " (deleted)"
	}
	if len(i.Reaches) > 0 {
		line += " -> " + strings.Join(i.Reaches, ", ")
	}
	return line
}

// printDiff prints how files differ from the content that the rulesets give them.
func (r *projectRun) printDiff(items []project.Item) error {
	for _, i := range items {
		if i.Err != nil || i.State == project.Clean {
			continue
		}
		have, want := strings.ReplaceAll(string(i.Have), "\r\n", "\n"), strings.ReplaceAll(string(i.Content), "\r\n", "\n")
		if err := r.Printf("%s", udiff.Unified(i.Path+" (here)", i.Path+" (rulesets)", have, want)); err != nil {
			return err
		}
	}
	return nil
}

func (a commands) rulesetsStatus() command.Command {
	var f projectFlags
	var meaning []string
	for _, s := range project.States {
		meaning = append(meaning, fmt.Sprintf("  %-14s %s", s.State, s.Meaning))
	}
	return command.Command{
		Name:  "status",
		Short: "compare the rule files of a project with its rulesets; changes nothing",
		Long: "The states of a file, or of the block in a shared file:\n\n" + strings.Join(meaning, "\n") +
			"\n\nThe exit status is 1 if a file is in another state than clean.",
		Flags: f.reading(a),
		Run: func(ctx context.Context, _ []string) error {
			return a.withProject(ctx, &f, func(r *projectRun) error {
				plan, err := r.plan(ctx, false)
				if err != nil {
					return err
				}
				plan = r.mine.with(plan)
				return errors.Join(r.printItems(plan.Items), r.printWarnings(append(plan.Warnings, r.due()...)), notClean(plan.Items))
			})
		},
	}
}

// due returns the rulesets of the project that are due for review.
func (r *projectRun) due() (warnings []string) {
	for _, one := range r.chosen.Rulesets {
		if f, is := lint.Due(one, r.app.Now()); is {
			warnings = append(warnings, fmt.Sprintf("%s: %s", f.Name, f.Message))
		}
	}
	return warnings
}

// notClean is the error of a status that has files in another state than clean.
func notClean(items []project.Item) error {
	n := 0
	for _, i := range items {
		if i.State != project.Clean {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	return cmderr.WithHints(fmt.Errorf("%s not clean", cmdio.Counted(n, "file")), "triptych rulesets pull writes new and changed rulesets; push stores what was changed here")
}

func (a commands) rulesetsOutdated() command.Command {
	var f projectFlags
	return command.Command{
		Name:  "outdated",
		Short: "list the rulesets of a project that have newer revisions",
		Flags: f.reading(a),
		Run: func(ctx context.Context, _ []string) error {
			return a.withProject(ctx, &f, func(r *projectRun) error {
				all, warnings, err := r.rulesets(ctx, false)
				if err != nil {
					return err
				}
				return errors.Join(r.printOutdated(all.Rulesets), r.printWarnings(warnings))
			})
		},
	}
}

func (r *projectRun) printOutdated(all []ruleset.Ruleset) error {
	locked := r.project.Lock.Revisions()
	rows := [][]string{{"NAME", "HERE", "NOW"}}
	for _, current := range all {
		here, ok := locked[current.Name]
		was := "-"
		if ok {
			was = fmt.Sprint(here)
		}
		if here != current.Rev {
			rows = append(rows, []string{string(current.Name), was, fmt.Sprint(current.Rev)})
		}
		delete(locked, current.Name)
	}
	gone := make([]string, 0, len(locked))
	for name := range locked {
		gone = append(gone, string(name))
	}
	slices.Sort(gone)
	for _, name := range gone {
		rows = append(rows, []string{name, fmt.Sprint(locked[ruleset.Name(name)]), "-"})
	}
	if len(rows) == 1 {
		return r.Printf("all %d rulesets are up to date\n", len(all))
	}
	return r.PrintTable(rows)
}
