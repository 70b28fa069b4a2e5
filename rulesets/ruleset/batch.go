package ruleset

import (
	"fmt"
	"slices"
)

// An Operation is one change of a batch: exactly one of its pointers is set.
type Operation struct {
	Name   Name
	Create *Draft
	Update *Patch
	Delete *Removal
	Move   *LabelMove

	// Single says that the operation is a call of its own, by [Create], [Update], [Delete]
	// or [MoveLabel], on a ruleset whose files stay. Such an update sets LastModified also
	// if it changes nothing. The store may do it in fewer steps than a batch; its outcome
	// then has no Before.
	Single bool
}

// IsSingle reports whether operations are one that is [Operation.Single].
func IsSingle(ops []Operation) bool { return len(ops) == 1 && ops[0].Single }

// verb names the operation in errors.
func (o *Operation) verb() string {
	switch {
	case o.Create != nil:
		return "create"
	case o.Update != nil:
		return "update"
	case o.Delete != nil:
		return "delete"
	}
	return "label"
}

// ApplyOptions are the options of [Store.Apply].
type ApplyOptions struct {
	// DryRun asks for the outcomes without the changes.
	DryRun bool
	// Progress, if not nil, is called with the number of rulesets that are prepared or
	// written, from one goroutine at a time.
	Progress func(done, total int)
}

// Report calls Progress if there is one.
func (o ApplyOptions) Report(done, total int) {
	if o.Progress != nil {
		o.Progress(done, total)
	}
}

// An Outcome describes the effect of an operation.
type Outcome struct {
	Name Name
	// Kind is the kind of change, 0 for an update that changes nothing.
	Kind ChangeKind
	// Rev is the revision that the operation makes, or that is the newest one if it
	// makes none.
	Rev int
	// Before and After are the ruleset before and after the operation, nil if it does not
	// exist then.
	Before, After *Ruleset
	// Move is the move of a label as it is recorded.
	Move LabelMove
}

// An OperationError reports the operation for which nothing of a batch was done.
type OperationError struct {
	Index int // of the operation, from 0
	Verb  string
	Name  Name
	Err   error
}

func (e *OperationError) Error() string {
	return fmt.Sprintf("operation %d (%s %s): %v", e.Index+1, e.Verb, e.Name, e.Err)
}

func (e *OperationError) Unwrap() error { return e.Err }

// A SlotsError reports a batch that a cluster cannot apply as a whole, since its
// rulesets are on several servers.
type SlotsError struct{ First, Other Name }

func (e *SlotsError) Error() string {
	return fmt.Sprintf("a cluster changes all or nothing within one hash slot only, and '%s' and '%s' are in different ones", e.First, e.Other)
}

// A State is the state of one ruleset before a batch.
type State struct {
	Ruleset *Ruleset // nil if it does not exist
	Files   []File   // in order of path, also if it does not exist
	// History holds the revisions, newest first: all of them for a batch that moves
	// labels of the ruleset, else at least the newest.
	History []Revision
	Moves   []LabelMove // newest first; only for a batch that moves labels of it
}

// An Effect is the effect of a batch on one ruleset.
type Effect struct {
	Name          Name
	Before, After *Ruleset     // nil if it does not exist
	Revisions     []Revision   // to be added, oldest first
	Moves         []LabelMove  // likewise
	Files         []FileChange // in their order, several for a path that changes again
	Touched       bool         // nothing but LastModified changes, without a revision
}

// LastFiles returns the changes that the files have in the end: the last of each path.
func (e *Effect) LastFiles() (last []FileChange) {
	seen := make(map[string]bool, len(e.Files))
	for _, c := range slices.Backward(e.Files) {
		if !seen[c.Path] {
			seen[c.Path] = true
			last = append(last, c)
		}
	}
	slices.Reverse(last)
	return last
}

// Changed reports whether the ruleset itself changes.
func (e *Effect) Changed() bool { return len(e.Revisions) > 0 }

// Kind returns the kind of the change as a whole, 0 if the ruleset stays as it is.
func (e *Effect) Kind() ChangeKind {
	switch {
	case e.Touched:
		return Updated
	case !e.Changed(), e.Before == nil && e.After == nil:
		return 0
	case e.Before == nil:
		return Created
	case e.After == nil:
		return Deleted
	}
	return Updated
}

// A Batch is the result of [Stage].
type Batch struct {
	Effects  []*Effect // one for each ruleset, in the order of its first operation
	Outcomes []Outcome // one for each operation
}
