package console

import (
	"slices"

	"github.com/triptych-mcp/triptych/rulesets"
	"github.com/triptych-mcp/triptych/rulesets/consumers"
	"github.com/triptych-mcp/triptych/rulesets/frontmatter"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// maxHave is the number of clients that the page of a ruleset lists.
const maxHave = 200

// placeOf returns where a ruleset applies, and who answers for it.
func (v *visit) placeOf(r ruleset.Ruleset) ruleRow {
	fields, _ := frontmatter.Of(r) // the findings have its problems
	today := v.c.cfg.Now().UTC().Format("2006-01-02")
	return ruleRow{IsDue: fields.ReviewAfter != "" && fields.ReviewAfter < today, FoundDetails: rulesets.FoundDetails{
		Activation: string(fields.Mode()), Globs: fields.Globs, Targets: fields.Targets, Owner: fields.Owner, Status: fields.Status, ReviewAfter: fields.ReviewAfter,
	}}
}

// whoHas returns who has which revision of a ruleset, last seen first, none if the visitor may
// not know it.
func (v *visit) whoHas(name ruleset.Name) ([]consumers.Standing, error) {
	if !v.c.cfg.Consumers || !v.may(adminRules) {
		return nil, nil
	}
	all, err := v.rules.Consumers(v.r.Context(), name, false)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(all, func(a, b consumers.Standing) int { return b.Seen.Compare(a.Seen) })
	return all[:min(len(all), maxHave)], nil
}

// proposalsFor returns the open proposals that change a ruleset, none if the visitor may not
// see them.
func (v *visit) proposalsFor(name ruleset.Name) ([]rulesets.ProposalInfo, error) {
	if !v.mayReview() {
		return nil, nil
	}
	open, err := v.rules.Proposals(v.r.Context(), "open")
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(open, func(p rulesets.ProposalInfo) bool {
		return !slices.ContainsFunc(p.Changes, func(c rulesets.ProposedInfo) bool { return c.Name == string(name) })
	}), nil
}
