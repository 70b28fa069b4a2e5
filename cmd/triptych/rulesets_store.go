package main

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/triptych-mcp/triptych/rulesets"
	"github.com/triptych-mcp/triptych/rulesets/lint"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// warnFindings prints findings in a text that a command wrote.
func (a *app) warnFindings(found []lint.Finding) {
	for _, f := range found {
		fmt.Fprintf(a.err, "triptych: %s\n", oneLine(f.String()))
	}
}

// openStore opens the store that the flags and the environment name.
func (a *app) openStore(ctx context.Context) (ruleset.Store, error) {
	env, err := a.env(slog.LevelWarn)
	if err != nil {
		return nil, err
	}
	scan, err := a.family("rulesets").config.(*rulesets.Config).ScanMode(a.getenv)
	if err != nil {
		return nil, misused("%v", err)
	}
	store, err := rulesets.OpenStore(ctx, env)
	if err != nil {
		return nil, err
	}
	return scan.Store(store, a.warnFindings), nil
}

// rulesetsConfig is the configuration of the family.
func (a *app) rulesetsConfig() *rulesets.Config {
	return a.family("rulesets").config.(*rulesets.Config)
}
