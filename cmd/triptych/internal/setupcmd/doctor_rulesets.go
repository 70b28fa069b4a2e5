package setupcmd

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// checkRulesetFiles reports the files of the store's folder that are not served.
// Stores that are not folders have none.
func (a commands) checkRulesetFiles(ctx context.Context) []finding {
	chosen, err := a.ChosenFamilies()
	if err != nil || !slices.ContainsFunc(chosen, func(f app.Family) bool { return f.Name == "rulesets" }) {
		return nil // another check reports the error
	}
	store, err := a.OpenStore(ctx)
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
