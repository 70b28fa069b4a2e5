package project

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"

	"github.com/triptych-mcp/triptych/rulesets/editors"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// Pushed lists the edits of a project that were stored, and those that were left with the reasons.
type Pushed struct {
	Updated []editors.Part // the new revisions
	Merged  []editors.Part // the revisions of others that edits were merged with
	Files   []string       // the files of skills that were stored
	Left    []error        // edits that could not be stored, each with its file
}

// Add adds what another push has stored and left.
func (p *Pushed) Add(other Pushed) {
	p.Updated, p.Merged = append(p.Updated, other.Updated...), append(p.Merged, other.Merged...)
	p.Files, p.Left = append(p.Files, other.Files...), append(p.Left, other.Left...)
}

// Push stores the edits of a project's files as new revisions. Edits of one ruleset in
// several files, and those that others made in the meantime, are merged; edits that
// contradict each other are left. A deleted file is no edit.
func (p *Project) Push(ctx context.Context, source Source, plan Plan, message string) (Pushed, error) {
	edits := edits{source: source, byName: map[ruleset.Name]*edit{}}
	for _, i := range plan.Items {
		if i.Locked.Path == "" || !i.Exists || i.State != Drift && i.State != Conflict && i.State != OrphanDrifted {
			continue
		}
		if err := edits.read(ctx, p, i); err != nil {
			return Pushed{}, err
		}
	}
	if err := edits.store(ctx, message); err != nil {
		return Pushed{}, err
	}
	return edits.pushed, p.markPushed(edits.files())
}

// edits holds the changes of files by ruleset.
type edits struct {
	source Source
	byName map[ruleset.Name]*edit
	items  []Item
	failed map[ruleset.Name]bool
	pushed Pushed
}

// read reads the rules in a file and merges their changes into the edits.
func (e *edits) read(ctx context.Context, p *Project, i Item) error {
	data, _, err := p.disk.read(i.Path)
	if err != nil {
		return err
	}
	if below, ok := attachmentOf(i); ok {
		return e.readAttachment(ctx, i, editors.Attachment{Path: below, Data: data})
	}
	bases := map[ruleset.Name]editors.Rule{}
	for _, part := range i.Locked.Parts {
		known, err := e.base(ctx, part)
		if err != nil {
			return err
		}
		bases[part.Name] = known.old
	}
	rules, err := editors.Read(i.Path, data, bases)
	if err != nil {
		e.pushed.Left = append(e.pushed.Left, err)
		return nil
	}
	e.items = append(e.items, i)
	for _, r := range rules {
		if err := e.byName[r.Name].merge(r, i.Path); err != nil {
			e.fail(r.Name, err)
		}
	}
	return nil
}

// attachmentOf returns the path below the folder of a skill that a file beside its SKILL.md
// has; ok is false for other files.
func attachmentOf(i Item) (below string, ok bool) {
	if i.Shared || len(i.Locked.Parts) != 1 {
		return "", false
	}
	if below, ok = editors.PluginFile(i.Path, i.Locked.Parts[0].Name); ok {
		return below, below != ruleset.MainFile
	}
	return editors.AttachmentOf(i.Path)
}

// readAttachment stores an edited file of a skill, if the skill still has the one that
// was written.
func (e *edits) readAttachment(ctx context.Context, i Item, fresh editors.Attachment) error {
	name := i.Locked.Parts[0].Name
	files, err := e.source.Files(ctx, name)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(files, func(f editors.Attachment) bool { return f.Path == fresh.Path })
	if at < 0 || Sum(files[at].Data) != i.Locked.Sum && !bytes.Equal(normal(files[at].Data), normal(fresh.Data)) {
		e.pushed.Left = append(e.pushed.Left, fmt.Errorf("%s: the file of ruleset '%s' was changed in the meantime", i.Path, name))
		return nil
	}
	if err := e.source.ChangeFile(ctx, name, fresh); err != nil {
		return err
	}
	e.pushed.Files = append(e.pushed.Files, i.Path)
	e.items = append(e.items, i)
	return nil
}

// base returns the rule that a file was written from.
func (e *edits) base(ctx context.Context, part editors.Part) (*edit, error) {
	if known := e.byName[part.Name]; known != nil {
		return known, nil
	}
	base, err := e.source.Get(ctx, part.Name, strconv.Itoa(part.Rev))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", part, err)
	}
	rule, _ := editors.FromRuleset(base)
	e.byName[part.Name] = &edit{base: base, old: rule, merged: rule}
	return e.byName[part.Name], nil
}

func (e *edits) fail(name ruleset.Name, err error) {
	if e.failed == nil {
		e.failed = map[ruleset.Name]bool{}
	}
	e.failed[name] = true
	e.pushed.Left = append(e.pushed.Left, err)
}

// store updates the rulesets that were changed.
func (e *edits) store(ctx context.Context, message string) error {
	for _, name := range sortedKeys(e.byName) {
		edit := e.byName[name]
		if e.failed[name] || reflect.DeepEqual(edit.old, edit.merged) {
			continue
		}
		err := e.update(ctx, edit, message)
		_, conflicts := errors.AsType[*ruleset.ConflictError](err)
		_, deleted := errors.AsType[*ruleset.NotFoundError](err)
		switch {
		case conflicts, deleted:
			e.fail(name, fmt.Errorf("%s: it was written from revision %d: %w", edit.file, edit.base.Rev, err))
		case err != nil:
			return err
		}
	}
	return nil
}

// maxMerges limits how often an edit is merged with newer revisions, which other clients
// may store at any time.
const maxMerges = 20

// update stores one edit. One that cannot be merged with a newer revision is a
// [*ruleset.ConflictError].
func (e *edits) update(ctx context.Context, edit *edit, message string) error {
	base, merged := edit.base, edit.merged
	for n := 0; ; n++ {
		fresh, err := merged.Update(base)
		if err != nil {
			return err
		}
		stored, err := e.source.Update(ctx, fresh, base.Rev, message)
		conflict, newer := errors.AsType[*ruleset.ConflictError](err)
		switch {
		case err == nil:
			e.pushed.Updated = append(e.pushed.Updated, editors.Part{Name: fresh.Name, Rev: stored.Rev})
			if n > 0 {
				e.pushed.Merged = append(e.pushed.Merged, editors.Part{Name: fresh.Name, Rev: base.Rev})
			}
			return nil
		case !newer || n == maxMerges:
			return err
		}
		base = conflict.Current
		theirs, _ := editors.FromRuleset(base)
		if merged, err = edit.onto(theirs); err != nil {
			return fmt.Errorf("%w; %w", conflict, err)
		}
		if reflect.DeepEqual(merged, theirs) {
			return nil // they made the same edit
		}
	}
}

// files returns the items all of whose edits are stored.
func (e *edits) files() []Item {
	return slices.DeleteFunc(slices.Clone(e.items), func(i Item) bool {
		return slices.ContainsFunc(i.Locked.Parts, func(p editors.Part) bool { return e.failed[p.Name] })
	})
}

// markPushed records that the content of files is stored: rulesets may replace it.
func (p *Project) markPushed(items []Item) error {
	if len(items) == 0 {
		return nil
	}
	entries := p.Lock.byPath()
	for _, i := range items {
		entry := entries[i.Path]
		entry.Sum, entry.Was = Sum(i.Have), ""
		entries[i.Path] = entry
	}
	return p.writeLock(entries)
}
