package rulesetscmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmdio"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/command"
	"github.com/triptych-mcp/triptych/rulesets/project"
)

// pullFlags are the flags of rulesets pull.
type pullFlags struct {
	projectFlags
	check, dry, theirs, ours, writeBack, frozen, watch, ignore bool
	message                                                    string
}

func (f *pullFlags) register(set *pflag.FlagSet) {
	set.BoolVar(&f.check, "check", false, "write nothing; exit with 1 and a diff unless all files are up to date")
	set.BoolVar(&f.dry, "dry-run", false, "only say what would be done")
	set.BoolVar(&f.theirs, "theirs", false, "replace files that were changed here")
	set.BoolVar(&f.ours, "ours", false, "leave files that were changed here, and pull the others")
	set.BoolVar(&f.writeBack, "write-back", false, "push files that were changed here, then pull")
	f.projectFlags.register(set)
	set.BoolVar(&f.frozen, "frozen", false, "repeat the revisions of "+project.LockFile)
	set.BoolVar(&f.watch, "watch", false, "go on pulling when rulesets change")
	set.BoolVar(&f.ignore, "gitignore", false, "have git ignore the rule files, in a section of .gitignore\nLater pulls keep the section up to date.")
	messageFlag(set, &f.message)
}

// verify refuses flags that contradict each other.
func (f *pullFlags) verify() error {
	n := 0
	for _, flag := range []bool{f.theirs, f.ours, f.writeBack} {
		if flag {
			n++
		}
	}
	switch {
	case n > 1:
		return cmderr.UsageErrorf("at most one of --theirs, --ours and --write-back can be given")
	case f.check && n > 0:
		return cmderr.UsageErrorf("--check writes nothing: it takes none of --theirs, --ours and --write-back")
	case f.ignore && (f.check || f.dry):
		return cmderr.UsageErrorf("--gitignore writes a file: it goes neither with --check nor with --dry-run")
	case f.frozen && f.watch:
		return cmderr.UsageErrorf("--frozen and --watch contradict each other")
	}
	return nil
}

func (a commands) rulesetsPull() command.Command {
	var f pullFlags
	return command.Command{
		Name:  "pull",
		Short: "write rulesets into the rule files of editors",
		Long: "The project's folder says in " + project.SelectionFile + " which rulesets it wants, for which\n" +
			"clients; the first pull --target makes that file. " + project.LockFile + " records what was\n" +
			"written from which revisions. Both belong into git. " + project.LocalFile + " adds\n" +
			"clients and rulesets for one person and leaves others out (docs/team.md); it and\n" +
			"the files for it are not for git, which ignores them by .git/info/exclude.\n\n" +
			"Rules go into files of their own in the folders of clients that have such\n" +
			"folders, and into a marked block of files such as AGENTS.md, whose other text\n" +
			"stays as it is. Files that were changed here stop the pull: it prints a diff,\n" +
			"writes nothing and exits with 1. A file that triptych did not write, a link and a\n" +
			"file with damaged marks are left and the others written; the exit status is 1.\n" +
			"adopt makes a ruleset of a file. A file such as AGENTS.md that was imported is its\n" +
			"ruleset: its text is not written a second time. status lists the states of all files.",
		Example: "triptych rulesets pull --target auto\ntriptych rulesets pull --target claude,cursor --select 'go_*,tag:team'\n" +
			"triptych rulesets pull --check\ntriptych rulesets pull --label production --watch",
		Flags: func(set *pflag.FlagSet) {
			f.register(set)
			a.writingFlags(set)
		},
		Run: func(ctx context.Context, _ []string) error {
			if err := f.verify(); err != nil {
				return err
			}
			return a.withProject(ctx, &f.projectFlags, func(r *projectRun) error {
				if f.watch {
					return r.watch(ctx, &f)
				}
				return r.pull(ctx, &f)
			})
		},
	}
}

