package main

import (
	"context"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/buildinfo"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmdio"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/command"
)

func versionCommand(out *cmdio.IO) command.Command {
	var asJSON bool
	return command.Command{
		Name:  "version",
		Short: "print the version",
		Flags: func(set *pflag.FlagSet) { command.JSONFlag(set, &asJSON) },
		Run: func(context.Context, []string) error {
			if asJSON {
				return out.PrintJSON(buildinfo.Read())
			}
			return printVersion(out)
		},
	}
}

func printVersion(out *cmdio.IO) error {
	b := buildinfo.Read()
	text := "triptych " + b.Version
	if b.Revision != "" {
		text += " " + b.Revision[:min(12, len(b.Revision))]
	}
	return out.Printf("%s %s %s\n", text, b.Go, b.Platform)
}
