package app

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/mcp/plain"
	"github.com/triptych-mcp/triptych/rulesets"
	"github.com/triptych-mcp/triptych/rulesets/lint"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// warnFindings prints findings in a text that a command wrote.
func (a *App) warnFindings(found []lint.Finding) {
	for _, f := range found {
		fmt.Fprintf(a.Err, "triptych: %s\n", plain.Line(f.String()))
	}
}

// OpenStore opens the store that the flags and the environment name.
func (a *App) OpenStore(ctx context.Context) (ruleset.Store, error) {
	env, err := a.Env(slog.LevelWarn)
	if err != nil {
		return nil, err
	}
	scan, err := a.family("rulesets").Config.(*rulesets.Config).ScanMode(a.Getenv)
	if err != nil {
		return nil, cmderr.UsageErrorf("%v", err)
	}
	store, err := rulesets.OpenStore(ctx, env)
	if err != nil {
		return nil, err
	}
	return scan.Store(store, a.warnFindings), nil
}

// RulesetsConfig is the configuration of the family.
func (a *App) RulesetsConfig() *rulesets.Config {
	return a.family("rulesets").Config.(*rulesets.Config)
}
