package console

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/rulesclient"
	"github.com/triptych-mcp/triptych/rulesets/consumers"
	"github.com/triptych-mcp/triptych/transport/audit"
)

// A need is something that may wait for the visitor: a figure, and a link to more.
type need struct {
	Icon, Title, Path string
	Figure, Text      string
	Bad               bool // it needs attention
}

// A needKind finds one of the needs. Those that the visitor may not know are left out.
type needKind struct {
	icon, title, path string
	exists            func(v *visit) bool
	find              func(v *visit, n *need) error
}

// needKinds are the needs in the order in which the overview has them.
var needKinds = []needKind{
	{"proposals", "Proposals to review", "/proposals", (*visit).mayReview, openProposals},
	{"behind", "Behind with rules", "/behind", func(v *visit) bool { return v.c.cfg.Consumers && v.may(adminRules) }, whoIsBehind},
	{"rules", "Due for review", "/rules?due=1", func(v *visit) bool { return v.may(readRules) }, rulesDue},
	{"keys", "Keys that expire", "/keys?state=expiring", func(v *visit) bool { return v.c.cfg.Keys != nil && v.may(AdminScope) }, expiringKeys},
	{"audit", "Refusals in a day", "/audit?outcome=refused", func(v *visit) bool { return v.c.cfg.Trail != nil && v.may(AdminScope) }, refusals},
	{"disk", "Disk and store", "#state", func(v *visit) bool { return v.c.cfg.Health != nil && v.may(AdminScope) }, stateOfServer},
}

// needs returns what may wait for the visitor. What cannot be read says why.
func (v *visit) needs() []need {
	var all []need
	for _, kind := range needKinds {
		if !kind.exists(v) {
			continue
		}
		n := need{Icon: kind.icon, Title: kind.title, Path: kind.path}
		if err := kind.find(v, &n); err != nil {
			n.Figure, n.Text, n.Bad = "?", "cannot be read: "+err.Error(), true
		}
		all = append(all, n)
	}
	return all
}

// set sets a figure that should be 0, and what it says.
func (n *need) set(figure int, nothing, text string, args ...any) {
	n.Figure, n.Text, n.Bad = strconv.Itoa(figure), nothing, figure > 0
	if n.Bad {
		n.Text = fmt.Sprintf(text, args...)
	}
}

func openProposals(v *visit, n *need) error {
	open, err := v.rules.Proposals(v.r.Context(), "open")
	if err != nil {
		return err
	}
	if len(open) == 0 {
		n.set(0, "nothing waits", "")
		return nil
	}
	oldest := open[len(open)-1].At
	n.set(len(open), "", "the oldest waits for %s", age(v.c.cfg.Now().Sub(oldest)))
	return nil
}

func whoIsBehind(v *visit, n *need) error {
	standings, err := v.rules.Consumers(v.r.Context(), "", true)
	if err != nil {
		return err
	}
	lag := consumers.LagOf(standings, v.c.cfg.Now())
	n.set(lag.Behind, "everybody has the newest rules", "projects and clients with old rules, for %s at most", age(lag.Longest))
	return nil
}

func rulesDue(v *visit, n *need) error {
	found, err := v.rules.Find(v.r.Context(), rulesclient.Search{Due: true, Limit: 1})
	if err != nil {
		return err
	}
	n.set(found.Total, "no rules", "rules whose day of review has passed")
	return nil
}

// expiresSoon is the time before the expiry of a key at which it needs attention.
const expiresSoon = 14 * 24 * time.Hour

func expiringKeys(v *visit, n *need) error {
	records, err := v.c.cfg.Keys(v.caller).List(v.r.Context())
	if err != nil {
		return err
	}
	now, count, first := v.c.cfg.Now(), 0, ""
	for i := range records {
		if r := &records[i]; isExpiring(*r, now) {
			count++
			first = r.Name
			if first == "" {
				first = r.ID
			}
		}
	}
	n.set(count, "none within two weeks", "within two weeks, such as %s", first)
	return nil
}

// refusals counts the refusals of a day. The trail is read once a minute for all visitors.
func refusals(v *visit, n *need) error {
	count, whole := v.c.refused.count(v.r.Context(), v.c)
	n.set(count, "none", "calls were refused")
	if !whole {
		n.Figure += "+"
		n.Text += "; the trail was not read to its end"
	}
	return nil
}

func stateOfServer(v *visit, n *need) error {
	bad, first := 0, ""
	for _, fact := range v.facts() {
		if fact.Bad {
			if bad++; bad == 1 {
				first = fact.Name + ": " + fact.Value
			}
		}
	}
	n.set(bad, "all is well", "%s", first)
	if bad == 0 {
		n.Figure = "OK"
	}
	return nil
}

// age writes a duration for people.
func age(d time.Duration) string {
	switch hours := int(d.Hours()); {
	case hours < 1:
		return plural(max(int(d.Minutes()), 0), "minute")
	case hours < 48:
		return plural(hours, "hour")
	default:
		return plural(hours/24, "day")
	}
}

// plural writes a number with its noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// countRefusals returns the number of refusals of a day, and whether the trail was read to
// its end.
func (c *Console) countRefusals(ctx context.Context) (n int, whole bool) {
	ctx, stop := context.WithTimeout(ctx, refusalTime)
	defer stop()
	now := c.cfg.Now()
	found := c.searchIn(ctx, audit.Filter{From: now.Add(-24 * time.Hour)}, func(r *audit.Record) bool { return r.Outcome == audit.Refused }, 1)
	return found.Total, !found.Stopped
}

// refusalTime bounds the reading of the trail for the overview.
const refusalTime = 2 * time.Second
