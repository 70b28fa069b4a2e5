package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/jsonrpc"
)

func (a *app) callCommand() command {
	var asJSON bool
	return command{
		name: "call", args: "TOOL [JSON | KEY=VALUE...]", min: 1, max: many,
		short: "call one tool",
		long: "Give arguments one by one as KEY=VALUE, or as a JSON object; - reads the object\n" +
			"from standard input. The texts of the result are printed, or with --json the\n" +
			"result as the protocol has it.",
		example: "triptych call get_ruleset name=python_style\n" +
			`triptych call fetch_instruction '{"day": 1}'` + "\n" +
			"jq -n '{name: \"x\", markdown: \"# X\"}' | triptych call create_ruleset -",
		flags: func(set *pflag.FlagSet) {
			set.BoolVar(&asJSON, "json", false, "print the result as JSON")
			a.flags.remote.register(set)
			a.serverFlags(set)
		},
		complete: a.completeTools,
		run: func(ctx context.Context, args []string) error {
			given, err := parseArguments(a, args[1:])
			if err != nil {
				return err
			}
			return callTool(ctx, a, args[0], given, asJSON)
		},
	}
}

// A callResult is the part of a tool's result that is shown to people.
type callResult struct {
	Content []struct {
		Type     string `json:"type"`
		Text     string `json:"text"`
		MIMEType string `json:"mimeType"`
		URI      string `json:"uri"`
	} `json:"content"`
	IsError bool `json:"isError"`
}

// callTool calls a tool and prints its result.
func callTool(ctx context.Context, a *app, tool string, given callArguments, asJSON bool) (err error) {
	c, err := a.converseRecorded(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	arguments, err := given.object(ctx, c, tool)
	if err != nil {
		return err
	}
	raw, err := c.client.Call(ctx, "tools/call", map[string]any{"name": tool, "arguments": arguments})
	if err != nil {
		return callError(err, meantTool(ctx, c, tool, err))
	}
	var result callResult
	if err := json.Unmarshal(raw, &result); err != nil {
		return fmt.Errorf("the result of %s: %w", tool, err)
	}
	if asJSON {
		err = a.printJSON(raw)
	} else {
		err = printContent(a, result)
	}
	if err == nil && result.IsError {
		err = errTold
	}
	return err
}

// printContent prints texts, and says what else there is. The text of an error
// goes to standard error.
func printContent(a *app, result callResult) error {
	for _, item := range result.Content {
		text := item.Text
		if item.Type != "text" {
			text = fmt.Sprintf("[%s %s%s; --json prints it]", item.Type, item.MIMEType, item.URI)
		}
		if result.IsError {
			fmt.Fprintf(a.err, "triptych: %s\n", text)
		} else if err := a.printf("%s\n", text); err != nil {
			return err
		}
	}
	return nil
}

// meantTool returns the names of tools that may have been meant by one that is unknown;
// "" for other errors.
func meantTool(ctx context.Context, c *conversation, tool string, err error) string {
	rpc, ok := errors.AsType[*jsonrpc.Error](err)
	if !ok || !strings.HasPrefix(rpc.Message, "Unknown tool: ") {
		return ""
	}
	tools, err := c.tools(ctx)
	if err != nil {
		return "" // the first error is the one to tell
	}
	names := &cobra.Command{SuggestionsMinimumDistance: 2} // its suggestions, as for commands
	for _, t := range tools {
		names.AddCommand(&cobra.Command{Use: t.Name, Run: func(*cobra.Command, []string) {}})
	}
	return meant(names, tool)
}

// callError adds the details that a JSON-RPC error carries, unless its message ends
// in them, and which tool may have been meant.
func callError(err error, meant string) error {
	rpc, ok := errors.AsType[*jsonrpc.Error](err)
	if !ok {
		return err
	}
	var data struct {
		Details string `json:"details"`
	}
	text := rpc.Message
	if json.Unmarshal(rpc.Data, &data) == nil && data.Details != "" && !strings.HasSuffix(text, data.Details) {
		text += ": " + data.Details
	}
	return hinted(errors.New(text), cmp.Or(meant, "triptych tools lists the tools and their arguments"))
}

// completeTools offers the names of the tools.
func (a *app) completeTools(ctx context.Context, before []string) []string {
	if len(before) > 0 {
		return nil
	}
	c, err := a.converse(ctx)
	if err != nil {
		return nil
	}
	tools, _ := c.tools(ctx) // completion stays silent
	_ = c.Close()
	names := make([]string, len(tools))
	for i, tool := range tools {
		names[i] = tool.Name + "\t" + tool.Description
	}
	return names
}
