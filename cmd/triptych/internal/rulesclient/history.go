package rulesclient

import (
	"context"
	"math"
	"time"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// History returns the revisions of a ruleset, newest first, without their content.
func (c *Client) History(ctx context.Context, name ruleset.Name) ([]ruleset.Revision, error) {
	var answer struct {
		Revisions []struct {
			Rev      int       `json:"rev"`
			At       time.Time `json:"at"`
			Author   string    `json:"author"`
			Client   string    `json:"client"`
			Message  string    `json:"message"`
			Restores int       `json:"restores"`
			Deleted  bool      `json:"deleted"`
		} `json:"revisions"`
	}
	_, err := c.call(ctx, "ruleset_history", map[string]any{"name": name, "limit": math.MaxInt32}, &answer)
	if err != nil {
		return nil, named(err, name)
	}
	history := make([]ruleset.Revision, len(answer.Revisions))
	for i, r := range answer.Revisions {
		by := ruleset.By{Author: r.Author, Client: r.Client, Message: r.Message, Restores: r.Restores}
		history[i] = ruleset.Revision{Number: r.Rev, At: r.At, By: by, Deleted: r.Deleted}
	}
	return history, nil
}

// Diff returns the difference between two revisions as a unified diff.
func (c *Client) Diff(ctx context.Context, name ruleset.Name, from, to int) (string, error) {
	var answer struct {
		Diff string `json:"diff"`
	}
	_, err := c.call(ctx, "ruleset_history", map[string]any{"name": name, "from": from, "to": to}, &answer)
	return answer.Diff, named(err, name)
}
