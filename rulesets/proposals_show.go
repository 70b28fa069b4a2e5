package rulesets

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// releaseLabel is the label with which a proposal is compared if it moves none.
const releaseLabel = "production"

// ShowProposal returns a proposal with its differences: to the revisions that it starts
// from, to those of the label production, and what others changed since.
func ShowProposal(ctx context.Context, store ruleset.Store, number int, names NameSource) (ProposalInfo, error) {
	p, err := FindProposal(ctx, store, number)
	if err != nil {
		return ProposalInfo{}, err
	}
	info := p.Info()
	one := []ProposalInfo{info}
	names.ofProposals(ctx, one)
	info = one[0]
	histories := map[ruleset.Name][]ruleset.Revision{}
	for i := range info.Changes {
		name := ruleset.Name(info.Changes[i].Name)
		if histories[name] == nil {
			history, err := store.History(ctx, name)
			if _, none := errors.AsType[*ruleset.NotFoundError](err); err != nil && !none {
				return info, err
			}
			histories[name] = history
		}
		info.Changes[i].Now = revOf(histories[name])
	}
	planner := Planner{Store: store, By: p.By, Admin: true, reviewed: true}
	ops, err := planner.Plan(ctx, p.Changes)
	if err != nil {
		return info, nil //nolint:nilerr // a change that cannot be made any more has no differences
	}
	batch, _ := ruleset.Stage(ops, p.At, func(name ruleset.Name, _ bool) (ruleset.State, error) {
		return p.stateAt(name, histories[name]), nil
	})
	contents := ContentsOf(ctx, store).with(ops)
	for i := range info.Changes {
		c := &info.Changes[i]
		moves, err := store.LabelMoves(ctx, ruleset.Name(c.Name))
		if err != nil {
			return info, err
		}
		c.compare(histories[ruleset.Name(c.Name)], ruleset.Labels(moves), contents)
		if i < len(batch.Outcomes) && c.Op != "label" {
			c.difference(&batch.Outcomes[i], histories[ruleset.Name(c.Name)], ruleset.Labels(moves), contents)
		}
		if p.State != ruleset.Open { // what came later is no matter of its review
			c.Stale, c.Since = false, ""
		}
	}
	return info, nil
}

// revOf returns the number of the newest revision, 0 if there is no ruleset.
func revOf(history []ruleset.Revision) int {
	if len(history) == 0 || history[0].Deleted {
		return 0
	}
	return history[0].Number
}

// stateAt returns a ruleset as it was when the proposal was made.
func (p *Proposal) stateAt(name ruleset.Name, history []ruleset.Revision) (st ruleset.State) {
	base := 0
	for i := range p.Changes {
		if p.Changes[i].Name == string(name) && p.Changes[i].Op != "label" {
			base = p.Bases[i]
			break
		}
	}
	for i, r := range history {
		if r.Number == base {
			content := r.Content
			content.Rev = r.Number
			return ruleset.State{Ruleset: &content, Files: content.Files, History: history[i:]}
		}
	}
	return ruleset.State{History: history}
}

// compare sets what concerns the base of a change.
func (c *ProposedInfo) compare(history []ruleset.Revision, labels map[ruleset.Label]int, contents Contents) {
	if c.Op == "label" {
		c.Now = labels[ruleset.Label(c.Label)]
		c.Stale = c.Now != c.Base
		from, fromErr := find(history, ruleset.Name(c.Name), c.Base)
		to, toErr := find(history, ruleset.Name(c.Name), cmp.Or(c.To, revOf(history)))
		if len(history) > 0 && fromErr == nil && toErr == nil {
			c.Diff = Diff(from, to, contents)
		}
		return
	}
	if c.Stale = c.Now != c.Base; !c.Stale || c.Base == 0 {
		return
	}
	if old, err := find(history, ruleset.Name(c.Name), c.Base); err == nil {
		c.Since = Diff(old, history[0], contents)
	}
}

// difference sets the differences of a change of a text.
func (c *ProposedInfo) difference(o *ruleset.Outcome, history []ruleset.Revision, labels map[ruleset.Label]int, contents Contents) {
	after := stateRevision(o.Name, o.After)
	c.Diff = Diff(stateRevision(o.Name, o.Before), after, contents)
	at := labels[releaseLabel]
	if at == 0 || at == c.Base {
		return
	}
	if released, err := find(history, o.Name, at); err == nil {
		c.Release, c.OfRelease = releaseLabel, Diff(released, after, contents)
	}
}

// describeProposal returns the changes of a proposal as a text, "" if they cannot be read.
func describeProposal(r ruleset.Proposal) string {
	p, err := parseProposal(r)
	if err != nil {
		return ""
	}
	return p.Info().what()
}

// what describes the changes.
func (p ProposalInfo) what() string {
	texts := make([]string, len(p.Changes))
	for i := range p.Changes {
		texts[i] = p.Changes[i].what()
	}
	return strings.Join(texts, ", ")
}

// Line describes the proposal in a list.
func (p *ProposalInfo) Line() string {
	text := fmt.Sprintf("%d %s: %s%s", p.Number, p.State, p.what(), saidAt(p.At, p.Author, p.Name, p.Client, p.Message))
	if n := len(p.Events); n > 0 && p.State == ruleset.Open.String() {
		text += fmt.Sprintf(" (%d comment(s))", n)
	}
	return text
}

// saidAt returns when, by whom and why something was done.
func saidAt(at time.Time, author, name, client, message string) string {
	return "; " + clock(at) + revisionInfo{Author: author, Name: name, Client: client, Message: message}.by()
}

func (c *ProposedInfo) what() string {
	switch {
	case c.Op == "label" && c.To != 0:
		return fmt.Sprintf("move %s of %s from revision %d to %d", c.Label, c.Name, c.Base, c.To)
	case c.Op == "label":
		return fmt.Sprintf("move %s of %s", c.Label, c.Name)
	case c.Base == 0:
		return c.Op + " " + c.Name
	}
	return fmt.Sprintf("%s %s from revision %d", c.Op, c.Name, c.Base)
}

// Text describes the proposal with its comments and differences.
func (p *ProposalInfo) Text() string {
	var b strings.Builder
	b.WriteString("Proposal " + p.Line() + "\n")
	for _, e := range p.Events {
		fmt.Fprintf(&b, "- %s%s\n", e.State, saidAt(e.At, e.Author, e.Name, e.Client, e.Message))
	}
	for i := range p.Changes {
		c := &p.Changes[i]
		if c.Stale {
			fmt.Fprintf(&b, "\n%s cannot be accepted: it starts from revision %d, and now it is %d\n", c.what(), c.Base, c.Now)
		}
		for _, part := range []struct{ head, diff string }{
			{"", c.Diff}, {"As against " + c.Release + ":\n", c.OfRelease}, {"What changed since:\n", c.Since},
		} {
			if part.diff != "" {
				b.WriteString("\n" + part.head + part.diff)
			}
		}
	}
	return b.String()
}
