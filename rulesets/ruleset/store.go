package ruleset

import (
	"context"
	"errors"
)

// A Store stores rulesets. Several processes may share the same data. Methods may
// be called from any goroutine, respect ctx, and take a bounded time.
//
// Errors: [*NotFoundError], [*ExistsError], [*ConflictError], [*UnavailableError];
// any other error is a bug in the store.
type Store interface {
	// Get returns one ruleset.
	Get(ctx context.Context, name Name) (Ruleset, error)
	// Read calls see with each of the named rulesets that exists, with all if names
	// is nil, one at a time and in no order. It is for indexes: it costs less than
	// Get of each and records nothing, so that Rev is 0. An error of see ends it.
	Read(ctx context.Context, names []Name, see func(Ruleset) error) error
	// History returns the revisions of a ruleset, newest first, of a deleted
	// one too. A change of the content by anybody is a revision; one that
	// changes nothing is none. What others changed without this program is
	// recorded when a store sees it: before the next change at the latest.
	History(ctx context.Context, name Name) ([]Revision, error)
	// Apply makes changes, all or none: an [*OperationError] says for which of them nothing
	// was done. A change is never half visible, and never resurrects a deleted ruleset. Of
	// several creations of one name, or updates from one [Patch.Base], on any mix of
	// processes, exactly one succeeds. The history of a deleted ruleset stays.
	//
	// The operations follow each other, so that a ruleset can be created and labelled at
	// once; an update that changes nothing leaves the ruleset as it is, unless it is
	// [Operation.Single]. On a cluster the rulesets must be in one hash slot, else the error
	// is a [*SlotsError].
	Apply(ctx context.Context, ops []Operation, o ApplyOptions) ([]Outcome, error)
	// LabelMoves returns the moves of all labels of a ruleset, newest first. Those of
	// the [ProposalLog] are the proposals, see [ProposalsOf].
	LabelMoves(ctx context.Context, name Name) ([]LabelMove, error)
	// List returns a page of rulesets in the order of [Compare]; next is the
	// position to continue from, "" at the end.
	List(ctx context.Context, page Page) (metas []Meta, next string, err error)
	// Names returns the names that begin with a prefix, sorted, as many as limit at
	// most, and the number of all of them. It is for completion: it costs little
	// however many rulesets there are, and a name whose ruleset has just gone may be
	// among them.
	Names(ctx context.Context, prefix string, limit int) (names []Name, total int, err error)
	// Watch calls changed after each change of the store by any process,
	// this one included, until ctx is done. Changes may be merged: a Change
	// without a name means that anything may have changed. One of the kind Began,
	// without a name, tells once that the watch has begun. It blocks.
	Watch(ctx context.Context, changed func(Change)) error
	// Close releases the resources of the store.
	Close() error
}

// An Inspector is a [Store] that can list what looks like a ruleset but is not
// served.
type Inspector interface {
	Problems(ctx context.Context) ([]Problem, error)
}

// A Problem is a file that is not served, and why.
type Problem struct{ File, Reason string }

// ApplyEach applies operations ruleset by ruleset: those of one name as a whole, and
// the others even if some fail. The outcomes are in the order of the operations; that
// of one which failed has only its name, and the error joins the [*OperationError]s of
// all.
func ApplyEach(ops []Operation, o ApplyOptions, apply func([]Operation, ApplyOptions) ([]Outcome, error)) ([]Outcome, error) {
	var names []Name
	places := map[Name][]int{}
	for i := range ops {
		name := ops[i].Name
		if places[name] == nil {
			names = append(names, name)
		}
		places[name] = append(places[name], i)
	}
	outcomes := make([]Outcome, len(ops))
	var errs []error
	for done, name := range names {
		own := make([]Operation, 0, len(places[name]))
		for _, at := range places[name] {
			own = append(own, ops[at])
			outcomes[at].Name = name
		}
		made, err := apply(own, ApplyOptions{DryRun: o.DryRun})
		if failed, ok := errors.AsType[*OperationError](err); ok {
			failed.Index = places[name][failed.Index]
		} else if err != nil {
			at := places[name][0]
			err = &OperationError{Index: at, Verb: ops[at].verb(), Name: name, Err: err}
		}
		if err != nil {
			errs = append(errs, err)
		} else {
			for i, at := range places[name] {
				outcomes[at] = made[i]
			}
		}
		o.Report(done+1, len(names))
	}
	return outcomes, errors.Join(errs...)
}

// As returns the first of a store and the stores that it wraps which is a T, such as an
// [Inspector] or a [FileStore]. A store that wraps another has a method Unwrap() Store.
func As[T any](s Store) (found T, ok bool) {
	for s != nil {
		if found, ok = s.(T); ok {
			return found, true
		}
		wrapper, wraps := s.(interface{ Unwrap() Store })
		if !wraps {
			break
		}
		s = wrapper.Unwrap()
	}
	return found, false
}
