package project

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/triptych-mcp/triptych/rulesets/editors"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// Pushed says what became of the edits of a project.
type Pushed struct {
	Updated []editors.Part // the new revisions
	Left    []error        // edits that could not be stored, each with its file
}

// Push stores the edits of a project's files as new revisions. An edit of a ruleset
// that was changed in the meantime is left, and so are edits of one ruleset in several
// files that contradict each other. A deleted file is no edit.
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
	return Pushed{edits.updated, edits.left}, p.markPushed(edits.files())
}

// edits collects what was changed in files, by ruleset.
type edits struct {
	source  Source
	byName  map[ruleset.Name]*edit
	items   []Item
	failed  map[ruleset.Name]bool
	updated []editors.Part
	left    []error
}

// An edit is a changed rule.
type edit struct {
	base   ruleset.Ruleset
	old    editors.Rule
	merged editors.Rule
	file   string // the file of the first change
}

// read reads the rules in a file, and merges what was changed.
func (e *edits) read(ctx context.Context, p *Project, i Item) error {
	data, _, err := p.disk.read(i.Path)
	if err != nil {
		return err
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
		e.left = append(e.left, err)
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
	e.left = append(e.left, err)
}

// merge adds the changes of a file. Different changes of one property contradict each
// other.
func (e *edit) merge(r editors.Rule, file string) error {
	old, merged, fresh := reflect.ValueOf(e.old), reflect.ValueOf(&e.merged).Elem(), reflect.ValueOf(r)
	for i := range old.NumField() {
		name := old.Type().Field(i).Name
		was, is, now := old.Field(i).Interface(), merged.Field(i).Interface(), fresh.Field(i).Interface()
		switch {
		case name == "Own":
			e.mergeOwn(r)
		case reflect.DeepEqual(was, now), reflect.DeepEqual(is, now):
		case !reflect.DeepEqual(was, is):
			return fmt.Errorf("%s and %s: ruleset '%s' was changed in both, not in the same way (%s)", e.file, file, r.Name, strings.ToLower(name))
		default:
			merged.Field(i).Set(fresh.Field(i))
			e.file = file
		}
	}
	return nil
}

// mergeOwn adds what a file keeps for its client.
func (e *edit) mergeOwn(r editors.Rule) {
	own := maps.Clone(e.merged.Own)
	if own == nil {
		own = map[string]editors.Own{}
	}
	for client, now := range r.Own {
		if now != e.old.Own[client] {
			own[client] = now
		}
	}
	for client := range e.old.Own {
		if _, kept := r.Own[client]; !kept {
			delete(own, client)
		}
	}
	if len(own) == 0 {
		own = nil
	}
	e.merged.Own = own
}

// store updates the rulesets that were changed.
func (e *edits) store(ctx context.Context, message string) error {
	for _, name := range sortedKeys(e.byName) {
		edit := e.byName[name]
		if e.failed[name] || reflect.DeepEqual(edit.old, edit.merged) {
			continue
		}
		fresh, err := edit.merged.Update(edit.base)
		if err != nil {
			return err
		}
		stored, err := e.source.Update(ctx, fresh, edit.base.Rev, message)
		if conflict, ok := errors.AsType[*ruleset.ConflictError](err); ok {
			e.fail(name, fmt.Errorf("%s: it was written from revision %d: %w", edit.file, edit.base.Rev, conflict))
			continue
		}
		if err != nil {
			return err
		}
		e.updated = append(e.updated, editors.Part{Name: name, Rev: stored.Rev})
	}
	return nil
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
