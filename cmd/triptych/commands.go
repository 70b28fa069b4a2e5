package main

import (
	"context"
	"slices"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/aoccmd"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/auditcmd"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/backupcmd"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmdio"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/command"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/debugcmd"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/keycmd"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/releasecmd"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/rulesetscmd"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/servecmd"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/setupcmd"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/skillcmd"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/toolcmd"
)

// root is the table of commands, which run in an app.
func root(a *app.App) command.Command {
	table := func() command.Command { return root(a) }
	var version bool
	return command.Command{
		Name: "triptych", Config: true, KeepUser: true, Survives: true,
		Short: "rulesets for AI editors, Advent of Code puzzles and a debugger over MCP",
		Long:  "Without a command it serves an editor over standard input and output.",
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
				return printVersion(a.IO)
			}
			if cmdio.IsTerminal(a.In) {
				return a.Printf("%s", command.RootHelp(table()))
			}
			return servecmd.ServeStdio(ctx, a)
		},
		Sub: slices.Concat(
			command.Grouped("rules", rulesetscmd.RulesetsCommand(a), skillcmd.SkillCommand(a)),
			command.Grouped("connect",
				setupcmd.ConfigCommand(a), setupcmd.DoctorCommand(a), toolcmd.ToolsCommand(a), toolcmd.CallCommand(a)),
			command.Grouped("serve",
				servecmd.StdioCommand(a), servecmd.ServeCommand(a), servecmd.ConsoleCommand(a),
				keycmd.KeyCommand(a), auditcmd.AuditCommand(a)),
			command.Grouped("debug",
				debugcmd.DebugCommand(a), debugcmd.RecordCommand(a), debugcmd.ReplayCommand(a), debugcmd.TraceCommand(a),
				debugcmd.DAPCommand(a), debugcmd.GDBServerCommand(a), debugcmd.BugsCommand(a)),
			command.Grouped("puzzles", aoccmd.AoCCommand(a)),
			command.Grouped("data", backupcmd.BackupCommand(a), backupcmd.RestoreCommand(a)),
			command.Grouped("",
				rulesetscmd.PluginCommand(a), rulesetscmd.HookCommand(a),
				backupcmd.MigrateCommand(a), servecmd.ConfigFileCommand(a), servecmd.HealthCommand(a),
				a.CompletionCommand(table), releasecmd.ManCommand(a, table), versionCommand(a.IO), servecmd.DocumentsCommand(a)),
		),
	}
}
