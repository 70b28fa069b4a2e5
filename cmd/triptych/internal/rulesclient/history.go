package rulesclient

import (
	"context"
	"math"
	"time"

	"github.com/triptych-mcp/triptych/rulesets"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// History returns the revisions of a ruleset, newest first, without their content.
func (c *Client) History(ctx context.Context, name ruleset.Name) ([]ruleset.Revision, error) {
	var answer struct {
		Revisions []struct {
			Rev      int       `json:"rev"`
			At       time.Time `json:"at"`
			Author   string    `json:"author"`
			Name     string    `json:"author_name"`
			Client   string    `json:"client"`
			Message  string    `json:"message"`
			Restores int       `json:"restores"`
			Proposal int       `json:"proposal"`
			Deleted  bool      `json:"deleted"`
		} `json:"revisions"`
	}
	_, err := c.call(ctx, "ruleset_history", map[string]any{"name": name, "limit": math.MaxInt32}, &answer)
	if err != nil {
		return nil, named(err, name)
	}
	history := make([]ruleset.Revision, len(answer.Revisions))
	for i, r := range answer.Revisions {
		by := ruleset.By{Author: r.Author, Name: r.Name, Client: r.Client, Message: r.Message, Restores: r.Restores, Proposal: r.Proposal}
		history[i] = ruleset.Revision{Number: r.Rev, At: r.At, By: by, Deleted: r.Deleted}
	}
	return history, nil
}

// LabelMoves returns the moves of the labels of a ruleset, newest first.
func (c *Client) LabelMoves(ctx context.Context, name ruleset.Name) ([]ruleset.LabelMove, error) {
	var answer struct {
		Moves []rulesets.MoveInfo `json:"moves"`
	}
	_, err := c.call(ctx, "ruleset_history", map[string]any{"name": name, "limit": math.MaxInt32, "moves": true}, &answer)
	moves := make([]ruleset.LabelMove, len(answer.Moves))
	for i := range answer.Moves {
		moves[i] = answer.Moves[i].Move()
	}
	return moves, named(err, name)
}

// Compare returns the difference between two revisions, without that of single fields.
func (c *Client) Compare(ctx context.Context, name ruleset.Name, from, to int) (rulesets.Comparison, error) {
	both := rulesets.Comparison{Name: string(name), From: from, To: to}
	for words, text := range map[bool]*string{false: &both.Unified, true: &both.Words} {
		var answer struct {
			Diff string `json:"diff"`
		}
		if _, err := c.call(ctx, "ruleset_history", map[string]any{"name": name, "from": from, "to": to, "words": words}, &answer); err != nil {
			return both, named(err, name)
		}
		*text = answer.Diff
	}
	both.Same = both.Unified == ""
	return both, nil
}
