package main

import (
	"context"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/buildinfo"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/command"
)

func (a commands) versionCommand() command.Command {
	var asJSON bool
	return command.Command{
		Name:  "version",
		Short: "print the version",
		Flags: func(set *pflag.FlagSet) { command.JSONFlag(set, &asJSON) },
		Run: func(context.Context, []string) error {
			if asJSON {
				return a.PrintJSON(buildinfo.Read())
			}
			return a.printVersion()
		},
	}
}

func (a commands) printVersion() error {
	b := buildinfo.Read()
	text := "triptych " + b.Version
	if b.Revision != "" {
		text += " " + b.Revision[:min(12, len(b.Revision))]
	}
	return a.Printf("%s %s %s\n", text, b.Go, b.Platform)
}
