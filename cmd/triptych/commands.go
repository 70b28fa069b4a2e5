package main

import (
	"context"

	"github.com/spf13/pflag"
)

// root is the table of commands.
func (a commands) root() Command {
	var version bool
	return Command{
		Name: "triptych", Config: true,
		Short: "rulesets for AI editors, Advent of Code puzzles and a debugger over the Model Context Protocol",
		Long: "An editor starts triptych and talks to it over standard input and output.\n" +
			"Rulesets and puzzles can be listed, searched, edited, imported and exported\n" +
			"from a shell, and every tool called.\n\n" +
			"Without a command triptych serves standard input when that is no terminal,\n" +
			"and prints this help otherwise.",
		Example: "triptych config claude-code --write\n" +
			"triptych rulesets import ~/notes/rules\n" +
			`triptych call fetch_instruction day=1` + "\n" +
			`echo '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' | triptych`,
		Flags: func(set *pflag.FlagSet) {
			a.ServerFlags(set)
			set.BoolVar(&version, "version", false, "print the version")
		},
		Run: func(ctx context.Context, _ []string) error {
			if version {
				return a.printVersion()
			}
			if IsTerminal(a.In) {
				return a.Help(a.root())
			}
			return a.serveStdio(ctx)
		},
		Sub: []Command{
			a.stdioCommand(),
			a.serveCommand(),
			a.consoleCommand(),
			a.rulesetsCommand(),
			a.aocCommand(),
			a.keyCommand(),
			a.auditCommand(),
			a.debugCommand(),
			a.traceCommand(),
			a.callCommand(),
			a.toolsCommand(),
			a.configCommand(),
			a.configFileCommand(),
			a.backupCommand(),
			a.restoreCommand(),
			a.migrateCommand(),
			a.doctorCommand(),
			a.healthCommand(),
			a.versionCommand(),
			a.manCommand(),
			a.documentsCommand(),
			a.releaseCommand(),
		},
	}
}
