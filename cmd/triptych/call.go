package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/jsonrpc"
)

// maxArguments is the most that call reads from standard input.
const maxArguments = 64 << 20

func (a *app) callCommand() command {
	var asJSON bool
	return command{
		name: "call", args: "TOOL [JSON]", min: 1, max: 2,
		short: "call one tool",
		long: "JSON is the object of arguments; - reads it from standard input. The texts of\n" +
			"the result are printed, or with --json the result as the protocol has it.",
		example: `triptych call get_ruleset '{"name": "python_style"}'` + "\n" +
			`triptych call fetch_instruction '{"day": 1}'` + "\n" +
			"jq -n '{name: \"x\", markdown: \"# X\"}' | triptych call create_ruleset -",
		flags: func(set *pflag.FlagSet) {
			set.BoolVar(&asJSON, "json", false, "print the result as JSON")
			a.flags.remote.register(set)
			a.serverFlags(set)
		},
		complete: a.completeTools,
		run: func(ctx context.Context, args []string) error {
			arguments, err := a.arguments(args[1:])
			if err != nil {
				return err
			}
			return a.call(ctx, args[0], arguments, asJSON)
		},
	}
}

// arguments is the object of arguments: from the command line, from standard
// input, or empty.
func (a *app) arguments(args []string) (json.RawMessage, error) {
	text := []byte("{}")
	if len(args) > 0 {
		text = []byte(args[0])
	}
	if string(text) == "-" {
		var err error
		if text, err = io.ReadAll(io.LimitReader(a.in, maxArguments+1)); err != nil {
			return nil, fmt.Errorf("reading standard input: %w", err)
		}
		if len(text) > maxArguments {
			return nil, misused("the arguments are longer than %d bytes", maxArguments)
		}
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(text, &object); err != nil || object == nil {
		return nil, hinted(misused("the arguments are not a JSON object: %v", notObject(err)), `they look like '{"day": 1}'`)
	}
	return bytes.TrimSpace(text), nil
}

// notObject says what is wrong with arguments that are valid JSON but no object.
func notObject(err error) error {
	if err == nil {
		return errors.New("null")
	}
	return err
}

// A callResult is what of a tool's result is shown to people.
type callResult struct {
	Content []struct {
		Type     string `json:"type"`
		Text     string `json:"text"`
		MIMEType string `json:"mimeType"`
		URI      string `json:"uri"`
	} `json:"content"`
	IsError bool `json:"isError"`
}

func (a *app) call(ctx context.Context, tool string, arguments json.RawMessage, asJSON bool) (err error) {
	c, err := a.converse(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	raw, err := c.client.Call(ctx, "tools/call", map[string]any{"name": tool, "arguments": arguments})
	if err != nil {
		return callError(err, c.meant(ctx, tool, err))
	}
	var result callResult
	if err := json.Unmarshal(raw, &result); err != nil {
		return fmt.Errorf("the result of %s: %w", tool, err)
	}
	if asJSON {
		err = a.printJSON(raw)
	} else {
		err = a.printContent(result)
	}
	if err == nil && result.IsError {
		err = errTold
	}
	return err
}

// printContent prints texts, and says what else there is. The text of an error
// goes to standard error.
func (a *app) printContent(result callResult) error {
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

// meant are the names of tools that may have been meant by one that is unknown;
// "" for other errors.
func (c *conversation) meant(ctx context.Context, tool string, err error) string {
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

// callError adds the details that a JSON-RPC error carries, and which tool may
// have been meant.
func callError(err error, meant string) error {
	rpc, ok := errors.AsType[*jsonrpc.Error](err)
	if !ok {
		return err
	}
	var data struct {
		Details string `json:"details"`
	}
	text := rpc.Message
	if json.Unmarshal(rpc.Data, &data) == nil && data.Details != "" {
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
