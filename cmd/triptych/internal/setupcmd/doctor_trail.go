package setupcmd

import (
	"context"
	"log/slog"

	"github.com/triptych-mcp/triptych/transport/audit"
)

// checkTrail reports how durable the audit trail is in a server of the stores. Without
// one, or if it is unreachable, there is nothing to say here.
func (a commands) checkTrail(ctx context.Context) []finding {
	const check = "audit trail"
	env, err := a.Env(slog.LevelError)
	if err != nil || a.Flags.NoAudit {
		return nil
	}
	client, err := a.DialValkey(ctx, env.Logger)
	if err != nil || client == nil {
		return nil
	}
	defer func() { _ = client.Close() }() // every answer has come
	if err := audit.CheckValkey(ctx, client, env.StorePrefix); err != nil {
		return []finding{{
			check, warning, "it is as durable as the store keeps it, which cannot confirm a sync: " + err.Error(),
			"a store that knows WAITAOF (Valkey, or Redis from 7.2 on) with appendonly yes can",
		}}
	}
	return []finding{{check, good, "changes are synced by the store before their answer", ""}}
}
