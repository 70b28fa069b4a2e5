package main

import (
	"context"

	"github.com/spf13/pflag"
)

func (a commands) versionCommand() Command {
	var asJSON bool
	return Command{
		Name:  "version",
		Short: "print the version",
		Flags: func(set *pflag.FlagSet) { JSONFlag(set, &asJSON) },
		Run: func(context.Context, []string) error {
			if asJSON {
				return a.PrintJSON(ReadBuild())
			}
			return a.printVersion()
		},
	}
}

func (a commands) printVersion() error {
	b := ReadBuild()
	text := "triptych " + b.Version
	if b.Revision != "" {
		text += " " + b.Revision[:min(12, len(b.Revision))]
	}
	return a.Printf("%s %s %s\n", text, b.Go, b.Platform)
}
