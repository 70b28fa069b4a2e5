package main

import (
	"context"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
)

func (a commands) versionCommand() app.Command {
	var asJSON bool
	return app.Command{
		Name:  "version",
		Short: "print the version",
		Flags: func(set *pflag.FlagSet) { app.JSONFlag(set, &asJSON) },
		Run: func(context.Context, []string) error {
			if asJSON {
				return a.PrintJSON(app.ReadBuild())
			}
			return a.printVersion()
		},
	}
}

func (a commands) printVersion() error {
	b := app.ReadBuild()
	text := "triptych " + b.Version
	if b.Revision != "" {
		text += " " + b.Revision[:min(12, len(b.Revision))]
	}
	return a.Printf("%s %s %s\n", text, b.Go, b.Platform)
}