// pull makes the files of the project have the content of the rulesets.
func (r *projectRun) pull(ctx context.Context, f *pullFlags) error {
	if f.writeBack && !f.dry {
		if err := r.push(ctx, f.message); err != nil {
			return err
		}
	}
	plan, err := r.plan(ctx, f.frozen)
	if err != nil {
		return err
	}
	if f.check {
		return r.check(r.mine.with(plan))
	}
	if f.dry {
		if report := r.useReport(plan); report != nil {
			plan.Warnings = append(plan.Warnings, "a pull reports to the server: "+reportText(report))
		}
		plan = r.mine.with(plan)
		return errors.Join(r.printItems(plan.Items), r.printNotes(plan), r.Printf("dry run: nothing was changed\n"))
	}
	if err := removesAll(plan); err != nil && !f.theirs {
		return err
	}
	if !r.project.HasFile {
		if err := r.project.WriteSelection(); err != nil {
			return err
		}
		if err := r.Printf("wrote %s\n", project.SelectionFile); err != nil {
			return err
		}
	}
	choice := project.Stop
	switch {
	case f.theirs:
		choice = project.Theirs
	case f.ours:
		choice = project.Ours
	}
	report, err := r.project.Apply(plan, choice)
	if err == nil {
		err = errors.Join(r.ignoreFiles(f.ignore), r.sendReport(ctx, plan))
	}
	if err == nil {
		plan = r.mine.with(plan)
		err = r.applyPersonal(&report, choice)
	}
	if err == nil && f.watch && len(report.Written)+len(report.Removed) == 0 {
		return nil // there is nothing to tell
	}
	return errors.Join(r.printReport(plan, report), r.explainBlocked(err), r.leftOver(report, choice, err))
}

// applyPersonal writes what one person adds, and has git ignore it.
func (r *projectRun) applyPersonal(report *project.Report, choice project.Choice) error {
	if r.mine.project == nil {
		return nil
	}
	mine, err := r.mine.project.Apply(r.mine.plan, choice)
	report.Written, report.Removed, report.Left = append(report.Written, mine.Written...), append(report.Removed, mine.Removed...), append(report.Left, mine.Left...)
	if err != nil {
		return err
	}
	switch written, err := r.mine.project.IgnorePersonal(); {
	case errors.Is(err, project.ErrNoGit):
		return r.printWarnings([]string{"git may keep " + project.LocalFile + ", " + project.LocalLockFile + " and the files in it: " + r.project.Dir + " is not the root of a repository"})
	case err != nil || !written:
		return err
	}
	return r.Printf("wrote    .git/info/exclude\n")
}

// ignoreFiles keeps the section of .gitignore, which it adds if add is set.
func (r *projectRun) ignoreFiles(add bool) error {
	written, err := r.project.IgnoreFiles(add)
	if err != nil || !written {
		return err
	}
	return r.Printf("wrote    .gitignore\n")
}

// removesAll is the error of a plan that makes no file and removes some: a store without
// the project's rulesets is more often the wrong store than one that was emptied.
func removesAll(plan project.Plan) error {
	removed := 0
	for _, i := range plan.Items {
		if i.Content != nil {
			return nil
		}
		if i.Exists {
			removed++
		}
	}
	if removed == 0 {
		return nil
	}
	return cmderr.WithHints(fmt.Errorf("no ruleset is selected: what was pulled would be removed, %s; nothing was written", cmdio.Counted(removed, "file")),
		"triptych rulesets list shows whether --store or --url is the right one; pull --theirs removes the files")
}

// printReport prints what was written, for whom, and the number of files.
func (r *projectRun) printReport(plan project.Plan, report project.Report) error {
	reaches := map[string]string{}
	for _, i := range plan.Items {
		reaches[i.Path] = strings.Join(i.Reaches, ", ")
	}
	for _, path := range report.Written {
		if err := r.Printf("wrote    %s -> %s\n", path, reaches[path]); err != nil {
			return err
		}
	}
	for _, path := range report.Removed {
		if err := r.Printf("removed  %s\n", path); err != nil {
			return err
		}
	}
	for _, line := range itemLines(report.Left) {
		if err := r.Printf("left     %s\n", line); err != nil {
			return err
		}
	}
	for _, line := range plan.Linked {
		if err := r.Printf("linked   %s\n", line); err != nil {
			return err
		}
	}
	if err := r.printNotes(plan); err != nil {
		return err
	}
	same := len(plan.Items) - len(report.Written) - len(report.Removed) - len(report.Left)
	return r.Printf("%d written, %d removed, %d left, %d unchanged\n", len(report.Written), len(report.Removed), len(report.Left), max(same, 0))
}

