package rulesetscmd

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmdio"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/command"
	"github.com/triptych-mcp/triptych/rulesets/editors"
	"github.com/triptych-mcp/triptych/rulesets/project"
)

func (a commands) rulesetsPush() command.Command {
	var f projectFlags
	var message string
	return command.Command{
		Name:  "push",
		Short: "store changes of a project's rule files as revisions of their rulesets",
		Long: "Every rule file that was changed since it was pulled becomes a new revision of its\n" +
			"ruleset, and then all files are pulled. What the format of a client cannot express\n" +
			"stays as it is in the ruleset. Changes in several files, and those in revisions that\n" +
			"are newer than the one the file was written from, are merged line by line. Changes\n" +
			"of the same or of neighbouring lines are left; the exit status is 1 then.",
		Flags: func(set *pflag.FlagSet) {
			messageFlag(set, &message)
			f.register(set)
			a.writingFlags(set)
		},
		Run: func(ctx context.Context, _ []string) error {
			return a.withProject(ctx, &f, func(r *projectRun) error {
				if err := r.push(ctx, message); err != nil {
					return err
				}
				return r.pull(ctx, &pullFlags{})
			})
		},
	}
}

// push stores what was changed here.
func (r *projectRun) push(ctx context.Context, message string) error {
	plan, err := r.plan(ctx, false)
	if err != nil {
		return err
	}
	pushed, err := r.project.Push(ctx, r.source, plan, message)
	if err == nil && r.mine.project != nil {
		var mine project.Pushed
		mine, err = r.mine.project.Push(ctx, r.source, r.mine.plan, message)
		pushed.Add(mine)
	}
	if err != nil {
		return err
	}
	for _, part := range pushed.Merged {
		if err := r.Printf("merged   with %s\n", part); err != nil {
			return err
		}
	}
	for _, part := range pushed.Updated {
		if err := r.Printf("pushed   %s\n", part); err != nil {
			return err
		}
	}
	for _, file := range pushed.Files {
		if err := r.Printf("pushed   %s\n", file); err != nil {
			return err
		}
	}
	if len(pushed.Left) > 0 {
		return cmderr.WithHints(errors.Join(pushed.Left...), "triptych rulesets status lists the files; pull --theirs replaces them, once their changes are saved elsewhere")
	}
	return nil
}

func (a commands) rulesetsRevert() command.Command {
	var f projectFlags
	return command.Command{
		Name: "revert", Args: "[FILE...]", Max: command.AnyNumber,
		Short: "give rule files the content that was pulled last",
		Long:  "Without FILE, all files that were changed or deleted here. What was changed is lost.",
		Flags: f.reading(a),
		Run: func(ctx context.Context, args []string) error {
			return a.withProject(ctx, &f, func(r *projectRun) error {
				files, err := r.paths(args)
				if err != nil {
					return err
				}
				locked, err := project.Locked(ctx, r.source, r.project.Lock)
				if err != nil {
					return err
				}
				report, err := r.project.Revert(locked, files)
				for _, path := range report.Written {
					err = errors.Join(err, r.Printf("reverted %s\n", path))
				}
				return errors.Join(err, r.Printf("%s reverted\n", cmdio.Counted(len(report.Written), "file")))
			})
		},
	}
}

// paths returns files as paths from the project's folder.
func (r *projectRun) paths(args []string) (files []string, err error) {
	root, err := filepath.Abs(r.project.Dir)
	if err != nil {
		return nil, err
	}
	for _, arg := range args {
		file, err := filepath.Abs(arg)
		if err != nil {
			return nil, err
		}
		rel, err := filepath.Rel(root, file)
		if err != nil || !filepath.IsLocal(rel) {
			return nil, cmderr.UsageErrorf("%s is not in the project %s", arg, root)
		}
		files = append(files, filepath.ToSlash(rel))
	}
	return files, nil
}

