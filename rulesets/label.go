package rulesets

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// labelRules say which labels not everybody moves, by patterns ([ruleset.Match]).
type labelRules struct {
	protected []string // only callers with the scope rulesets:admin move them
	immutable []string // set once, never moved or removed
}

// IsImmutable reports whether a label is set once, by the family's flags.
func (c *Config) IsImmutable(label ruleset.Label) bool { return matches(c.Immutable, label) }

func matches(patterns []string, label ruleset.Label) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return ruleset.Match(p, string(label)) })
}

// labelled returns the revision that a label is at.
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
		return nil, err // rather than that it has no label
	}
	return nil, &ruleset.NoLabelError{Name: name, Label: label}
}

type labelArgs struct {
	Name    string  `json:"name"`
	Label   string  `json:"label"`
	Rev     *int    `json:"rev"`
	Remove  bool    `json:"remove,omitempty"`
	Message *string `json:"message"`
}

func (t *tools) label(ctx context.Context, call *mcp.Call, args labelArgs) (labelMoved, error) {
	name, err := ruleset.ParseName(args.Name)
	if err != nil {
		return labelMoved{}, &opError{"label", err}
	}
	label, err := ruleset.ParseLabel(args.Label)
	if err != nil {
		return labelMoved{}, &opError{"label", err}
	}
	if matches(t.labels.protected, label) && !call.Caller().Principal.Allows(scopeAdmin) {
		return labelMoved{}, &opError{"label", fmt.Errorf("the label '%s' is protected: moving it takes the scope %s", label, scopeAdmin)}
	}
	move := ruleset.LabelMove{Label: label, To: orZero(args.Rev), By: by(call, args.Message), Once: matches(t.labels.immutable, label)}
	if move.To == 0 && !args.Remove {
		r, err := t.store.Get(ctx, name)
		if err != nil {
			return labelMoved{}, &opError{"label", err}
		}
		move.To = r.Rev
	}
	if args.Remove {
		move.To = 0
	}
	moved, err := t.store.MoveLabel(ctx, name, move)
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
}

// Text describes the move.
func (m labelMoved) Text() string {
	switch {
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
	return map[string]string{"ruleset": m.Name, "label": m.Label, "from": strconv.Itoa(m.From), "to": strconv.Itoa(m.To)}
}
