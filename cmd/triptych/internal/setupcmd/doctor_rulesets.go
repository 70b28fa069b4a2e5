package setupcmd

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/rulesets"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// servesRulesets reports whether rulesets are served here; another check reports an error.
func (a commands) servesRulesets() bool {
	chosen, err := a.app.ChosenFamilies()
	return err == nil && slices.ContainsFunc(chosen, func(f app.Family) bool { return f.Name == "rulesets" })
}

// checkReviews reports the rulesets that are due for review.
func (a commands) checkReviews(ctx context.Context) []finding {
	if !a.servesRulesets() {
		return nil
	}
	store, err := a.app.OpenStore(ctx)
	if err != nil {
		return nil // another check reports it
	}
	due, err := rulesets.Due(ctx, store, a.app.Now())
	if err := errors.Join(err, store.Close()); err != nil {
		return nil // likewise
	}
	var findings []finding
	for _, f := range due[:min(len(due), maxDue)] {
		findings = append(findings, finding{
			Check: "reviews", Status: warning, Detail: fmt.Sprintf("%s: %s", f.Name, f.Message),
			Hint: "look whether the text still holds; triptych rulesets edit changes review_after or status",
		})
	}
	if more := len(due) - len(findings); more > 0 {
		findings = append(findings, finding{Check: "reviews", Status: warning, Detail: fmt.Sprintf("%d more", more), Hint: "triptych rulesets lint lists them"})
	}
	return findings
}

// maxDue limits the rulesets that are named.
const maxDue = 10

// checkRulesetFiles reports the files of the store's folder that are not served.
// Stores that are not folders have none.
func (a commands) checkRulesetFiles(ctx context.Context) []finding {
	if !a.servesRulesets() {
		return nil
	}
	store, err := a.app.OpenStore(ctx)
	if err != nil {
		return nil // likewise
	}
	inspector, ok := ruleset.As[ruleset.Inspector](store)
	if !ok {
		_ = store.Close() // nothing was changed
		return nil
	}
	problems, err := inspector.Problems(ctx)
	if err := errors.Join(err, store.Close()); err != nil {
		return []finding{failure("ruleset files", err)}
	}
	var findings []finding
	for _, p := range problems {
		findings = append(findings, finding{
			Check: "ruleset files", Status: warning, Detail: fmt.Sprintf("%s is not served: %s", p.File, p.Reason),
			Hint: "correct, rename or move it; triptych rulesets import makes rulesets of files in another form",
		})
	}
	return findings
}
