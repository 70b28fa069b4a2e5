package app

import (
	"strings"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/command"
	"github.com/triptych-mcp/triptych/mcp/host"
)

// DataFlags registers the settings of every command that touches data.
func (a *App) DataFlags(set *pflag.FlagSet) {
	command.InGroup(set, command.GroupData, func(set *pflag.FlagSet) {
		set.StringVar(&a.Flags.Data, "data", "", "keep all data below this `folder` (TRIPTYCH_DATA)\ndefault: ~/.local/share/triptych\nWith XDG_DATA_HOME it is triptych in that folder by default.")
		set.StringVar(&a.Flags.logLevel, "log-level", "", "log to standard error from this `level` on (LOG_LEVEL)\nIt is debug, info, warn or error.")
		command.Offer(set, "log-level", []string{"debug", "info", "warn", "error"})
		set.StringVar(&a.Flags.logFormat, "log-format", "", "write the log as `text|json` (LOG_FORMAT)\ndefault: text")
	})
}

// StoreFlags registers the settings of the store.
func (a *App) StoreFlags(set *pflag.FlagSet) { command.InGroup(set, command.GroupStore, a.storeFlags) }

// RemoteFlags registers the settings of a command that can ask a server elsewhere.
func (a *App) RemoteFlags(set *pflag.FlagSet) {
	command.InGroup(set, command.GroupRemote, a.Flags.Remote.Register)
}

// ServerFlags registers the settings of a server.
func (a *App) ServerFlags(set *pflag.FlagSet) {
	a.ToolFlags(set)
	command.InGroup(set, command.GroupAudit, a.Flags.Audit.RegisterFlags)
	command.InGroup(set, command.GroupServer, func(set *pflag.FlagSet) {
		set.StringVar(&a.Flags.OTLP, "otlp", "", "send traces and metrics over OTLP/HTTP to this `url` (OTEL_EXPORTER_OTLP_ENDPOINT)\n"+
			"It is that of an OpenTelemetry receiver, such as http://localhost:4318. The other variables of OpenTelemetry hold, too.")
	})
}

// ToolFlags registers the settings of a command that opens all families to call tools.
func (a *App) ToolFlags(set *pflag.FlagSet) {
	a.DataFlags(set)
	a.StoreFlags(set)
	for _, f := range a.Families {
		command.InGroup(set, f.Name, f.Config.RegisterFlags)
	}
	a.NoAuditFlag(set)
	command.InGroup(set, command.GroupTools, func(set *pflag.FlagSet) {
		set.StringSliceVar(&a.Flags.families, "families", nil, "open only these families, a comma-separated `list` (TRIPTYCH_FAMILIES)\ndefault: "+strings.Join(a.FamilyNames(), ","))
		command.Offer(set, "families", a.FamilyNames())
		set.StringSliceVar(&a.Flags.Toolsets, "toolsets", nil, "serve only the tools of these groups, a comma-separated `list` (TRIPTYCH_TOOLSETS)\n"+
			"A group is a family, a set of its tools, or both, as debugger/core.")
		command.Offer(set, "toolsets", a.FamilyNames())
		set.StringSliceVar(&a.Flags.tools, "tools", nil, "serve only these tools, a comma-separated `list`, besides --toolsets (TRIPTYCH_TOOLS)")
		set.BoolVar(&a.Flags.readOnly, "read-only", false, "serve only tools that change nothing (TRIPTYCH_READ_ONLY)")
		set.StringVar(&a.Flags.Outputs, "output-schemas", "", "show the schemas of structured answers: `auto|always|never` (TRIPTYCH_OUTPUT_SCHEMAS)\ndefault: auto\n"+
			"With auto they are shown to clients that declare the extension "+host.OutputSchemasExtension+".")
		set.StringVar(&a.Flags.toolNames, "tool-names", "", "list tools by their names in the documents, or by portable ones: `documented|portable` (TRIPTYCH_TOOL_NAMES)\ndefault: as the protocol revision has them")
	})
}

// NoAuditFlag registers --no-audit.
func (a *App) NoAuditFlag(set *pflag.FlagSet) {
	command.InGroup(set, command.GroupAudit, a.Flags.Audit.RegisterNoAudit)
}
