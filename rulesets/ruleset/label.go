package ruleset

import (
	"fmt"
	"time"
)

// A Label names a revision and can move to another one, such as production. It
// begins with a letter and has lowercase letters, digits and _ . - only, so that no
// label is a number.
type Label string

// MaxLabelBytes is the length limit of a label.
const MaxLabelBytes = 64

// An InvalidLabelError reports a string that is not a label.
type InvalidLabelError struct{ Label string }

func (e *InvalidLabelError) Error() string {
	return fmt.Sprintf("invalid label '%s': must begin with a letter and have only lowercase letters, digits and _ . -", e.Label)
}

// ParseLabel returns s as a Label, or an [*InvalidLabelError].
func ParseLabel(s string) (Label, error) {
	if s == "" || len(s) > MaxLabelBytes || s[0] < 'a' || s[0] > 'z' {
		return "", &InvalidLabelError{Label: s}
	}
	for _, c := range []byte(s) {
		isWord := c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_' || c == '.' || c == '-'
		if !isWord {
			return "", &InvalidLabelError{Label: s}
		}
	}
	return Label(s), nil
}

// A LabelMove is a change of a label of one ruleset.
type LabelMove struct {
	Label Label
	From  int // the revision before, 0 if the ruleset did not have the label
	To    int // the revision now, 0 if the label was removed
	At    time.Time
	By    By
	// Once asks a store to refuse the move of a label that is there, with a
	// [*FixedLabelError].
	Once bool
	// Newest asks a store to move the label to the newest revision, whatever To is.
	Newest bool
	// Data holds the changes of a proposal; only moves in the [ProposalLog] have it.
	Data string
}

// Labels returns the revision of each label after moves, which are newest first.
func Labels(moves []LabelMove) map[Label]int {
	labels := map[Label]int{}
	for _, m := range moves {
		if _, known := labels[m.Label]; !known {
			labels[m.Label] = m.To
		}
	}
	for label, rev := range labels {
		if rev == 0 {
			delete(labels, label)
		}
	}
	return labels
}

// A NoLabelError reports a label that a ruleset does not have.
type NoLabelError struct {
	Name  Name
	Label Label
}

func (e *NoLabelError) Error() string {
	return fmt.Sprintf("ruleset '%s' has no label '%s'", e.Name, e.Label)
}

// A FixedLabelError reports an attempt to move a label that must not move.
type FixedLabelError struct {
	Name  Name
	Label Label
	Rev   int
}

func (e *FixedLabelError) Error() string {
	return fmt.Sprintf("the label '%s' of ruleset '%s' stays at revision %d: it is immutable", e.Label, e.Name, e.Rev)
}

// CheckMove completes a move: it returns it with the revision that the label is at,
// or the error for which it cannot be made. history and moves are newest first.
func CheckMove(name Name, m LabelMove, history []Revision, moves []LabelMove) (LabelMove, error) {
	if m.Newest {
		m.To, m.Newest = history[0].Number, false
	}
	m.From = Labels(moves)[m.Label]
	if m.Once && m.From != 0 {
		return m, &FixedLabelError{Name: name, Label: m.Label, Rev: m.From}
	}
	if m.To == 0 {
		if m.From == 0 {
			return m, &NoLabelError{Name: name, Label: m.Label}
		}
		return m, nil
	}
	for _, r := range history {
		if r.Number == m.To && r.Deleted {
			return m, fmt.Errorf("revision %d of ruleset '%s' is its deletion", m.To, name)
		}
		if r.Number == m.To {
			return m, nil
		}
	}
	return m, &NoRevisionError{Name: name, Number: m.To, First: history[len(history)-1].Number, Last: history[0].Number}
}
