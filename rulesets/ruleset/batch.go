package ruleset

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"
)

// An Operation is one change of a batch: exactly one of its pointers is set.
type Operation struct {
	Name   Name
	Create *Draft
	Update *Patch
	Delete *Removal
	Move   *LabelMove
}

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

// Stage computes what operations do, one after the other, without doing it. load is
// called once for each name; labels says that a label of it moves. The error is an
// [*OperationError] of the first operation that cannot be done, or that of load.
func Stage(ops []Operation, now time.Time, load func(name Name, labels bool) (State, error)) (Batch, error) {
	labelled := map[Name]bool{}
	for i := range ops {
		labelled[ops[i].Name] = labelled[ops[i].Name] || ops[i].Move != nil
	}
	var b Batch
	stages := make(map[Name]*stage, len(labelled))
	for i := range ops {
		op := &ops[i]
		st := stages[op.Name]
		if st == nil {
			before, err := load(op.Name, labelled[op.Name])
			if err != nil {
				return b, &OperationError{Index: i, Verb: op.verb(), Name: op.Name, Err: err}
			}
			st = &stage{State: before, now: now, effect: &Effect{Name: op.Name, Before: before.Ruleset}}
			stages[op.Name], b.Effects = st, append(b.Effects, st.effect)
		}
		outcome, err := st.do(op)
		if err != nil {
			return b, &OperationError{Index: i, Verb: op.verb(), Name: op.Name, Err: err}
		}
		b.Outcomes = append(b.Outcomes, outcome)
	}
	for _, st := range stages {
		st.effect.After = st.Ruleset
	}
	return b, nil
}

// A stage is the state of one ruleset between two operations of a batch.
type stage struct {
	State
	now    time.Time
	effect *Effect
}

func (s *stage) do(op *Operation) (Outcome, error) {
	o := Outcome{Name: op.Name, Before: s.Ruleset}
	var err error
	switch {
	case op.Create != nil:
		o.Kind, err = Created, s.create(op.Create)
	case op.Update != nil:
		o.Kind, err = s.update(op.Update)
	case op.Delete != nil:
		o.Kind, err = Deleted, s.delete(op.Delete)
	case op.Move != nil:
		o.Kind = Labelled
		o.Move, err = s.move(*op.Move)
	default:
		err = errors.New("it does nothing")
	}
	o.Rev, o.After = s.head(), s.Ruleset
	return o, err
}

// head returns the number of the newest revision, 0 if there is none.
func (s *stage) head() int {
	if len(s.History) == 0 {
		return 0
	}
	return s.History[0].Number
}

func (s *stage) create(d *Draft) error {
	if s.Ruleset != nil {
		return &ExistsError{Name: d.Name}
	}
	r := d.At(s.now)
	if err := r.checkTexts(); err != nil {
		return err
	}
	if err := s.changeFiles(d.Files, len(r.Markdown)); err != nil {
		return err
	}
	s.record(&r, d.By)
	return nil
}

// changeFiles makes changes to the files; text is the size of the ruleset's own text.
func (s *stage) changeFiles(changes []FileChange, text int) error {
	if len(changes) == 0 {
		return nil
	}
	if err := CheckFiles(s.effect.Name, s.Files, changes, text); err != nil {
		return err
	}
	s.Files = ChangedFiles(s.Files, changes)
	s.effect.Files = append(s.effect.Files, changes...)
	return nil
}

func (s *stage) update(p *Patch) (ChangeKind, error) {
	if s.Ruleset == nil {
		return 0, &NotFoundError{Name: s.effect.Name}
	}
	if err := p.Check(*s.Ruleset); err != nil {
		return 0, err
	}
	r := p.Apply(*s.Ruleset, s.now)
	if err := r.checkTexts(); err != nil {
		return 0, err
	}
	before := s.Files
	if err := s.changeFiles(p.Files, len(r.Markdown)); err != nil {
		return 0, err
	}
	if SameContent(r, *s.Ruleset) && SameFiles(before, s.Files) {
		return 0, nil
	}
	s.record(&r, p.By)
	return Updated, nil
}

func (s *stage) delete(r *Removal) error {
	if s.Ruleset == nil {
		return &NotFoundError{Name: s.effect.Name}
	}
	if err := r.Check(*s.Ruleset); err != nil {
		return err
	}
	s.add(Revision{Number: s.head() + 1, By: r.By, Deleted: true, Content: Ruleset{Meta: Meta{Name: s.effect.Name, Tags: []string{}}, Files: s.Files}})
	s.Ruleset = nil
	return nil
}

func (s *stage) move(m LabelMove) (LabelMove, error) {
	if len(s.History) == 0 {
		return m, &NotFoundError{Name: s.effect.Name}
	}
	m, err := CheckMove(s.effect.Name, m, s.History, s.Moves)
	if err != nil {
		return m, err
	}
	m.At, m.Once = s.now.UTC().Truncate(time.Second), false
	s.Moves = slices.Insert(slices.Clone(s.Moves), 0, m)
	s.effect.Moves = append(s.effect.Moves, m)
	return m, nil
}

// record makes r the current ruleset as a new revision.
func (s *stage) record(r *Ruleset, by By) {
	r.Rev, r.Files = s.head()+1, s.Files
	content := r.Clone()
	content.CreatedAt, content.LastModified, content.Rev = time.Time{}, time.Time{}, 0
	s.add(Revision{Number: r.Rev, By: by, Content: content})
	s.Ruleset = r
}

func (s *stage) add(r Revision) {
	r.At = s.now.UTC().Truncate(time.Second)
	s.History = slices.Insert(slices.Clone(s.History), 0, r)
	s.effect.Revisions = append(s.effect.Revisions, r)
}

// checkTexts returns an error if a ruleset is too large or is not UTF-8.
func (r *Ruleset) checkTexts() error {
	for _, text := range append([]string{r.Description, r.Markdown, r.Extra}, r.Tags...) {
		if !utf8.ValidString(text) {
			return errors.New("its text is not UTF-8")
		}
	}
	return r.CheckSize()
}

// ApplyOne applies one operation, and returns the ruleset after it, with the errors of the
// method of the store that does the same.
func ApplyOne(ctx context.Context, s Store, op Operation) (Ruleset, error) {
	outcomes, err := s.Apply(ctx, []Operation{op}, ApplyOptions{})
	if failed, ok := errors.AsType[*OperationError](err); ok {
		err = failed.Err
	}
	if err != nil {
		return Ruleset{}, err
	}
	return outcomes[0].After.Clone(), nil
}

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
