package rulesclient

import (
	"context"
	"errors"
	"fmt"

	"github.com/triptych-mcp/triptych/rulesets"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// changed is the answer of a tool that changes a ruleset.
type changed struct {
	Rev      int `json:"rev"`
	Proposal int `json:"proposal"`
}

// A ProposedError reports a change that became a proposal: the key may do no more.
type ProposedError struct{ Number int }

func (e *ProposedError) Error() string {
	return fmt.Sprintf("nothing is changed yet: the key may only propose changes, and this is proposal %d, which waits for review", e.Number)
}

// notProposed returns the error of a change, or a [*ProposedError] if it became a proposal.
func notProposed(err error, proposal int) error {
	if err == nil && proposal != 0 {
		return &ProposedError{Number: proposal}
	}
	return err
}

// Create creates a ruleset and returns its revision. The server sets its times and
// its author.
func (c *Client) Create(ctx context.Context, d ruleset.Draft) (rev int, err error) {
	args := map[string]any{"name": d.Name, "description": d.Description, "markdown": d.Markdown, "tags": append([]string{}, d.Tags...)}
	addText(args, "extra", d.Extra)
	addText(args, "message", d.By.Message)
	if len(d.Files) > 0 {
		files := make([]rulesets.FileArg, len(d.Files))
		for i, f := range d.Files {
			files[i] = rulesets.FileArgOf(f)
		}
		args["files"] = files
	}
	var answer changed
	_, err = c.call(ctx, "create_ruleset", args, &answer)
	return answer.Rev, notProposed(named(err, d.Name), answer.Proposal)
}

func addText(args map[string]any, name, text string) {
	if text != "" {
		args[name] = text
	}
}

// Update changes a ruleset and returns its revision. The revision of the patch's base
// is its IfRev, if it has no other.
func (c *Client) Update(ctx context.Context, name ruleset.Name, p ruleset.Patch) (rev int, err error) {
	args := map[string]any{"name": name}
	if p.Description != nil {
		args["description"] = *p.Description
	}
	if p.Tags != nil {
		args["tags"] = append([]string{}, *p.Tags...)
	}
	if p.Markdown != nil {
		args["markdown"] = *p.Markdown
	}
	if p.Extra != nil {
		args["extra"] = *p.Extra
	}
	addText(args, "message", p.By.Message)
	ifRev := p.IfRev
	if ifRev == 0 && p.Base != nil {
		ifRev = p.Base.Rev
	}
	if ifRev != 0 {
		args["if_rev"] = ifRev
	}
	var answer changed
	_, err = c.call(ctx, "update_ruleset", args, &answer)
	return answer.Rev, notProposed(c.conflict(ctx, err, name, ifRev), answer.Proposal)
}

// Delete deletes a ruleset.
func (c *Client) Delete(ctx context.Context, name ruleset.Name, removal ruleset.Removal) error {
	args := map[string]any{"name": name}
	if removal.IfRev != 0 {
		args["if_rev"] = removal.IfRev
	}
	addText(args, "message", removal.By.Message)
	var answer changed
	_, err := c.call(ctx, "delete_ruleset", args, &answer)
	return notProposed(c.conflict(ctx, err, name, removal.IfRev), answer.Proposal)
}

// conflict returns a [*ruleset.ConflictError] for a failed change if the ruleset is
// not at the revision that was asked for.
func (c *Client) conflict(ctx context.Context, err error, name ruleset.Name, ifRev int) error {
	err = named(err, name)
	if _, refused := errors.AsType[*ToolError](err); !refused || ifRev == 0 {
		return err
	}
	current, readErr := c.Get(ctx, name)
	if readErr == nil && current.Rev != ifRev {
		return &ruleset.ConflictError{Current: current}
	}
	return err
}

func isNotFound(err error) bool {
	_, ok := errors.AsType[*ruleset.NotFoundError](err)
	return ok
}

// MoveLabel moves a label and returns the move, without its time and its author. The
// server decides which labels are set once.
func (c *Client) MoveLabel(ctx context.Context, name ruleset.Name, m ruleset.LabelMove) (ruleset.LabelMove, error) {
	args := map[string]any{"name": name, "label": m.Label}
	switch {
	case m.Newest:
	case m.To == 0:
		args["remove"] = true
	default:
		args["rev"] = m.To
	}
	addText(args, "message", m.By.Message)
	var answer struct {
		From     int `json:"from"`
		To       int `json:"to"`
		Proposal int `json:"proposal"`
	}
	_, err := c.call(ctx, "label_ruleset", args, &answer)
	return ruleset.LabelMove{Label: m.Label, From: answer.From, To: answer.To}, notProposed(named(err, name), answer.Proposal)
}

// Restore gives a ruleset the content of a revision again and returns the revision
// that this makes.
func (c *Client) Restore(ctx context.Context, name ruleset.Name, rev int, by ruleset.By) (int, error) {
	number := rev
	set := rulesets.ChangeSet{Changes: []rulesets.Change{{Op: "restore", Name: string(name), Rev: &number}}, Message: by.Message}
	applied, err := c.Apply(ctx, set, nil)
	if err != nil {
		return 0, named(err, name)
	}
	return applied.Changes[0].Rev, nil
}

// Apply makes several changes, all or none. The server decides who may move protected
// labels; there is no progress to report.
func (c *Client) Apply(ctx context.Context, set rulesets.ChangeSet, _ func(done, total int)) (applied rulesets.Applied, err error) {
	args := map[string]any{"operations": set.Changes, "dry_run": set.DryRun, "each": set.Each}
	addText(args, "message", set.Message)
	_, err = c.call(ctx, "apply_rulesets", args, &applied)
	return applied, notProposed(err, applied.Proposal)
}