func (a commands) rulesetsAdopt() command.Command {
	var f projectFlags
	var dry bool
	return command.Command{
		Name: "adopt", Args: "[FILE...]", Max: command.AnyNumber,
		Short: "make rulesets of rule files that are there already",
		Long: "Without FILE, of all files in the rule folders of the project's clients that\n" +
			"triptych did not write. A file stays as it is, byte for byte: pull writes it from\n" +
			"its ruleset from now on. Skills come with their files. If another ruleset has the\n" +
			"name, the new one gets a number behind it; the file stays its file, and the other\n" +
			"ruleset gets one beside it. A file whose ruleset " + project.SelectionFile + " does not\n" +
			"select is imported only: pull leaves it. Of AGENTS.md and the like, which\n" +
			"must be named, the text outside of the block becomes a ruleset. Files of other\n" +
			"clients are not written; pull writes them.",
		Flags: func(set *pflag.FlagSet) {
			set.BoolVar(&dry, "dry-run", false, "only list the files")
			f.register(set)
			a.writingFlags(set)
		},
		Run: func(ctx context.Context, args []string) error {
			return a.withProject(ctx, &f, func(r *projectRun) error { return r.adopt(ctx, args, dry) })
		},
	}
}

func (r *projectRun) adopt(ctx context.Context, args []string, dry bool) error {
	files, err := r.paths(args)
	if err != nil {
		return err
	}
	if len(args) == 0 {
		if files, err = r.strangers(ctx); err != nil {
			return err
		}
	}
	if len(files) == 0 {
		return r.Printf("there is nothing to adopt\n")
	}
	if dry {
		return r.printLines(files)
	}
	if !r.project.HasFile {
		if err := r.project.WriteSelection(); err != nil {
			return err
		}
	}
	adopted, err := r.project.Adopt(ctx, r.source, files)
	var errs []error
	for _, one := range adopted {
		if one.Err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", one.Path, one.Err))
			continue
		}
		if !one.Written && editors.PlaceOf(one.Path).Owned() {
			errs = append(errs, r.Printf("imported %s as %s; the file stays as it is: %s does not select it\n", one.Path, one.Name, project.SelectionFile))
			continue
		}
		errs = append(errs, r.Printf("adopted  %s as %s\n", one.Path, one.Name))
	}
	if err != nil {
		return errors.Join(append(errs, err)...)
	}
	return errors.Join(append(errs, r.settleAdoption(ctx, adopted))...)
}

// settleAdoption pulls the files of the new rulesets, and no others, and removes the text of shared files that is
// in their blocks now.
func (r *projectRun) settleAdoption(ctx context.Context, adopted []project.Adoption) error {
	plan, err := r.plan(ctx, false)
	if err != nil {
		return err
	}
	report, err := r.project.Settle(plan, adopted)
	if err != nil {
		return r.explainBlocked(err)
	}
	var errs []error
	for _, path := range report.Written {
		errs = append(errs, r.Printf("wrote    %s\n", path))
	}
	for _, one := range adopted {
		if one.Err != nil || !r.project.IsBlock(one.Path) {
			continue
		}
		stored, err := r.source.Get(ctx, one.Name, "")
		if err == nil {
			err = r.project.DropText(one.Path, stored)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// strangers returns the rule files that are not the project's.
func (r *projectRun) strangers(ctx context.Context) ([]string, error) {
	plan, err := r.plan(ctx, false)
	if err != nil {
		return nil, err
	}
	names := r.project.Selection.Targets
	if only := r.only(); only != nil {
		names = only
	}
	clients, err := editors.Targets(names)
	if err != nil {
		return nil, err
	}
	found, err := r.project.Strangers(plan, clients)
	for _, i := range plan.Items {
		if i.State == project.Foreign && !i.Shared && editors.PlaceOf(i.Path).Owned() {
			found = append(found, i.Path)
		}
	}
	slices.Sort(found)
	return slices.Compact(found), err
}