// explainBlocked prints the diff of files that need a decision, and adds advice.
func (r *projectRun) explainBlocked(err error) error {
	blocked, ok := errors.AsType[*project.BlockedError](err)
	if !ok {
		return err
	}
	hints := map[project.State]string{
		project.Drift:         "--write-back pushes what was changed here, --theirs replaces it, --ours leaves it",
		project.Foreign:       "triptych rulesets adopt FILE makes a ruleset of a file, and lets pull replace it",
		project.OrphanDrifted: "--theirs removes files that no ruleset makes any more, --ours leaves them",
	}
	hints[project.Conflict] = hints[project.Drift]
	var advice []string
	told := map[string]bool{}
	for _, i := range blocked.Items {
		if hint := hints[i.State]; hint != "" && !told[hint] {
			told[hint] = true
			advice = append(advice, hint)
		}
	}
	return cmderr.WithHints(errors.Join(r.printDiff(blocked.Items), err), advice...)
}

// leftOver is the error of a pull that had to leave files of others.
func (r *projectRun) leftOver(report project.Report, choice project.Choice, err error) error {
	left := slices.DeleteFunc(slices.Clone(report.Left), func(i project.Item) bool { return choice == project.Ours && i.Err == nil })
	if err != nil || len(left) == 0 {
		return nil
	}
	if !slices.ContainsFunc(left, func(i project.Item) bool { return i.State == project.Foreign || i.Retains }) {
		return cmderr.WithHints(fmt.Errorf("%s left unchanged; the others are written", cmdio.Counted(len(left), "file")),
			"replace a link by a file, or repair the marks in the lines that are named; triptych rulesets status lists the files")
	}
	if slices.ContainsFunc(report.Left, func(i project.Item) bool { return i.Retains }) {
		return cmderr.WithHints(fmt.Errorf("%s left as it was: a block that was changed here has rules that are not selected", cmdio.Counted(len(report.Left), "file")),
			"triptych rulesets pull --theirs without --select, --label and --target replaces it, push stores what was changed")
	}
	return cmderr.WithHints(fmt.Errorf("%s left as it was, since triptych did not write it", cmdio.Counted(len(left), "file")),
		"triptych rulesets adopt FILE makes a ruleset of a file; select: ['!NAME'] in "+project.SelectionFile+" leaves a ruleset out")
}

// check prints the differences; the exit status is 1 if there are any.
func (r *projectRun) check(plan project.Plan) error {
	differs := 0
	for _, i := range plan.Items {
		if i.State != project.Clean {
			differs++
		}
	}
	if err := r.printWarnings(plan.Warnings); err != nil {
		return err
	}
	if differs == 0 {
		return r.Printf("%s up to date\n", cmdio.Counted(len(plan.Items), "file"))
	}
	if err := errors.Join(r.printDiff(plan.Items), r.printItems(plan.Items)); err != nil {
		return err
	}
	return cmderr.WithHints(fmt.Errorf("%s not up to date", cmdio.Counted(differs, "file")), "triptych rulesets pull writes what is missing")
}

// watchPause is the least time between two pulls of --watch: changes come in groups.
const watchPause = 200 * time.Millisecond

// watch pulls now and after each change, until ctx is done. A pull that fails is
// reported, and the next change pulls again.
func (r *projectRun) watch(ctx context.Context, f *pullFlags) error {
	changes := make(chan struct{}, 1)
	changes <- struct{}{}
	watching := make(chan error, 1)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		watching <- r.source.Watch(ctx, func() {
			select {
			case changes <- struct{}{}:
			default: // one is waiting already
			}
		})
	}()
	for {
		select {
		case err := <-watching:
			if ctx.Err() != nil {
				return nil
			}
			return err
		case <-ctx.Done():
			<-watching
			return nil
		case <-changes:
			if err := r.pull(ctx, f); err != nil {
				r.app.Report(err)
			}
			if err := r.reopen(); err != nil {
				return err
			}
			select {
			case <-ctx.Done():
			case <-time.After(watchPause):
			}
		}
	}
}

// reopen reads the selection and the lock anew: people change them while a command
// watches.
func (r *projectRun) reopen() error {
	fresh, err := openProject(&projectFlags{dir: r.project.Dir, targets: r.flags.targets, sel: r.flags.sel, label: r.flags.label})
	if err != nil {
		return err
	}
	r.project.Close()
	*r.project = *fresh
	return nil
}
