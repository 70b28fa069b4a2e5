package main

import (
	"context"
	"errors"
	"log/slog"

	"github.com/redis/go-redis/v9"

	"github.com/triptych-mcp/triptych/rulesets/valkeyconn"
)

// checkStoreAtStart logs what is wrong with the server of the stores. It returns an error
// if nothing would work.
func checkStoreAtStart(ctx context.Context, client redis.UniversalClient, log *slog.Logger) error {
	for _, p := range valkeyconn.Examine(ctx, client) {
		if p.Level == valkeyconn.Fatal {
			return hinted(errors.New("the store cannot be used: "+p.Detail), p.Hint)
		}
		level := slog.LevelInfo
		if p.Level == valkeyconn.Warning {
			level = slog.LevelWarn
		}
		log.Log(ctx, level, "the store: "+p.Detail, "component", "store", "hint", p.Hint) //nolint:sloglint // the problem is the message
	}
	return nil
}

// checkStore reports on the server of the stores for doctor, nothing without one.
func (a *app) checkStore(ctx context.Context) []finding {
	const check = "store"
	env, err := a.env(slog.LevelError)
	if err != nil {
		return nil // another check reports it
	}
	client, err := a.dialValkey(ctx, env.Logger)
	if err != nil {
		return []finding{failure(check, err)}
	}
	if client == nil {
		return nil
	}
	defer func() { _ = client.Close() }() // every answer has come
	findings := []finding{}
	for _, p := range valkeyconn.Examine(ctx, client) {
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
