package main

import (
	"context"

	"github.com/spf13/pflag"
)

func (a *app) versionCommand() command {
	var asJSON bool
	return command{
		name:  "version",
		short: "print the version",
		flags: func(set *pflag.FlagSet) { jsonFlag(set, &asJSON) },
		run: func(context.Context, []string) error {
			if asJSON {
				return a.printJSON(readBuild())
			}
			return a.printVersion()
		},
	}
}

func (a *app) printVersion() error {
	b := readBuild()
	text := "triptych " + b.Version
	if b.Revision != "" {
		text += " " + b.Revision[:min(12, len(b.Revision))]
	}
	return a.printf("%s %s %s\n", text, b.Go, b.Platform)
}
