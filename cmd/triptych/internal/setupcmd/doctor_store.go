package setupcmd

import (
	"context"
	"log/slog"

	"github.com/triptych-mcp/triptych/rulesets/valkeyconn"
)

// checkStore reports on the server of the stores for doctor, nothing without one.
func (a commands) checkStore(ctx context.Context) []finding {
	const check = "store"
	env, err := a.app.Env(slog.LevelError)
	if err != nil {
		return nil // another check reports it
	}
	client, err := a.app.DialValkey(ctx, env.Logger)
	if err != nil {
		return []finding{failure(check, err)}
	}
	if client == nil {
		return nil
	}
	defer func() { _ = client.Close() }() // every answer has come
	findings := []finding{}
	for _, p := range valkeyconn.Examine(ctx, client, env.StorePrefix) {
		s := warning
		if p.Level == valkeyconn.Fatal {
			s = failed
		}
		findings = append(findings, finding{check, s, p.Detail, p.Hint})
	}
	if len(findings) == 0 {
		findings = append(findings, finding{check, good, "its policy, persistence, replicas, clock and rights are as they should be", ""})
	}
	return findings
}
