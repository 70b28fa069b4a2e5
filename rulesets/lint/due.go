package lint

import (
	"cmp"
	"fmt"
	"time"

	"github.com/triptych-mcp/triptych/rulesets/frontmatter"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// Due returns a finding for a ruleset whose front matter says that it is due for review
// at a time, or out of use. is is false for others, and for all at the zero time.
func Due(r ruleset.Ruleset, now time.Time) (f Finding, is bool) {
	if now.IsZero() || r.Extra == "" {
		return f, false
	}
	fields, _ := frontmatter.Of(r)
	f = Finding{Name: r.Name, Rule: "review", Severity: Warning, Field: "front matter", Line: 1, Column: 1}
	owner := cmp.Or(fields.Owner, "nobody")
	day, err := time.Parse(time.DateOnly, fields.ReviewAfter)
	switch {
	case fields.Status == "deprecated":
		f.Severity, f.Message = Note, "status is deprecated; owner: "+owner
	case err == nil && !now.Before(day.AddDate(0, 0, 1)):
		f.Message = fmt.Sprintf("review_after %s has passed; owner: %s", fields.ReviewAfter, owner)
	default:
		return f, false
	}
	return f, true
}
