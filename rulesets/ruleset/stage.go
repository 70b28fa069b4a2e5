package ruleset

import (
	"errors"
	"slices"
	"time"
	"unicode/utf8"
)

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
	case op.Name == ProposalLog && op.Move == nil:
		err = errOnlyMoves
	case op.Create != nil:
		o.Kind, err = Created, s.create(op.Create)
	case op.Update != nil:
		o.Kind, err = s.update(op.Update, op.Single)
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

func (s *stage) update(p *Patch, touch bool) (ChangeKind, error) {
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
	if same := SameContent(r, *s.Ruleset) && SameFiles(before, s.Files); same && touch {
		s.Ruleset, s.effect.Touched = &r, true
		return Updated, nil
	} else if same {
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
	var err error
	switch {
	case s.effect.Name == ProposalLog:
		m, err = checkProposal(m, s.Moves)
	case len(s.History) == 0:
		err = &NotFoundError{Name: s.effect.Name}
	default:
		m, err = CheckMove(s.effect.Name, m, s.History, s.Moves)
	}
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
