package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/surface"
)

func (a *app) toolsCommand() command {
	var asJSON, tokens bool
	var since string
	return command{
		name: "tools", args: "[TOOL]", max: 1,
		short:    "list the tools, or show one with its arguments",
		example:  "triptych tools\ntriptych tools create_ruleset\ntriptych tools --tokens --toolsets debugger/core\ntriptych tools --diff v1.0.0",
		complete: a.completeTools,
		flags: func(set *pflag.FlagSet) {
			jsonFlag(set, &asJSON)
			set.BoolVar(&tokens, "tokens", false, "print what each tool costs in a model's context")
			set.StringVar(&since, "diff", "", "print what changed since `REF`: a file that tools --json wrote, or a git revision")
			a.flags.remote.register(set)
			a.serverFlags(set)
		},
		run: func(ctx context.Context, args []string) error {
			if since != "" && a.flags.outputs == "" {
				a.flags.outputs = "always"
			}
			tools, err := listTools(ctx, a)
			switch {
			case err != nil:
				return err
			case len(args) == 1:
				return a.showTool(tools, args[0], asJSON)
			case tokens:
				return a.printTokens(tools)
			case since != "":
				return a.printDiff(ctx, tools, since)
			case asJSON:
				return a.printJSON(rawTools(tools))
			}
			return a.printTools(tools)
		},
	}
}

// listTools returns the tools as a server of the chosen families lists them.
func listTools(ctx context.Context, a *app) (_ []toolInfo, err error) {
	c, err := a.converse(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	return c.tools(ctx)
}

func rawTools(tools []toolInfo) []json.RawMessage {
	raw := make([]json.RawMessage, len(tools))
	for i, tool := range tools {
		raw[i] = tool.raw
	}
	return raw
}

func (a *app) printTools(tools []toolInfo) error {
	rows := [][]string{{"TOOL", "DESCRIPTION"}}
	for _, tool := range tools {
		rows = append(rows, []string{tool.Name, tool.Description})
	}
	return a.printTable(rows)
}

// showTool prints one tool, by any spelling of its name.
func (a *app) showTool(tools []toolInfo, name string, asJSON bool) error {
	spelled := strings.ReplaceAll(name, "/", "_")
	i := slices.IndexFunc(tools, func(t toolInfo) bool { return t.Name == name || t.Name == spelled })
	if i < 0 {
		return hinted(misused("unknown tool %q", name), "triptych tools lists them")
	}
	if asJSON {
		return a.printJSON(tools[i].raw)
	}
	if err := a.printf("%s\n\n%s\n", tools[i].Name, tools[i].Description); err != nil {
		return err
	}
	return a.printArguments(tools[i].InputSchema)
}

type property struct {
	Type        any    `json:"type"`
	Description string `json:"description"`
}

func (a *app) printArguments(schema json.RawMessage) error {
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
	if err := a.printf("\n"); err != nil {
		return err
	}
	return a.printTable(rows)
}

// printDiff prints what changed in the tools since a release: since a file that
// `triptych tools --json` wrote, or since a git revision of this repository,
// whose golden files hold the tools.
func (a *app) printDiff(ctx context.Context, tools []toolInfo, ref string) error {
	if strings.HasPrefix(ref, "-") {
		return misused("%q is neither a file nor a revision", ref)
	}
	before, err := surface.Read(ctx, ref)
	if err != nil {
		return hinted(fmt.Errorf("read the tools of %s: %w", ref, err),
			"name a file that `triptych tools --json` wrote, or a git revision while in the repository")
	}
	after := map[string]surface.Tool{}
	for _, tool := range tools {
		if err := surface.Add(after, tool.raw); err != nil {
			return err
		}
	}
	for _, line := range surface.Diff(before, after) {
		if err := a.printf("%s\n", line); err != nil {
			return err
		}
	}
	return nil
}
