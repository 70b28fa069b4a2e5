package app

import (
	"context"
	"slices"

	"github.com/redis/go-redis/v9"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/recorder"
	"github.com/triptych-mcp/triptych/mcp/host"
)

// OpenRecorder opens the audit trail that the flags and the environment select for a
// server over standard input and output, or for a command. In a store it continues the
// chain with a name; without a name it starts a new chain. The returned function closes it.
func (a *App) OpenRecorder(ctx context.Context, env host.Env, name string) (*recorder.Recorder, func(), error) {
	if a.Flags.Audit.NoAudit {
		return &recorder.Recorder{}, func() {}, nil
	}
	client, err := a.dialWithRulesets(ctx, env)
	if err != nil {
		return nil, nil, err
	}
	r, err := a.Flags.Audit.Open(client, env, name)
	if err != nil {
		return nil, nil, err
	}
	return r, func() {
		r.Close(env.Logger)
		if client != nil {
			_ = client.Close() // all requests have been answered
		}
	}, nil
}

// dialWithRulesets connects to the store if the rulesets are served, and returns nil
// otherwise: such a server does not need it for anything else.
func (a *App) dialWithRulesets(ctx context.Context, env host.Env) (redis.UniversalClient, error) {
	chosen, err := a.ChosenFamilies()
	if err != nil || !slices.ContainsFunc(chosen, func(f Family) bool { return f.stored }) {
		return nil, err
	}
	return a.DialValkey(ctx, env.Logger)
}
