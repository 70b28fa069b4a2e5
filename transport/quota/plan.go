package quota

import (
	"fmt"
	"strings"
)

// A Plan is the name of a row of the table of plans, such as "developer".
type Plan string

// The plans.
const (
	LocalPlan  Plan = "local" // of the user who started the process; never of a key
	Free       Plan = "free"
	Developer  Plan = "developer"
	Team       Plan = "team"
	Enterprise Plan = "enterprise" // limits are each key's own
)

// MaxLimit is the largest limit of a key's own; every backend counts that far
// exactly.
const MaxLimit = 1 << 52

// plans has a row for each plan, smallest first. Names and limits are part of the
// contract.
var plans = []struct {
	plan   Plan
	title  string
	limits Limits
	own    bool // whether each key has limits of its own
	key    bool // whether a key may have it
}{
	{plan: LocalPlan, title: "Local"},
	{plan: Free, title: "Free", limits: Limits{Month: 100, Minute: 10}, key: true},
	{plan: Developer, title: "Developer", limits: Limits{Month: 10_000, Minute: 60}, key: true},
	{plan: Team, title: "Team", limits: Limits{Month: 100_000, Minute: 300}, key: true},
	{plan: Enterprise, title: "Enterprise", own: true, key: true},
}

// Plans returns the plans that a key can have, smallest first. The slice is the caller's.
func Plans() []Plan {
	var all []Plan
	for _, row := range plans {
		if row.key {
			all = append(all, row.plan)
		}
	}
	return all
}

// ParsePlan returns the plan of a name, in any case. Its error lists the plans that a key
// can have; the plan of the local user is not one of them.
func ParsePlan(text string) (Plan, error) {
	for _, p := range Plans() {
		if strings.EqualFold(text, string(p)) {
			return p, nil
		}
	}
	return "", fmt.Errorf("unknown plan %q; there are %s", text, joined(Plans()))
}

// joined returns the names of plans, for the text of an error.
func joined(all []Plan) string {
	words := make([]string, len(all))
	for i, p := range all {
		words[i] = string(p)
	}
	return strings.Join(words, ", ")
}

// Title returns the plan's name for people, such as "Developer"; of an unknown plan, its
// name as it is.
func (p Plan) Title() string {
	for _, row := range plans {
		if row.plan == p {
			return row.title
		}
	}
	return string(p)
}

// Limits returns the limits of the plan, or own where each key has its own. A plan that
// is not in the table, from a newer version's file, allows nothing.
func (p Plan) Limits(own Limits) Limits {
	for _, row := range plans {
		switch {
		case row.plan == p && row.own:
			return own
		case row.plan == p:
			return row.limits
		}
	}
	return Limits{Month: -1, Minute: -1} // no row, no request
}

// CheckOwn returns an error unless a key of the plan may have these limits of its own.
func (p Plan) CheckOwn(own Limits) error {
	switch {
	case own.Month < 0 || own.Minute < 0 || own.Month > MaxLimit || own.Minute > MaxLimit:
		return fmt.Errorf("a limit is 0 for none or at most %d", int64(MaxLimit))
	case p != Enterprise && !own.None():
		return fmt.Errorf("only the plan %s has limits of a key's own", Enterprise)
	}
	return nil
}
