package rulesets

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// LabelRules restrict which labels callers may move, by patterns
// ([ruleset.Match]).
type LabelRules struct {
	protected []string // movable only by callers with the scope rulesets:admin
	immutable []string // set once, never moved or removed
	reviewed  []string // moved only to revisions that were reviewed
}

// Rules returns the rules of the family's flags, or else of the environment.
func (c *Config) Rules(getenv func(string) string) LabelRules {
	if getenv == nil {
		return LabelRules{c.Protected, c.Immutable, c.Reviewed}
	}
	return LabelRules{
		protected: orWords(c.Protected, getenv("TRIPTYCH_PROTECTED_LABELS")),
		immutable: orWords(c.Immutable, getenv("TRIPTYCH_IMMUTABLE_LABELS")),
		reviewed:  orWords(c.Reviewed, getenv("TRIPTYCH_REVIEWED_LABELS")),
	}
}

// orWords returns words or, if there are none, those of a comma-separated list.
func orWords(words []string, list string) []string {
	if len(words) > 0 || list == "" {
		return words
	}
	return strings.Split(list, ",")
}

func matches(patterns []string, label ruleset.Label) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return ruleset.Match(p, string(label)) })
}

// A ProtectedLabelError is returned for a move of a label without the required
// scope.
type ProtectedLabelError struct{ Label ruleset.Label }

func (e *ProtectedLabelError) Error() string {
	return fmt.Sprintf("the label '%s' is protected: moving it takes the scope %s", e.Label, scopeAdmin)
}

// Move returns a move of a label, without its target yet. admin permits moving
// protected labels.
func (r LabelRules) Move(word string, admin bool) (ruleset.LabelMove, error) {
	label, err := ruleset.ParseLabel(word)
	if err != nil {
		return ruleset.LabelMove{}, err
	}
	if !admin && matches(r.protected, label) {
		return ruleset.LabelMove{}, &ProtectedLabelError{Label: label}
	}
	return ruleset.LabelMove{Label: label, Once: matches(r.immutable, label)}, nil
}

// An UnreviewedError is returned for a move of a label to an unreviewed revision.
type UnreviewedError struct {
	Name  ruleset.Name
	Label ruleset.Label
	Rev   int // 0 for a removal
}

func (e *UnreviewedError) Error() string {
	if e.Rev == 0 {
		return fmt.Sprintf("the label '%s' of ruleset '%s' is removed only by a proposal that another key accepts", e.Label, e.Name)
	}
	return fmt.Sprintf("the label '%s' moves only to reviewed revisions, and revision %d of ruleset '%s' is none: propose the move, and have it accepted with another key", e.Label, e.Rev, e.Name)
}

// Check returns a move with its target, or an [*UnreviewedError] if the label moves only
// to reviewed revisions and that is none. A revision is reviewed if it was made by a
// proposal that another key than its author's accepted, or if it had the label before.
func (r LabelRules) Check(ctx context.Context, store ruleset.Store, name ruleset.Name, m ruleset.LabelMove) (ruleset.LabelMove, error) {
	if !matches(r.reviewed, m.Label) {
		return m, nil
	}
	history, err := store.History(ctx, name)
	if err != nil {
		return m, err
	}
	if m.Newest {
		m.To, m.Newest = history[0].Number, false
	}
	unreviewed := &UnreviewedError{Name: name, Label: m.Label, Rev: m.To}
	if m.To == 0 {
		return m, unreviewed
	}
	moves, err := store.LabelMoves(ctx, name)
	if err != nil {
		return m, err
	}
	if slices.ContainsFunc(moves, func(old ruleset.LabelMove) bool { return old.Label == m.Label && old.To == m.To }) {
		return m, nil
	}
	revision, err := find(history, name, m.To)
	if err != nil {
		return m, err
	}
	proposals, err := store.LabelMoves(ctx, ruleset.ProposalLog)
	if err != nil {
		return m, err
	}
	for _, p := range ruleset.ProposalsOf(proposals) {
		decision, decided := p.Decision()
		if decided && p.Number == revision.By.Proposal && p.State == ruleset.Accepted && decision.By.Author != p.By.Author {
			return m, nil
		}
	}
	return m, unreviewed
}

