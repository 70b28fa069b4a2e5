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

// commands are the rows of the table of commands. They run in an app.
type commands struct{ *app.App }

// root is the table of commands.
func (a commands) root() command.Command {
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
				return a.printVersion()
			}
			if cmdio.IsTerminal(a.In) {
				return a.Help()
			}
			return servecmd.ServeStdio(ctx, a.App)
		},
		Sub: slices.Concat(
			command.Grouped("rules", rulesetscmd.RulesetsCommand(a.App), skillcmd.SkillCommand(a.App)),
			command.Grouped("connect",
				setupcmd.ConfigCommand(a.App), setupcmd.DoctorCommand(a.App), toolcmd.ToolsCommand(a.App), toolcmd.CallCommand(a.App)),
			command.Grouped("serve",
				servecmd.StdioCommand(a.App), servecmd.ServeCommand(a.App), servecmd.ConsoleCommand(a.App),
				keycmd.KeyCommand(a.App), auditcmd.AuditCommand(a.App)),
			command.Grouped("debug",
				debugcmd.DebugCommand(a.App), debugcmd.RecordCommand(a.App), debugcmd.ReplayCommand(a.App), debugcmd.TraceCommand(a.App),
				debugcmd.DAPCommand(a.App), debugcmd.GDBServerCommand(a.App), debugcmd.BugsCommand(a.App)),
			command.Grouped("puzzles", aoccmd.AoCCommand(a.App)),
			command.Grouped("data", backupcmd.BackupCommand(a.App), backupcmd.RestoreCommand(a.App)),
			command.Grouped("",
				rulesetscmd.PluginCommand(a.App), rulesetscmd.HookCommand(a.App),
				backupcmd.MigrateCommand(a.App), servecmd.ConfigFileCommand(a.App), servecmd.HealthCommand(a.App),
				a.CompletionCommand(a.root), releasecmd.ManCommand(a.App, a.root), a.versionCommand(), servecmd.DocumentsCommand(a.App)),
		),
	}
}
