package webhook

import (
	"context"
	"fmt"
	"slices"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// countMoves adds to what is known the moves of labels and proposals that there are, if the
// record counts none yet: the URL is not told of them.
func (h *Hook) countMoves(ctx context.Context, known map[ruleset.Name]int) error {
	if known[countsMoves] != 0 {
		return nil
	}
	names := []ruleset.Name{ruleset.ProposalLog}
	for name := range known {
		names = append(names, name)
	}
	for _, name := range names {
		moves, err := h.Store.LabelMoves(ctx, name)
		if err != nil {
			return err
		}
		count := movesOf(name)
		if name == ruleset.ProposalLog {
			count = name
		}
		if len(moves) > 0 {
			known[count] = len(moves)
		}
	}
	known[countsMoves] = 1
	return h.Record.Begin(ctx, known)
}

// moved returns the messages for moves of labels of the named rulesets, and for proposals,
// that the URL does not know.
func (h *Hook) moved(ctx context.Context, known map[ruleset.Name]int, names []ruleset.Name, proposals bool) (all []Message, err error) {
	for _, name := range names {
		moves, err := h.Store.LabelMoves(ctx, name)
		if err != nil {
			return nil, err
		}
		for i, m := range fresh(moves, known[movesOf(name)]) {
			one := Message{Event: "label.moved", Name: name, Label: m.Label, Rev: m.To, From: m.From, At: m.At, Count: i}
			if m.To == 0 {
				one.Event = "label.removed"
			}
			one.by(m.By)
			all = append(all, one)
		}
	}
	if !proposals {
		return all, nil
	}
	moves, err := h.Store.LabelMoves(ctx, ruleset.ProposalLog)
	if err != nil {
		return nil, err
	}
	recorded := ruleset.ProposalsOf(moves)
	for i, m := range fresh(moves, known[ruleset.ProposalLog]) {
		all = append(all, h.ofProposal(m, i, recorded))
	}
	return all, nil
}

// fresh returns the moves after the first ones, oldest first, each with its count. moves
// are newest first.
func fresh(moves []ruleset.LabelMove, known int) func(yield func(int, ruleset.LabelMove) bool) {
	return func(yield func(int, ruleset.LabelMove) bool) {
		for i, m := range slices.Backward(moves) {
			if count := len(moves) - i; count > known && !yield(count, m) {
				return
			}
		}
	}
}

// ofProposal returns the message for a move in the log of proposals.
func (h *Hook) ofProposal(m ruleset.LabelMove, count int, all []ruleset.Proposal) Message {
	one := Message{Proposal: ruleset.ProposalNumber(m.Label), At: m.At, Count: count}
	one.by(m.By)
	switch state := ruleset.ProposalState(m.To); {
	case state != ruleset.Open:
		one.Event = "proposal." + state.String()
	case m.From == 0:
		one.Event = "proposal.opened"
	default:
		one.Event = "proposal.commented"
	}
	for _, p := range all {
		if p.Number == one.Proposal && h.Describe != nil {
			one.Changes = h.Describe(p)
		}
	}
	return one
}

// address returns where people look at the change.
func (h *Hook) address(m *Message) string {
	switch {
	case h.Console != "" && m.Proposal != 0:
		return fmt.Sprintf("%s/proposals/%d", h.Console, m.Proposal)
	case h.Console != "":
		return fmt.Sprintf("%s/rules/%s", h.Console, m.Name)
	case m.Proposal != 0:
		return ""
	case m.Rev != 0:
		return fmt.Sprintf("ruleset://%s@%d", m.Name, m.Rev)
	}
	return "ruleset://" + string(m.Name)
}
