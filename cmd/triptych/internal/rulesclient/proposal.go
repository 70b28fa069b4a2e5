package rulesclient

import (
	"context"
	"strconv"

	"github.com/triptych-mcp/triptych/rulesets"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// Propose records changes for review, and returns the number of the proposal.
func (c *Client) Propose(ctx context.Context, set rulesets.ChangeSet) (number int, err error) {
	args := map[string]any{"operations": set.Changes, "propose": true}
	addText(args, "message", set.Message)
	var applied rulesets.Applied
	_, err = c.call(ctx, "apply_rulesets", args, &applied)
	return applied.Proposal, err
}

// Proposals returns the proposals in a state, or all for "all", newest first.
func (c *Client) Proposals(ctx context.Context, state string) ([]rulesets.ProposalInfo, error) {
	return c.findProposals(ctx, state)
}

// ShowProposal returns a proposal with its differences, or a [*ruleset.NoProposalError].
func (c *Client) ShowProposal(ctx context.Context, number int) (rulesets.ProposalInfo, error) {
	all, err := c.findProposals(ctx, strconv.Itoa(number))
	none := &ruleset.NoProposalError{Number: number}
	switch {
	case err != nil:
		return rulesets.ProposalInfo{}, oneOf(err, none)
	case len(all) == 0:
		return rulesets.ProposalInfo{}, none
	}
	return all[0], nil
}

func (c *Client) findProposals(ctx context.Context, what string) ([]rulesets.ProposalInfo, error) {
	var answer struct {
		Proposals []rulesets.ProposalInfo `json:"proposals"`
	}
	_, err := c.call(ctx, "find_rulesets", map[string]any{"proposals": what}, &answer)
	return answer.Proposals, err
}

// Review decides on a proposal, or comments on it. The server decides who may. If it has no such
// proposal, the error is a [*ruleset.NoProposalError].
func (c *Client) Review(ctx context.Context, r rulesets.Review, message string, _ bool) (applied rulesets.Applied, err error) {
	change := rulesets.Change{Op: r.Verb, Proposal: r.Number}
	if r.Label != "" {
		change.Label = &r.Label
	}
	args := map[string]any{"operations": []rulesets.Change{change}, "dry_run": r.DryRun}
	addText(args, "message", message)
	_, err = c.call(ctx, "apply_rulesets", args, &applied)
	return applied, oneOf(err, &ruleset.NoProposalError{Number: r.Number})
}
