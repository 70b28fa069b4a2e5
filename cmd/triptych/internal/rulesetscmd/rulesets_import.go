package rulesetscmd

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmdio"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/rulefiles"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/rulesclient"
	"github.com/triptych-mcp/triptych/rulesets"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// An imported is a file of an import, and what becomes of it.
type imported struct {
	path, outcome, to string
	change            *rulesets.Change // nil if nothing is to be done
}

// fail notes why the file was not imported.
func (f *imported) fail(why string) { f.outcome, f.to, f.change = "failed", why, nil }

// size returns the number of bytes of the text that is to be stored.
func (f *imported) size() int {
	if f.change == nil || f.change.Markdown == nil {
		return 0
	}
	size := len(*f.change.Markdown)
	for _, file := range f.change.Files {
		for _, data := range []*string{file.Text, file.Blob} {
			if data != nil {
				size += len(*data)
			}
		}
	}
	return size
}

// importAtOnce is the number of files that are stored by one batch: it costs a fraction of
// as many changes, and one record of the audit trail can name most of them.
const importAtOnce = 100

// importBytes is the number of bytes at which a batch is stored though it has fewer files:
// a server takes requests of some MiB, in which the texts are escaped.
const importBytes = 4 << 20

// importAll imports files and prints what became of each. The error is of the output or
// of ctx; what is wrong with a file is an outcome.
func importAll(ctx context.Context, out *cmdio.IO, book rulebook, t *transfer, files []rulefiles.File) error {
	show := showProgress(out, "importing")
	var some []*imported
	size := 0
	for i, file := range files {
		some = append(some, planImport(ctx, out, book, t, file))
		size += some[len(some)-1].size()
		if len(some) < importAtOnce && size < importBytes && i+1 < len(files) {
			continue
		}
		if !t.dry {
			applyImports(ctx, book, some)
		}
		for _, f := range some {
			if err := note(out, t, f.outcome, f.path, f.to); err != nil {
				return err
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		some, size = some[:0], 0
		show(i+1, len(files))
	}
	return nil
}

// planImport reads a file and decides what to do with it.
func planImport(ctx context.Context, out *cmdio.IO, book rulebook, t *transfer, file rulefiles.File) *imported {
	path := file.Path
	f := &imported{path: t.shown(path)}
	draft, notes, err := readDraft(out, file)
	if err == nil {
		draft, err = t.claimFor(file, draft)
	}
	if err != nil {
		f.fail(err.Error())
		return f
	}
	f.to = string(draft.Name)
	if became := file.Became(); became != "" {
		f.to += " (" + became + ")"
	}
	if len(notes) > 0 {
		f.to += " (left out: " + strings.Join(notes, "; ") + ")"
	}
	old, err := book.Get(ctx, draft.Name)
	_, isMissing := errors.AsType[*ruleset.NotFoundError](err)
	change := putOf(draft)
	change.Files, change.Message = filesToPut(path, old, draft.Files), t.origin(path)
	fresh := old
	fresh.Description, fresh.Tags, fresh.Markdown, fresh.Extra = draft.Description, draft.Tags, draft.Markdown, draft.Extra
	switch {
	case isMissing:
		f.outcome, f.change = "created", &change
		change.Op = "create"
	case err != nil:
		f.fail(err.Error())
	case difference(old, fresh).Empty() && len(change.Files) == 0:
		f.outcome = "unchanged"
	case !t.overwrite:
		f.outcome = "skipped"
	default:
		f.outcome, f.change = "updated", &change
		change.Op, change.IfRev = "update", &old.Rev
	}
	return f
}

// filesToPut returns the changes that give a ruleset the files of a skill. Other rules files
// say nothing about them.
func filesToPut(path string, old ruleset.Ruleset, files []ruleset.FileChange) (changes []rulesets.FileArg) {
	if filepath.Base(path) != ruleset.MainFile {
		return nil
	}
	fresh := ruleset.ChangedFiles(nil, files)
	for _, f := range old.Files {
		if !slices.ContainsFunc(fresh, func(other ruleset.File) bool { return other.Path == f.Path }) {
			changes = append(changes, rulesets.FileArg{Path: f.Path})
		}
	}
	for _, f := range files {
		if !slices.Contains(old.Files, ruleset.FileOf(f.Path, f.Data)) {
			changes = append(changes, rulesets.FileArgOf(f))
		}
	}
	return changes
}

// applyImports stores files: together, without those that cannot be stored.
func applyImports(ctx context.Context, book rulebook, files []*imported) {
	var rest []*imported
	for _, f := range files {
		if f.change != nil {
			rest = append(rest, f)
		}
	}
	for len(rest) > 0 {
		err := applyTogether(ctx, book, rest, false)
		failed, ok := errors.AsType[*ruleset.OperationError](err)
		if err == nil {
			return
		}
		if !ok { // a server does not say which one failed, and a cluster applies one at a time
			applyEach(ctx, book, rest)
			return
		}
		rest[failed.Index].fail(failed.Err.Error())
		if before := rest[:failed.Index]; len(before) > 0 && applyTogether(ctx, book, before, false) != nil {
			applyEach(ctx, book, before)
		}
		rest = rest[failed.Index+1:]
	}
}

// applyEach stores files one by one: by one request unless that fails as a whole.
func applyEach(ctx context.Context, book rulebook, files []*imported) {
	err := applyTogether(ctx, book, files, true)
	switch {
	case err == nil:
	case len(files) == 1:
		files[0].fail(err.Error())
	default:
		for _, f := range files {
			if f.change != nil {
				applyEach(ctx, book, []*imported{f})
			}
		}
	}
}

// applyTogether stores files with one batch, all or none; with each, a file that fails
// has the reason. Files of a batch that became a proposal all have it.
func applyTogether(ctx context.Context, book rulebook, files []*imported, each bool) error {
	set := rulesets.ChangeSet{Message: "imported", Each: each}
	for _, f := range files {
		set.Changes = append(set.Changes, *f.change)
	}
	applied, err := book.Apply(ctx, set, nil)
	if proposed, ok := errors.AsType[*rulesclient.ProposedError](err); ok {
		for _, f := range files {
			f.fail(proposed.Error())
		}
		return nil
	}
	for i, c := range applied.Changes {
		if c.Error != "" {
			files[i].fail(c.Error)
		}
	}
	return err
}
