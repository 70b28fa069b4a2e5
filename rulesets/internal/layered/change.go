package layered

import (
	"context"
	"errors"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

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

// Apply implements [ruleset.Store]. Updates of rulesets of later parts copy them first.
func (s *Store) Apply(ctx context.Context, ops []ruleset.Operation, o ruleset.ApplyOptions) ([]ruleset.Outcome, error) {
	p, err := s.target()
	if err != nil {
		return nil, s.notWritten(ctx, ops, err)
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
		if own[i].After != nil {
			p.mark(&own[i].After.Meta)
		}
	}
	return own, nil
}

// notWritten returns the error of operations where no part is written. One ruleset that is
// not there is said to be missing.
func (s *Store) notWritten(ctx context.Context, ops []ruleset.Operation, err error) error {
	if !ruleset.IsSingle(ops) || ops[0].Create != nil {
		return err
	}
	if _, _, missing := s.find(ctx, ops[0].Name); missing != nil {
		return missing
	}
	return err
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
	patch.IfRev, patch.Base = 0, nil // both belong to the original
	op.Update, op.Single = &patch, false
	copied, err := s.copyOf(ctx, at, current, patch.By)
	return []ruleset.Operation{copied}, err
}