// labelled returns the revision at a label.
func (t *tools) labelled(ctx context.Context, name ruleset.Name, word string) (*int, error) {
	label, err := ruleset.ParseLabel(word)
	if err != nil {
		return nil, err
	}
	moves, err := t.store.LabelMoves(ctx, name)
	if err != nil {
		return nil, err
	}
	if rev, ok := ruleset.Labels(moves)[label]; ok {
		return &rev, nil
	}
	if _, err := t.store.Get(ctx, name); err != nil {
		return nil, err // the error, not that the label is missing
	}
	return nil, &ruleset.NoLabelError{Name: name, Label: label}
}

type labelArgs struct {
	Name    string  `json:"name"`
	Label   string  `json:"label"`
	Rev     *int    `json:"rev"`
	Remove  bool    `json:"remove,omitempty" listed:"false" doc:"Take the label away"`
	Message *string `json:"message" listed:"false"`
	Propose bool    `json:"propose,omitempty" listed:"false"`
}

func (t *tools) label(ctx context.Context, call *mcp.Call, args labelArgs) (labelMoved, error) {
	name, err := ruleset.ParseName(args.Name)
	if err != nil {
		return labelMoved{}, &opError{"label", err}
	}
	if t.proposes(call, args.Propose) {
		change := Change{Op: "label", Name: args.Name, Label: &args.Label, Rev: args.Rev, Remove: args.Remove}
		number, err := t.propose(ctx, call, args.Message, change)
		if err != nil {
			return labelMoved{}, &opError{"label", err}
		}
		return labelMoved{Name: args.Name, Label: args.Label, To: orZero(args.Rev), Proposal: number}, nil
	}
	move, err := t.labels.Move(args.Label, call.Caller().Principal.Allows(scopeAdmin))
	if err != nil {
		return labelMoved{}, &opError{"label", err}
	}
	move.To, move.Newest, move.By = orZero(args.Rev), args.Rev == nil && !args.Remove, by(call, args.Message)
	if args.Remove {
		move.To = 0
	}
	if move, err = t.labels.Check(ctx, t.store, name, move); err != nil {
		return labelMoved{}, &opError{"label", err}
	}
	moved, err := ruleset.MoveLabel(ctx, t.store, name, move)
	if err != nil {
		return labelMoved{}, &opError{"label", err}
	}
	return labelMoved{Name: args.Name, Label: args.Label, From: moved.From, To: moved.To}, nil
}

// labelMoved is the answer of label_ruleset.
type labelMoved struct {
	Name  string `json:"name"`
	Label string `json:"label"`
	From  int    `json:"from,omitempty"`
	To    int    `json:"to,omitempty"`
	// Proposal is the number of the proposal that was made instead.
	Proposal int `json:"proposal,omitempty"`
}

// Text describes the move.
func (m labelMoved) Text() string {
	switch {
	case m.Proposal != 0:
		return proposedText(m.Proposal)
	case m.To == 0:
		return fmt.Sprintf("Removed the label '%s' of ruleset '%s', which was at revision %d", m.Label, m.Name, m.From)
	case m.From == 0:
		return fmt.Sprintf("The label '%s' of ruleset '%s' is at revision %d", m.Label, m.Name, m.To)
	}
	return fmt.Sprintf("Moved the label '%s' of ruleset '%s' from revision %d to %d", m.Label, m.Name, m.From, m.To)
}

// labelDetails names the ruleset, the label and its revisions in the record of a move.
func labelDetails(_ json.RawMessage, answer any) map[string]string {
	m, ok := answer.(labelMoved)
	if !ok {
		return nil
	}
	if m.Proposal != 0 {
		return map[string]string{"ruleset": m.Name, "label": m.Label, "proposal": strconv.Itoa(m.Proposal)}
	}
	return map[string]string{"ruleset": m.Name, "label": m.Label, "from": strconv.Itoa(m.From), "to": strconv.Itoa(m.To)}
}
