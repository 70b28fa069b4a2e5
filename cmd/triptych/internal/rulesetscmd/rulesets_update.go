package rulesetscmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmdio"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/command"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/gitsource"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/rulefiles"
	"github.com/triptych-mcp/triptych/rulesets"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// An update is one run of triptych rulesets update.
type update struct {
	transfer

	theirs, local bool
	differing     []string // differences of what was changed here and there
}

// A followed ruleset was imported from a repository.
type followed struct {
	name ruleset.Name
	from origin
	base int // the revision that was imported
}

func (a commands) rulesetsUpdate() command.Command {
	u := &update{}
	return command.Command{
		Name: "update", Args: "[NAME...]", Min: 0, Max: command.AnyNumber,
		Short: "bring what changed in the git repositories that rulesets were imported from",
		Long: "A ruleset that was not changed here since it was imported gets the new text. One\n" +
			"that was changed here and there stays as it is: the difference that you made is\n" +
			"printed, and the exit status is 1. --theirs takes the repository's text instead; the\n" +
			"history keeps yours.",
		Example: "triptych rulesets update --dry-run\ntriptych rulesets update pdf --theirs",
		Flags: func(set *pflag.FlagSet) {
			set.BoolVar(&u.dry, "dry-run", false, "only say what would be done")
			set.BoolVar(&u.theirs, "theirs", false, "replace what was changed here, too")
			set.BoolVar(&u.local, "allow-file", false, "take file:// URLs of repositories, too")
			a.writingFlags(set)
		},
		Complete: a.completeRulesets,
		Run: func(ctx context.Context, args []string) error {
			names, err := parseNames(args)
			if err != nil {
				return storeHint(err)
			}
			u.counts, u.sources = map[string]int{}, map[ruleset.Name]string{}
			return a.withRulebook(ctx, func(book rulebook) error { return a.update(ctx, book, u, names) })
		},
	}
}

func (a commands) update(ctx context.Context, book rulebook, u *update, names []ruleset.Name) error {
	byURL, err := followedIn(ctx, book, names)
	if err != nil {
		return err
	}
	defer u.closeRepositories()
	for _, address := range slices.Sorted(maps.Keys(byURL)) {
		if err := updateFrom(ctx, a.IO, book, u, address, byURL[address]); err != nil {
			return err
		}
	}
	for _, diff := range u.differing {
		if err := a.Printf("\n%s", cmdio.EndLine(diff)); err != nil {
			return err
		}
	}
	err = summarize(a.IO, &u.transfer)
	if len(u.differing) > 0 {
		err = cmderr.WithHints(err, "put your change into the repository, or give --theirs; triptych rulesets restore brings yours back")
	}
	return err
}

// followedIn returns the rulesets that were imported from repositories, by URL.
func followedIn(ctx context.Context, book rulebook, names []ruleset.Name) (map[string][]followed, error) {
	chosen := len(names) > 0
	if !chosen {
		metas, err := book.List(ctx)
		if err != nil {
			return nil, err
		}
		for _, m := range metas {
			names = append(names, m.Name)
		}
	}
	byURL := map[string][]followed{}
	for _, name := range names {
		history, err := book.History(ctx, name)
		if err != nil {
			return nil, err
		}
		from, base, ok := lastOrigin(history)
		if !ok && chosen {
			return nil, fmt.Errorf("ruleset '%s' was not imported from a repository", name)
		}
		if ok {
			byURL[from.url] = append(byURL[from.url], followed{name, from, base})
		}
	}
	return byURL, nil
}

// updateFrom updates the rulesets of one repository. One that cannot be read leaves the others.
func updateFrom(ctx context.Context, out *cmdio.IO, book rulebook, u *update, address string, all []followed) error {
	fail := func(err error) error {
		for _, f := range all {
			if err := note(out, &u.transfer, "failed", address+"#"+f.from.path, err.Error()); err != nil {
				return err
			}
		}
		return ctx.Err()
	}
	source, isURL, err := gitsource.Parse(address, u.local)
	if err == nil && !isURL {
		err = errors.New("it is no URL")
	}
	if err != nil {
		return fail(err)
	}
	tree, err := gitsource.Open(ctx, source.URL, pathsOf(all), u.local)
	if err != nil {
		return fail(err)
	}
	u.repositories = append(u.repositories, &repository{address, tree})
	for _, f := range all {
		outcome, to := updateOne(ctx, out, book, u, tree, f)
		if err := note(out, &u.transfer, outcome, address+"#"+f.from.path, to); err != nil {
			return err
		}
	}
	return nil
}

// pathsOf returns what of a repository rulesets are made of.
func pathsOf(all []followed) (paths []string) {
	for _, f := range all {
		place := f.from.path
		if path.Base(place) == ruleset.MainFile {
			place = strings.TrimPrefix(path.Dir(place), ".") // of the whole repository it is ""
		}
		paths = append(paths, place)
	}
	return paths
}

// updateOne brings what changed of one ruleset, and returns what became of it.
func updateOne(ctx context.Context, out *cmdio.IO, book rulebook, u *update, tree *gitsource.Tree, f followed) (outcome, to string) {
	object := objectOf(tree, f.from.path)
	file := filepath.Join(tree.Dir, filepath.FromSlash(f.from.path))
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		return "left", string(f.name) + ": it is not in the repository any more"
	}
	if object == f.from.object {
		return "unchanged", string(f.name)
	}
	draft, _, err := readDraft(out, rulefiles.File{Path: file, Rel: f.from.path})
	if err != nil {
		return "failed", err.Error()
	}
	old, err := book.Get(ctx, f.name)
	if err != nil {
		return "failed", err.Error()
	}
	if old.Rev != f.base && !u.theirs {
		own, err := book.Compare(ctx, f.name, f.base, old.Rev)
		if err != nil {
			return "failed", err.Error()
		}
		if !own.Same {
			u.differing = append(u.differing, own.Unified)
			return "failed", fmt.Sprintf("%s was changed here since revision %d, and there", f.name, f.base)
		}
	}
	change := putOf(draft)
	change.Op, change.Name, change.IfRev = "update", string(f.name), &old.Rev
	change.Files = filesToPut(file, old, draft.Files)
	change.Message = origin{f.from.url, f.from.path, tree.Commit, object}.String()
	if u.dry {
		return "updated", string(f.name)
	}
	if _, err := book.Apply(ctx, rulesets.ChangeSet{Changes: []rulesets.Change{change}}, nil); err != nil {
		return "failed", err.Error()
	}
	return "updated", string(f.name)
}
