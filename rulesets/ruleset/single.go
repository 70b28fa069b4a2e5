package ruleset

import (
	"context"
	"errors"
)

// Create stores a new ruleset. The error is an [*ExistsError] if the name is taken.
func Create(ctx context.Context, s Store, d Draft) (Ruleset, error) {
	return after(applyOne(ctx, s, Operation{Name: d.Name, Create: &d, Single: len(d.Files) == 0}))
}

// Update changes a ruleset. CreatedAt stays; LastModified becomes now, or stays where it is
// if the clock went back.
func Update(ctx context.Context, s Store, name Name, p Patch) (Ruleset, error) {
	return after(applyOne(ctx, s, Operation{Name: name, Update: &p, Single: len(p.Files) == 0}))
}

// Delete removes a ruleset. Its history stays.
func Delete(ctx context.Context, s Store, name Name, r Removal) error {
	_, err := applyOne(ctx, s, Operation{Name: name, Delete: &r, Single: true})
	return err
}

// MoveLabel moves or removes a label and returns the move as it is recorded.
// Errors: [*NoRevisionError], [*NoLabelError], [*FixedLabelError].
func MoveLabel(ctx context.Context, s Store, name Name, m LabelMove) (LabelMove, error) {
	o, err := applyOne(ctx, s, Operation{Name: name, Move: &m, Single: true})
	return o.Move, err
}

// applyOne applies one operation. The error says nothing of a batch.
func applyOne(ctx context.Context, s Store, op Operation) (Outcome, error) {
	outcomes, err := s.Apply(ctx, []Operation{op}, ApplyOptions{})
	if failed, ok := errors.AsType[*OperationError](err); ok {
		err = failed.Err
	}
	if err != nil {
		return Outcome{}, err
	}
	return outcomes[0], nil
}

// after returns the ruleset after an operation.
func after(o Outcome, err error) (Ruleset, error) {
	if err != nil {
		return Ruleset{}, err
	}
	return o.After.Clone(), nil
}
