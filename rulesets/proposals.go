package rulesets

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// A Proposal is a batch of changes that waits for a decision, or waited for one.
type Proposal struct {
	ruleset.Proposal
	Changes []Change
	// Bases has for each change the revision that it starts from, 0 for a creation; for
	// a move of a label it is the revision that has the label.
	Bases []int
}

// proposed holds the changes in the form that a store keeps.
type proposed struct {
	Changes []Change `json:"changes"`
	Bases   []int    `json:"bases"`
}

// Proposals returns all proposals of a store, newest first.
func Proposals(ctx context.Context, store ruleset.Store) ([]Proposal, error) {
	moves, err := store.LabelMoves(ctx, ruleset.ProposalLog)
	if err != nil {
		return nil, err
	}
	recorded := ruleset.ProposalsOf(moves)
	all := make([]Proposal, len(recorded))
	for i, r := range recorded {
		if all[i], err = parseProposal(r); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func parseProposal(r ruleset.Proposal) (Proposal, error) {
	var p proposed
	err := json.Unmarshal([]byte(r.Data), &p)
	if err == nil && len(p.Changes) != len(p.Bases) {
		err = errors.New("its changes have no bases")
	}
	if err != nil {
		return Proposal{}, fmt.Errorf("proposal %d cannot be read: %w", r.Number, err)
	}
	r.Data = ""
	return Proposal{Proposal: r, Changes: p.Changes, Bases: p.Bases}, nil
}

// FindProposal returns a proposal, or a [*ruleset.NoProposalError].
func FindProposal(ctx context.Context, store ruleset.Store, number int) (Proposal, error) {
	all, err := Proposals(ctx, store)
	if err != nil {
		return Proposal{}, err
	}
	at := slices.IndexFunc(all, func(p Proposal) bool { return p.Number == number })
	if at < 0 {
		return Proposal{}, &ruleset.NoProposalError{Number: number}
	}
	return all[at], nil
}

var errChangesNothing = errors.New("it would change nothing")

// Propose records changes for review instead of making them, and returns the number of
// the proposal. The changes are checked as if they were made now.
func (p *Planner) Propose(ctx context.Context, set []Change) (number int, err error) {
	plan := *p
	plan.Admin, plan.reviewed = true, true // accepting checks both
	ops, err := plan.Plan(ctx, set)
	if err != nil {
		return 0, err
	}
	outcomes, err := p.Store.Apply(ctx, ops, ruleset.ApplyOptions{DryRun: true})
	if err != nil {
		return 0, p.explain(ctx, err, ops)
	}
	if !slices.ContainsFunc(outcomes, changes) {
		return 0, errChangesNothing
	}
	text, err := json.Marshal(pinned(set, ops, outcomes))
	if err != nil {
		return 0, err
	}
	made, err := p.Store.Apply(ctx, []ruleset.Operation{ruleset.OpenProposal(string(text), p.By)}, ruleset.ApplyOptions{})
	if err != nil {
		return 0, cause(err)
	}
	return ruleset.ProposalNumber(made[0].Move.Label), nil
}

// changes reports whether an operation changed anything.
func changes(o ruleset.Outcome) bool {
	return o.Kind != 0 && (o.Kind != ruleset.Labelled || o.Move.From != o.Move.To)
}

// cause returns the error of an operation without its place in a batch.
func cause(err error) error {
	if failed, ok := errors.AsType[*ruleset.OperationError](err); ok {
		return failed.Err
	}
	return err
}

// pinned returns changes that fail if they are made when the rulesets are not any more
// as they were for the outcomes.
func pinned(changes []Change, ops []ruleset.Operation, outcomes []ruleset.Outcome) proposed {
	p := proposed{Changes: slices.Clone(changes), Bases: make([]int, len(changes))}
	changed := map[ruleset.Name]bool{}
	for i := range outcomes {
		c, op, o := &p.Changes[i], &ops[i], &outcomes[i]
		switch {
		case op.Move != nil:
			p.Bases[i] = o.Move.From
			if !c.Remove && !(c.Rev == nil && changed[o.Name]) {
				c.Rev = &o.Move.To // else it goes to the revision that the proposal makes
			}
			continue
		case o.Before != nil:
			p.Bases[i] = o.Before.Rev
		}
		if c.Op == "put" {
			c.Op = map[bool]string{true: "create", false: "update"}[op.Create != nil]
		}
		c.IfRev = nil
		if !changed[o.Name] && p.Bases[i] != 0 {
			c.IfRev = &p.Bases[i]
		}
		changed[o.Name] = true
	}
	return p
}

// A Review is a reviewer's answer to a proposal.
type Review struct {
	Verb   string // accept, refuse, withdraw or comment
	Number int
	// Label, if not "", also moves to the revisions that accepting makes.
	Label  string
	DryRun bool
}

// reviewStates are the states after each verb of a [Review].
var reviewStates = map[string]ruleset.ProposalState{
	"accept": ruleset.Accepted, "refuse": ruleset.Refused, "withdraw": ruleset.Withdrawn, "comment": ruleset.Open,
}

// Review accepts a proposal, refuses or withdraws it, or comments on it. The message of
// the planner's author is the comment.
func (p *Planner) Review(ctx context.Context, r Review) (Applied, error) {
	proposal, err := FindProposal(ctx, p.Store, r.Number)
	if err != nil {
		return Applied{}, err
	}
	if proposal.State != ruleset.Open {
		return Applied{}, &ruleset.DecidedError{Number: r.Number, State: proposal.State}
	}
	answer := Applied{DryRun: r.DryRun, Proposal: r.Number, Decision: reviewStates[r.Verb].String(), Changes: []AppliedChange{}}
	switch r.Verb {
	case "accept":
		answer.Changes, err = p.accept(ctx, proposal, r)
		return answer, err
	case "withdraw":
		if proposal.By.Author != p.By.Author {
			return Applied{}, fmt.Errorf("proposal %d is of %s, who alone can withdraw it; refuse it", r.Number, proposal.By.Who())
		}
	case "refuse":
		if err := p.mayMove(proposal.Changes); err != nil {
			return Applied{}, err
		}
	case "comment":
		answer.Decision = "commented on"
		if p.By.Message == "" {
			return Applied{}, errors.New("give the comment as the message")
		}
	}
	decision := ruleset.MoveProposal(r.Number, reviewStates[r.Verb], p.By)
	_, err = p.Store.Apply(ctx, []ruleset.Operation{decision}, ruleset.ApplyOptions{DryRun: r.DryRun})
	return answer, cause(err)
}

// mayMove returns an error if changes move a label that the caller may not move.
func (p *Planner) mayMove(changes []Change) error {
	for i := range changes {
		if c := &changes[i]; c.Op == "label" {
			if _, err := p.Labels.Move(*c.Label, p.Admin); err != nil {
				return err
			}
		}
	}
	return nil
}

// accept makes the changes of a proposal and records the decision, both or none. Where
// the store is a cluster, the decision follows the changes.
func (p *Planner) accept(ctx context.Context, proposal Proposal, r Review) ([]AppliedChange, error) {
	changes := slices.Clone(proposal.Changes)
	if r.Label != "" {
		changes = append(changes, releases(changes, r.Label)...)
	}
	plan := *p
	plan.reviewed = proposal.By.Author != p.By.Author // else it has no reviewer
	plan.By = proposal.By
	plan.By.Proposal = proposal.Number
	ops, err := plan.Plan(ctx, changes)
	if err != nil {
		return nil, err
	}
	for i := range ops {
		if ops[i].Move != nil {
			ops[i].Move.By = p.By
		}
	}
	if err := p.checkLabels(ctx, proposal); err != nil {
		return nil, err
	}
	decision := ruleset.MoveProposal(proposal.Number, ruleset.Accepted, p.By)
	o := ruleset.ApplyOptions{DryRun: r.DryRun}
	outcomes, err := p.Store.Apply(ctx, append(slices.Clone(ops), decision), o)
	if _, apart := errors.AsType[*ruleset.SlotsError](err); apart {
		if outcomes, err = p.Store.Apply(ctx, ops, o); err == nil {
			_, err = p.Store.Apply(ctx, []ruleset.Operation{decision}, o)
		}
	}
	if err != nil {
		return nil, p.explainStale(ctx, err, proposal)
	}
	set := ChangeSet{Changes: changes, DryRun: r.DryRun}
	return report(set, outcomes[:len(changes)], nil, ContentsOf(ctx, p.Store).with(ops)).Changes, nil
}

// releases returns the moves of a label to what changes make.
func releases(changes []Change, label string) (moves []Change) {
	seen := map[string]bool{}
	for i := range changes {
		if c := &changes[i]; c.Op != "label" && c.Op != "delete" && !seen[c.Name] {
			seen[c.Name] = true
			moves = append(moves, Change{Op: "label", Name: c.Name, Label: &label})
		}
	}
	return moves
}

// A StaleError reports a proposal that starts from a state which has changed since.
type StaleError struct {
	Number int
	Text   string
}

func (e *StaleError) Error() string {
	return fmt.Sprintf("proposal %d is not accepted, and nothing was merged: %s", e.Number, e.Text)
}

// checkLabels returns a [*StaleError] if a label of a proposal moved since.
func (p *Planner) checkLabels(ctx context.Context, proposal Proposal) error {
	for i := range proposal.Changes {
		c := &proposal.Changes[i]
		if c.Op != "label" {
			continue
		}
		moves, err := p.Store.LabelMoves(ctx, ruleset.Name(c.Name))
		if err != nil {
			return err
		}
		if now := ruleset.Labels(moves)[ruleset.Label(*c.Label)]; now != proposal.Bases[i] {
			text := fmt.Sprintf("the label '%s' of ruleset '%s' was at revision %d and is at %d now", *c.Label, c.Name, proposal.Bases[i], now)
			return &StaleError{proposal.Number, text}
		}
	}
	return nil
}

// explainStale turns a conflict into a [*StaleError] with what changed since.
func (p *Planner) explainStale(ctx context.Context, err error, proposal Proposal) error {
	failed, ok := errors.AsType[*ruleset.OperationError](err)
	if !ok || failed.Index >= len(proposal.Changes) {
		return cause(err)
	}
	conflict, ok := errors.AsType[*ruleset.ConflictError](err)
	if !ok {
		return &StaleError{proposal.Number, failed.Err.Error()}
	}
	text := fmt.Sprintf("it starts from revision %d of ruleset '%s', which is at %d now", proposal.Bases[failed.Index], failed.Name, conflict.Current.Rev)
	if since := p.since(ctx, conflict.Current, proposal.Bases[failed.Index]); since != "" {
		text += ". What changed since:\n" + since
	}
	return &StaleError{proposal.Number, text}
}

// since returns the difference between a revision and the newest one, "" if the revision
// is not kept.
func (p *Planner) since(ctx context.Context, current ruleset.Ruleset, base int) string {
	history, err := p.Store.History(ctx, current.Name)
	if err != nil {
		return ""
	}
	old, err := find(history, current.Name, base)
	if err != nil {
		return ""
	}
	return Diff(old, ruleset.Revision{Number: current.Rev, Content: current}, ContentsOf(ctx, p.Store))
}

// A ProposalInfo is a proposal in answers and in what commands print for programs.
type ProposalInfo struct {
	Number  int            `json:"number"`
	State   string         `json:"state"` // open, accepted, refused or withdrawn
	At      time.Time      `json:"at"`
	Author  string         `json:"author,omitempty"`
	Name    string         `json:"author_name,omitempty" doc:"Of the author's key"`
	Client  string         `json:"client,omitempty"`
	Message string         `json:"message,omitempty"`
	Changes []ProposedInfo `json:"changes"`
	Events  []ReviewInfo   `json:"events,omitempty"`
}

// A ProposedInfo is a change of a proposal.
type ProposedInfo struct {
	Op    string `json:"op"`
	Name  string `json:"name"`
	Label string `json:"label,omitempty"`
	To    int    `json:"to,omitempty" doc:"Revision that gets the label"`
	Base  int    `json:"base,omitempty" doc:"Revision that it starts from, or that has the label"`

	// Further members are of one proposal only.
	Now       int    `json:"now,omitempty" doc:"Newest revision, or the one that has the label now"`
	Stale     bool   `json:"stale,omitempty" doc:"It cannot be accepted: the base has changed"`
	Diff      string `json:"diff,omitempty" doc:"What it changes"`
	Since     string `json:"since,omitempty" doc:"What changed since the base"`
	Release   string `json:"release,omitempty" doc:"A label that is at another revision than the base"`
	OfRelease string `json:"release_diff,omitempty" doc:"What it changes as against that label"`
}

// A ReviewInfo is a comment, or the decision, on a proposal.
type ReviewInfo struct {
	State   string    `json:"state" doc:"After it; that of a comment is open"`
	At      time.Time `json:"at"`
	Author  string    `json:"author,omitempty"`
	Name    string    `json:"author_name,omitempty"`
	Client  string    `json:"client,omitempty"`
	Message string    `json:"message,omitempty"`
}

// Info returns the proposal in the form of answers, without differences.
func (p *Proposal) Info() ProposalInfo {
	info := ProposalInfo{
		Number: p.Number, State: p.State.String(), At: p.At,
		Author: p.By.Author, Name: p.By.Name, Client: p.By.Client, Message: p.By.Message, Changes: make([]ProposedInfo, len(p.Changes)),
	}
	for i := range p.Changes {
		c := &p.Changes[i]
		info.Changes[i] = ProposedInfo{Op: c.Op, Name: c.Name, Base: p.Bases[i]}
		if c.Op == "label" {
			info.Changes[i].Label, info.Changes[i].To = *c.Label, orZero(c.Rev)
		}
	}
	for _, e := range p.Events {
		info.Events = append(info.Events, ReviewInfo{e.State.String(), e.At, e.By.Author, e.By.Name, e.By.Client, e.By.Message})
	}
	return info
}

// ProposalInfos returns the proposals in a state, or all for "" and "all", newest first,
// with the names of people.
func ProposalInfos(ctx context.Context, store ruleset.Store, state string, names NameSource) ([]ProposalInfo, error) {
	all, err := Proposals(ctx, store)
	if err != nil {
		return nil, err
	}
	infos := []ProposalInfo{}
	for i := range all {
		if state == "" || state == "all" || all[i].State.String() == state {
			infos = append(infos, all[i].Info())
		}
	}
	names.ofProposals(ctx, infos)
	return infos, nil
}

// ofProposals adds the names of authors.
func (names NameSource) ofProposals(ctx context.Context, infos []ProposalInfo) {
	var ids []string
	for i := range infos {
		ids = append(ids, infos[i].Author)
		for _, e := range infos[i].Events {
			ids = append(ids, e.Author)
		}
	}
	known := names.of(ctx, ids)
	for i := range infos {
		infos[i].Name = known[infos[i].Author]
		events := infos[i].Events
		for j := range events {
			events[j].Name = known[events[j].Author]
		}
	}
}
