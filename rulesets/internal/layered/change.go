package layered

import (
	"context"
	"errors"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// Create implements [ruleset.Store].
func (s *Store) Create(ctx context.Context, d ruleset.Draft) (ruleset.Ruleset, error) {
	p, err := s.target()
	if err != nil {
		return ruleset.Ruleset{}, err
	}
	if _, _, err := s.find(ctx, d.Name); err == nil {
		return ruleset.Ruleset{}, &ruleset.ExistsError{Name: d.Name}
	}
	r, err := p.Create(ctx, d)
	p.mark(&r.Meta)
	return r, err
}

// owned returns the part that is written if it may change a ruleset that a part has.
func (s *Store) owned(name ruleset.Name, at int) (*Part, error) {
	p, err := s.target()
	if err == nil && at < s.writable {
		err = &ReadOnlyError{name, s.parts[at].Name}
	}
	return p, err
}

// Update implements [ruleset.Store]. A ruleset of a later part is copied first.
func (s *Store) Update(ctx context.Context, name ruleset.Name, patch ruleset.Patch) (ruleset.Ruleset, error) {
	current, at, err := s.find(ctx, name)
	if err != nil {
		return ruleset.Ruleset{}, err
	}
	p, err := s.owned(name, at)
	if err != nil {
		return ruleset.Ruleset{}, err
	}
	var r ruleset.Ruleset
	if at == s.writable {
		r, err = p.Update(ctx, name, patch)
	} else {
		r, err = s.updateCopy(ctx, p, at, current, patch)
	}
	p.mark(&r.Meta)
	return r, err
}

// updateCopy copies a ruleset and updates the copy, both or none.
func (s *Store) updateCopy(ctx context.Context, p *Part, at int, current ruleset.Ruleset, patch ruleset.Patch) (ruleset.Ruleset, error) {
	if err := patch.Check(current); err != nil {
		return ruleset.Ruleset{}, err
	}
	patch.IfRev, patch.Base = 0, nil // both belong to the original
	copied, err := s.copyOf(ctx, at, current, patch.By)
	if err != nil {
		return ruleset.Ruleset{}, err
	}
	outcomes, err := p.Apply(ctx, []ruleset.Operation{copied, {Name: current.Name, Update: &patch}}, ruleset.ApplyOptions{})
	if failed, ok := errors.AsType[*ruleset.OperationError](err); ok {
		err = failed.Err
	}
	if err != nil {
		return ruleset.Ruleset{}, err
	}
	return *outcomes[1].After, nil
}

// copyOf returns the operation that copies a ruleset of a part.
func (s *Store) copyOf(ctx context.Context, at int, r ruleset.Ruleset, by ruleset.By) (ruleset.Operation, error) {
	by.Message, by.Restores = "copied from "+s.parts[at].Name, 0
	d := &ruleset.Draft{
		Name: r.Name, Description: r.Description, Tags: r.Tags, Markdown: r.Markdown, Extra: r.Extra, Folder: r.Folder, By: by,
		CreatedAt: r.CreatedAt, LastModified: r.LastModified,
	}
	for _, f := range r.Files {
		data, err := s.parts[at].read(ctx, r.Name, f)
		if err != nil {
			return ruleset.Operation{}, err
		}
		d.Files = append(d.Files, ruleset.FileChange{Path: f.Path, Data: append([]byte{}, data...)}) // an empty one is not nil
	}
	return ruleset.Operation{Name: r.Name, Create: d}, nil
}

// Delete implements [ruleset.Store].
func (s *Store) Delete(ctx context.Context, name ruleset.Name, r ruleset.Removal) error {
	_, at, err := s.find(ctx, name)
	if err != nil {
		return err
	}
	p, err := s.target()
	if err != nil {
		return err
	}
	if at != s.writable {
		return &ReadOnlyError{name, s.parts[at].Name}
	}
	return p.Delete(ctx, name, r)
}

// MoveLabel implements [ruleset.Store].
func (s *Store) MoveLabel(ctx context.Context, name ruleset.Name, m ruleset.LabelMove) (ruleset.LabelMove, error) {
	p, err := s.recorded(ctx, name)
	if err != nil {
		return m, err
	}
	if target, err := s.target(); err != nil {
		return m, err
	} else if target != p {
		return m, &ReadOnlyError{name, p.Name}
	}
	return p.MoveLabel(ctx, name, m)
}

// Apply implements [ruleset.Store]. Updates of rulesets of later parts copy them first.
func (s *Store) Apply(ctx context.Context, ops []ruleset.Operation, o ruleset.ApplyOptions) ([]ruleset.Outcome, error) {
	p, err := s.target()
	if err != nil {
		return nil, err
	}
	var all []ruleset.Operation
	places := make([]int, len(ops)) // of the operations in all
	known := map[ruleset.Name]bool{}
	for i, op := range ops {
		if !known[op.Name] {
			known[op.Name] = true
			added, err := s.prepare(ctx, &op)
			if err != nil {
				return nil, &ruleset.OperationError{Index: i, Verb: "change", Name: op.Name, Err: err}
			}
			all = append(all, added...)
		}
		places[i] = len(all)
		all = append(all, op)
	}
	outcomes, err := p.Apply(ctx, all, o)
	if failed, ok := errors.AsType[*ruleset.OperationError](err); ok {
		for i, at := range places {
			if failed.Index <= at {
				failed.Index = i
				break
			}
		}
	}
	if err != nil {
		return nil, err
	}
	own := make([]ruleset.Outcome, len(ops))
	for i, at := range places {
		own[i] = outcomes[at]
	}
	return own, nil
}

// prepare returns the operations that come before the first one on a ruleset, and makes
// that one an operation on the part that is written.
func (s *Store) prepare(ctx context.Context, op *ruleset.Operation) ([]ruleset.Operation, error) {
	current, at, err := s.find(ctx, op.Name)
	switch {
	case isMissing(err), err == nil && at == s.writable:
		return nil, nil
	case err != nil:
		return nil, err
	case op.Create != nil:
		return nil, &ruleset.ExistsError{Name: op.Name}
	case op.Update == nil || at < s.writable:
		return nil, &ReadOnlyError{op.Name, s.parts[at].Name}
	}
	if err := op.Update.Check(current); err != nil {
		return nil, err
	}
	patch := *op.Update
	patch.IfRev, patch.Base = 0, nil
	op.Update = &patch
	copied, err := s.copyOf(ctx, at, current, patch.By)
	return []ruleset.Operation{copied}, err
}
