package console

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/rulesets"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// proposalStates are the states by which proposals are listed, the first one by default.
var proposalStates = []string{"open", "accepted", "refused", "withdrawn", "all"}

// listProposals shows the proposals in a state, newest first.
func (c *Console) listProposals(v *visit) error {
	state := v.query("state")
	if !slices.Contains(proposalStates, state) {
		state = proposalStates[0]
	}
	all, err := v.rules.Proposals(v.r.Context(), state)
	if err != nil {
		return err
	}
	shown, paging := cut(v, all)
	return v.show("proposals", "Proposals", map[string]any{"Proposals": shown, "Paging": paging, "State": state, "States": proposalStates})
}

// showProposal shows a proposal with its differences and comments.
func (c *Console) showProposal(v *visit) error {
	number, err := v.proposal()
	if err != nil {
		return err
	}
	return v.proposalPage(http.StatusOK, number, nil)
}

// proposal returns the number that the path has.
func (v *visit) proposal() (int, error) {
	number, err := strconv.Atoi(v.r.PathValue("number"))
	if err != nil || number < 1 {
		return 0, failed(http.StatusBadRequest, "%q is no number of a proposal.", v.r.PathValue("number"))
	}
	return number, nil
}

// proposalPage shows a proposal, with why a form was refused if it was.
func (v *visit) proposalPage(status, number int, refused error) error {
	p, err := v.rules.ShowProposal(v.r.Context(), number)
	if err != nil {
		return err
	}
	page := map[string]any{
		"Proposal": p, "Mine": p.Author == v.caller.Principal.ID, "MayDecide": v.may(writeRules), "Message": v.field("message"),
		"MayComment": v.mayReview(), "Texts": slices.ContainsFunc(p.Changes, func(c rulesets.ProposedInfo) bool { return c.Op != "label" && c.Op != "delete" }),
	}
	if refused != nil {
		page["Error"] = refused.Error()
	}
	return v.showStatus(status, "proposal", "Proposal "+strconv.Itoa(number), page)
}

// reviewProposal comments on a proposal, or decides on it.
func (c *Console) reviewProposal(v *visit) error {
	number, err := v.proposal()
	if err != nil {
		return err
	}
	review := rulesets.Review{Verb: v.field("do"), Number: number}
	if reviewed[review.Verb] == "" {
		return failed(http.StatusBadRequest, "Choose what to do with the proposal.")
	}
	if review.Verb == "accept" {
		review.Label = strings.TrimSpace(v.field("label"))
	}
	if _, err := v.rules.Review(v.r.Context(), review, strings.TrimSpace(v.field("message")), false); err != nil {
		if _, none := errors.AsType[*ruleset.NoProposalError](err); none {
			return err
		}
		return v.proposalPage(statusOf(err), number, err)
	}
	return v.done("/proposals/"+strconv.Itoa(number), "%s", reviewed[review.Verb])
}

// reviewed says what each verb has done.
var reviewed = map[string]string{
	"accept": "Accepted. The changes are made.", "refuse": "Refused. Nothing was changed.", "withdraw": "Withdrawn. Nothing was changed.", "comment": "Your comment is added.",
}

// propose records the changes of a form for review.
func (v *visit) propose(message string, changes ...rulesets.Change) error {
	number, err := v.rules.Propose(v.r.Context(), rulesets.ChangeSet{Message: message, Changes: changes})
	if err != nil {
		return err
	}
	return v.done("/proposals/"+strconv.Itoa(number), "Proposed. Others can review it now.")
}

// proposeDraft proposes what a draft would change, or shows the form again with the reason.
func (v *visit) proposeDraft(d draft) error {
	tags := d.tags()
	change := rulesets.Change{Op: "update", Name: d.Name, Description: &d.Description, Tags: &tags, Markdown: &d.Markdown, Extra: &d.Extra}
	if d.New {
		change.Op = "create"
	} else if d.Rev != 0 {
		change.IfRev = &d.Rev
	}
	err := v.propose(d.Message, change)
	if err != nil {
		d.Error = err.Error()
		return v.form(statusOf(err), d)
	}
	return nil
}

// proposeLabel proposes the move of a label, rev 0 its removal.
func (v *visit) proposeLabel(name ruleset.Name, label ruleset.Label, rev int) error {
	text := string(label)
	change := rulesets.Change{Op: "label", Name: string(name), Label: &text, Rev: &rev}
	if rev == 0 {
		change.Rev, change.Remove = nil, true
	}
	return v.propose(strings.TrimSpace(v.field("message")), change)
}

// verb returns what a form asks for: visitors who may not change rulesets propose what others
// save.
func (v *visit) verb() string {
	if do := v.field("do"); do == "preview" || v.may(writeRules) {
		return do
	}
	return "propose"
}

// mayPropose returns an error for visitors who may neither change rulesets nor propose to.
func (v *visit) mayPropose() error {
	if v.mayReview() {
		return nil
	}
	return missing(writeRules)
}

// missing returns the error of a visitor without a scope.
func missing(scope host.Scope) error {
	return failed(http.StatusForbidden, "Your key does not have the scope %s.", scope)
}
