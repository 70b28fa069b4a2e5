package toolcmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmdio"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/command"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/surface"
)

// ToolsCommand returns the row of triptych tools.
func ToolsCommand(a *app.App) command.Command { return newCommands(a).toolsCommand() }

func (a commands) toolsCommand() command.Command {
	var asJSON, tokens bool
	var since string
	return command.Command{
		Name: "tools", Args: "[TOOL]", Max: 1,
		Short:    "list the tools, or show one with its arguments",
		Example:  "triptych tools\ntriptych tools create_ruleset\ntriptych tools --tokens --toolsets debugger/core\ntriptych tools --diff v1.0.0",
		Complete: a.completeTools,
		Flags: func(set *pflag.FlagSet) {
			command.JSONFlag(set, &asJSON)
			set.BoolVar(&tokens, "tokens", false, "print what each tool costs in a model's context")
			set.StringVar(&since, "diff", "", "print what changed since `REF`: a file that tools --json wrote, or a git revision")
			a.app.RemoteFlags(set)
			a.app.ToolFlags(set)
		},
		Run: func(ctx context.Context, args []string) error {
			if since != "" && a.app.Flags.Outputs == "" {
				a.app.Flags.Outputs = "always"
			}
			tools, err := ListTools(ctx, a.app)
			switch {
			case err != nil:
				return err
			case len(args) == 1:
				return showTool(a.IO, tools, args[0], asJSON)
			case tokens:
				return printTokens(a.IO, tools)
			case since != "":
				return printDiff(ctx, a.IO, tools, since)
			case asJSON:
				return a.PrintJSON(RawTools(tools))
			}
			return printTools(a.IO, tools)
		},
	}
}

// ListTools returns the tools as a server of the chosen families lists them.
func ListTools(ctx context.Context, a *app.App) (_ []app.ToolInfo, err error) {
	c, err := a.Converse(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	return c.Tools(ctx)
}

func RawTools(tools []app.ToolInfo) []json.RawMessage {
	raw := make([]json.RawMessage, len(tools))
	for i, tool := range tools {
		raw[i] = tool.Raw
	}
	return raw
}

func printTools(out *cmdio.IO, tools []app.ToolInfo) error {
	rows := [][]string{{"TOOL", "DESCRIPTION"}}
	for _, tool := range tools {
		rows = append(rows, []string{tool.Name, tool.Description})
	}
	return out.PrintTable(rows)
}

// showTool prints one tool, by any spelling of its name.
func showTool(out *cmdio.IO, tools []app.ToolInfo, name string, asJSON bool) error {
	spelled := strings.ReplaceAll(name, "/", "_")
	i := slices.IndexFunc(tools, func(t app.ToolInfo) bool { return t.Name == name || t.Name == spelled })
	if i < 0 {
		return cmderr.WithHints(cmderr.UsageErrorf("unknown tool %q", name), "triptych tools lists them")
	}
	if asJSON {
		return out.PrintJSON(tools[i].Raw)
	}
	if err := out.Printf("%s\n\n%s\n", tools[i].Name, tools[i].Description); err != nil {
		return err
	}
	return printArguments(out, tools[i].InputSchema)
}

type property struct {
	Type        any    `json:"type"`
	Description string `json:"description"`
}

func printArguments(out *cmdio.IO, schema json.RawMessage) error {
	var shape surface.Schema
	if err := json.Unmarshal(schema, &shape); err != nil || len(shape.Properties) == 0 {
		return err
	}
	rows := [][]string{{"ARGUMENT", "TYPE", "", "DESCRIPTION"}}
	for _, m := range shape.Properties {
		var p property
		if err := json.Unmarshal(m.Value, &p); err != nil {
			return err
		}
		need := "optional"
		if slices.Contains(shape.Required, m.Name) {
			need = "required"
		}
		kind, _ := p.Type.(string)
		rows = append(rows, []string{m.Name, kind, need, p.Description})
	}
	if err := out.Printf("\n"); err != nil {
		return err
	}
	return out.PrintTable(rows)
}

// printDiff prints what changed in the tools since a release: since a file that
// `triptych tools --json` wrote, or since a git revision of this repository,
// whose golden files hold the tools.
func printDiff(ctx context.Context, out *cmdio.IO, tools []app.ToolInfo, ref string) error {
	if strings.HasPrefix(ref, "-") {
		return cmderr.UsageErrorf("%q is neither a file nor a revision", ref)
	}
	before, err := surface.Read(ctx, ref)
	if err != nil {
		return cmderr.WithHints(fmt.Errorf("read the tools of %s: %w", ref, err),
			"name a file that `triptych tools --json` wrote, or a git revision while in the repository")
	}
	after := map[string]surface.Tool{}
	for _, tool := range tools {
		if err := surface.Add(after, tool.Raw); err != nil {
			return err
		}
	}
	for _, line := range surface.Diff(before, after) {
		if err := out.Printf("%s\n", line); err != nil {
			return err
		}
	}
	return nil
}
