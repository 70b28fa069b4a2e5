package rulesets

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// proposes reports whether a call makes a proposal instead of a change: its caller may
// not do more, or asks for it.
func (t *tools) proposes(call *mcp.Call, asked bool) bool {
	return asked || !call.Caller().Principal.Allows(scopeWrite)
}

// propose makes a proposal of one change.
func (t *tools) propose(ctx context.Context, call *mcp.Call, message *string, c Change) (number int, err error) {
	p := Planner{Store: t.store, Labels: t.labels, By: by(call, message)}
	number, err = p.Propose(ctx, []Change{c})
	return number, cause(err)
}

// proposed is propose for the tools that change one ruleset.
func (t *tools) proposed(ctx context.Context, call *mcp.Call, verb string, message *string, c Change) (done, error) {
	number, err := t.propose(ctx, call, message, c)
	if err != nil {
		return done{}, &opError{verb, err}
	}
	return done{Name: c.Name, Verb: "proposed", Proposal: number}, nil
}

// fileArgs returns the changes of files as arguments.
func fileArgs(changes []ruleset.FileChange) []FileArg {
	args := make([]FileArg, len(changes))
	for i, c := range changes {
		args[i] = FileArgOf(c)
	}
	return args
}

// numberOrNil returns a pointer to a number, nil for 0.
func numberOrNil(n int) *int {
	if n == 0 {
		return nil
	}
	return &n
}

// reviewIn returns the review that a batch is. A review is alone in its batch.
func reviewIn(changes []Change) (r Review, is bool, err error) {
	at := slices.IndexFunc(changes, func(c Change) bool { return reviewStates[c.Op] != 0 })
	if at < 0 {
		return r, false, nil
	}
	c := &changes[at]
	switch {
	case len(changes) > 1:
		return r, true, fmt.Errorf("%s must be the only operation", c.Op)
	case c.Proposal == 0:
		return r, true, fmt.Errorf("%s needs the number of a proposal as \"proposal\"", c.Op)
	}
	r = Review{Verb: c.Op, Number: c.Proposal}
	if c.Label != nil {
		r.Label = *c.Label
	}
	return r, true, nil
}

// review does what a reviewer decides.
func (t *tools) review(ctx context.Context, call *mcp.Call, r Review, message *string) (Applied, error) {
	caller := call.Caller().Principal
	if (r.Verb == "accept" || r.Verb == "refuse") && !caller.Allows(scopeWrite) {
		return Applied{}, &opError{"apply", fmt.Errorf("to %s a proposal takes the scope %s", r.Verb, scopeWrite)}
	}
	p := Planner{Store: t.store, Labels: t.labels, By: by(call, message), Admin: caller.Allows(scopeAdmin)}
	applied, err := p.Review(ctx, r)
	if err != nil {
		return Applied{}, &opError{"apply", err}
	}
	return applied, nil
}

// findProposals answers a search for proposals.
func (t *tools) findProposals(ctx context.Context, call *mcp.Call, what string) (f found, err error) {
	if caller := call.Caller().Principal; !caller.Allows(scopePropose) && !caller.Allows(scopeWrite) {
		return f, &opError{"find", fmt.Errorf("proposals take the scope %s or %s", scopePropose, scopeWrite)}
	}
	f = found{Rulesets: []foundOne{}, Tags: []tagCount{}, query: findArgs{Proposals: what}}
	number, notNumber := strconv.Atoi(what)
	switch {
	case notNumber == nil:
		var one ProposalInfo
		one, err = ShowProposal(ctx, t.store, number, t.names)
		f.Proposals, f.shown = []ProposalInfo{one}, true
	case what == "open", what == "accepted", what == "refused", what == "withdrawn", what == "all":
		f.Proposals, err = ProposalInfos(ctx, t.store, what, t.names)
	default:
		err = errors.New("proposals is open, accepted, refused, withdrawn, all or a number")
	}
	if err != nil {
		return found{}, &opError{"find", err}
	}
	return f, nil
}

// proposalsText lists the proposals, or shows the one that was asked for.
func (f found) proposalsText() string {
	if f.shown {
		return f.Proposals[0].Text()
	}
	if len(f.Proposals) == 0 {
		return "No proposals"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d proposal(s):\n\n", len(f.Proposals))
	for i := range f.Proposals {
		b.WriteString("- " + f.Proposals[i].Line() + "\n")
	}
	return b.String()
}
