package rulesetscmd

import "github.com/triptych-mcp/triptych/cmd/triptych/internal/app"

// commands makes the rows of the commands of this package. They run in an app.
type commands struct{ *app.App }

// RulesetsCommand returns the row of triptych rulesets.
func RulesetsCommand(a *app.App) app.Command { return commands{a}.rulesetsCommand() }
