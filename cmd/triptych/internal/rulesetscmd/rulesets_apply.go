package rulesetscmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmdio"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/command"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/rulefiles"
	"github.com/triptych-mcp/triptych/rulesets"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

func (a commands) rulesetsApply() command.Command {
	var set rulesets.ChangeSet
	var prune, asJSON bool
	return command.Command{
		Name: "apply", Args: "FILE|DIR|-", Min: 1, Max: 1,
		Short: "change many rulesets at once, all or none",
		Long: "FILE is JSON, an object with \"operations\" or the list of them, as the tool\n" +
			"apply_rulesets takes them: create, update, put (create or update), delete, restore\n" +
			"and label. DIR is a folder of Markdown files as import reads it: each ruleset gets\n" +
			"the content of its file. If one change cannot be made, none is. --each changes each\n" +
			"ruleset by itself, which a cluster needs whose rulesets are on several servers.",
		Example: "triptych rulesets export rules; $EDITOR rules/*.md; triptych rulesets apply rules --dry-run\n" +
			`echo '[{"op":"label","name":"go_style","label":"production"}]' | triptych rulesets apply -`,
		Flags: func(flags *pflag.FlagSet) {
			flags.BoolVar(&set.DryRun, "dry-run", false, "only show the differences")
			flags.BoolVar(&set.Each, "each", false, "go on when a ruleset fails")
			flags.BoolVar(&prune, "prune", false, "delete the rulesets that DIR has no file for")
			adminFlag(flags, &set.Admin)
			command.JSONFlag(flags, &asJSON)
			messageFlag(flags, &set.Message)
			a.writingFlags(flags)
		},
		Run: func(ctx context.Context, args []string) error {
			return a.withRulebook(ctx, func(book rulebook) (err error) {
				if set.Changes, err = readChanges(ctx, a.IO, book, args[0], prune); err != nil {
					return err
				}
				if len(set.Changes) == 0 {
					return a.Printf("nothing to do\n")
				}
				applied, err := book.Apply(ctx, set, showProgress(a.IO, "applying"))
				if err != nil {
					return applyHint(err)
				}
				return printApplied(a.IO, applied, asJSON)
			})
		},
	}
}

// applyHint adds advice to an error of a batch.
func applyHint(err error) error {
	if _, ok := errors.AsType[*ruleset.SlotsError](err); ok {
		return cmderr.WithHints(err, "give --each to change each ruleset by itself")
	}
	if _, ok := errors.AsType[*rulesets.ProtectedLabelError](err); ok {
		return cmderr.WithHints(err, "give --admin to move it all the same")
	}
	return err
}

// readChanges reads the changes that a file, a folder or standard input asks for.
func readChanges(ctx context.Context, out *cmdio.IO, book rulebook, path string, prune bool) ([]rulesets.Change, error) {
	if path != "-" {
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		if info.IsDir() {
			return changesOfFolder(ctx, out, book, path, prune)
		}
	}
	if prune {
		return nil, cmderr.UsageErrorf("--prune needs a folder")
	}
	text, err := readText(out, []string{path})
	if err != nil {
		return nil, err
	}
	return rulesets.ParseChanges([]byte(text))
}

// changesOfFolder makes a change of each rules file below a folder.
func changesOfFolder(ctx context.Context, out *cmdio.IO, book rulebook, dir string, prune bool) ([]rulesets.Change, error) {
	found, err := rulefiles.Find([]string{dir}, "")
	if err != nil {
		return nil, err
	}
	show := showProgress(out, "reading")
	t := &transfer{sources: map[ruleset.Name]string{}}
	changes := make([]rulesets.Change, 0, len(found.Files))
	for i, file := range found.Files {
		path := file.Path
		draft, _, err := readDraft(out, file)
		if err == nil {
			draft.Name, err = t.claim(path, draft.Name)
		}
		change := putOf(draft)
		if err == nil && filepath.Base(path) == ruleset.MainFile {
			var old ruleset.Ruleset
			old, err = getIfThere(ctx, book, draft.Name)
			change.Files = filesToPut(path, old, draft.Files)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		changes = append(changes, change)
		show(i+1, len(found.Files))
	}
	if !prune {
		return changes, nil
	}
	metas, err := book.List(ctx)
	for _, m := range metas {
		if t.sources[m.Name] == "" {
			changes = append(changes, rulesets.Change{Op: "delete", Name: string(m.Name)})
		}
	}
	return changes, err
}

// getIfThere returns a ruleset, or the zero value if there is none.
func getIfThere(ctx context.Context, book rulebook, name ruleset.Name) (ruleset.Ruleset, error) {
	r, err := book.Get(ctx, name)
	if _, missing := errors.AsType[*ruleset.NotFoundError](err); missing {
		return ruleset.Ruleset{}, nil
	}
	return r, err
}

// putOf is the change that gives a ruleset the content of a file.
func putOf(d ruleset.Draft) rulesets.Change {
	tags := append([]string{}, d.Tags...)
	return rulesets.Change{
		Op: "put", Name: string(d.Name), Description: &d.Description, Tags: &tags, Markdown: &d.Markdown, Extra: &d.Extra,
		CreatedAt: d.CreatedAt, LastModified: d.LastModified,
	}
}

func printApplied(out *cmdio.IO, done rulesets.Applied, asJSON bool) error {
	counts := map[string]int{}
	for _, c := range done.Changes {
		counts[c.Status]++
		if asJSON || c.Status == "unchanged" {
			continue
		}
		if err := out.Printf("%s\n%s", c.Line(), c.Diff); err != nil {
			return err
		}
	}
	print := func() error { return out.Printf("%s\n", countsText(counts, done.DryRun)) }
	if asJSON {
		print = func() error { return out.PrintJSON(done) }
	}
	if err := print(); err != nil {
		return err
	}
	if n := counts["failed"]; n > 0 {
		return fmt.Errorf("%d of the changes failed", n)
	}
	return nil
}

// progressEvery is the shortest time between two lines of progress.
const progressEvery = time.Second

// showProgress returns a function that writes to standard error how far something is, if
// it takes long.
func showProgress(out *cmdio.IO, what string) func(done, total int) {
	last := time.Now()
	return func(done, total int) {
		if time.Since(last) < progressEvery {
			return
		}
		last = time.Now()
		fmt.Fprintf(out.Err, "triptych: %s: %d of %d\n", what, done, total)
	}
}
