package toolcmd

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmdio"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/command"
	"github.com/triptych-mcp/triptych/jsonrpc"
)

// CallCommand returns the row of triptych call.
func CallCommand(a *app.App) command.Command { return newCommands(a).callCommand() }

func (a commands) callCommand() command.Command {
	var asJSON bool
	return command.Command{
		Name: "call", Args: "TOOL [JSON | KEY=VALUE...]", Min: 1, Max: command.AnyNumber,
		Short: "call one tool",
		Long: "Give arguments one by one as KEY=VALUE, or as a JSON object; - reads the object\n" +
			"from standard input. The texts of the result are printed, or with --json the\n" +
			"result as the protocol has it.",
		Example: "triptych call get_ruleset name=python_style\n" +
			`triptych call fetch_instruction '{"day": 1}'` + "\n" +
			"jq -n '{name: \"x\", markdown: \"# X\"}' | triptych call create_ruleset -",
		Flags: func(set *pflag.FlagSet) {
			set.BoolVar(&asJSON, "json", false, "print the result as JSON")
			a.app.RemoteFlags(set)
			a.app.ToolFlags(set)
		},
		Complete: a.completeCall,
		Run: func(ctx context.Context, args []string) error {
			given, err := ParseArguments(a.IO, args[1:])
			if err != nil {
				return err
			}
			return Call(ctx, a.app, args[0], given, asJSON)
		},
	}
}

// A Result is the part of a tool's result that is shown to people.
type Result struct {
	Content []struct {
		Type     string `json:"type"`
		Text     string `json:"text"`
		MIMEType string `json:"mimeType"`
		URI      string `json:"uri"`
	} `json:"content"`
	Structured json.RawMessage `json:"structuredContent"`
	IsError    bool            `json:"isError"`
}

// Call calls a tool and prints its result.
func Call(ctx context.Context, a *app.App, tool string, given Arguments, asJSON bool) (err error) {
	c, err := a.ConverseRecorded(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	arguments, err := given.Object(ctx, c, tool)
	if err != nil {
		return err
	}
	answer, err := c.Client.CallTool(ctx, tool, arguments)
	if err != nil {
		return DescribeError(err, meantTool(ctx, c, tool, err))
	}
	var result Result
	if err := json.Unmarshal(answer.Raw, &result); err != nil {
		return fmt.Errorf("the result of %s: %w", tool, err)
	}
	if asJSON {
		err = a.PrintJSON(answer.Raw)
	} else {
		err = PrintContent(a.IO, result)
	}
	if err == nil && result.IsError {
		err = cmderr.ErrReported
	}
	return err
}

// PrintContent prints texts, and says what else there is. The text of an error
// goes to standard error.
func PrintContent(out *cmdio.IO, result Result) error {
	for _, item := range result.Content {
		text := item.Text
		if item.Type != "text" {
			text = fmt.Sprintf("[%s %s%s; --json prints it]", item.Type, item.MIMEType, item.URI)
		}
		if result.IsError {
			fmt.Fprintf(out.Err, "triptych: %s\n", text)
			continue
		}
		if !result.isData(text) {
			text = cmdio.EndLine(text)
		}
		if err := out.Printf("%s", text); err != nil {
			return err
		}
	}
	return nil
}

// isData reports whether a text is data, such as a file, of which each byte counts: it
// is the member data of the structured content.
func (r Result) isData(text string) bool {
	var content struct {
		Data *string `json:"data"`
	}
	return json.Unmarshal(r.Structured, &content) == nil && content.Data != nil && *content.Data == text
}

// meantTool returns the names of tools that may have been meant by one that is unknown;
// "" for other errors.
func meantTool(ctx context.Context, c *app.Conversation, tool string, err error) string {
	rpc, ok := errors.AsType[*jsonrpc.Error](err)
	if !ok || !strings.HasPrefix(rpc.Message, "Unknown tool: ") {
		return ""
	}
	tools, err := c.Tools(ctx)
	if err != nil {
		return "" // the first error is the one to tell
	}
	names := &cobra.Command{SuggestionsMinimumDistance: 2} // its suggestions, as for commands
	for _, t := range tools {
		names.AddCommand(&cobra.Command{Use: t.Name, Run: func(*cobra.Command, []string) {}})
	}
	return command.DidYouMean(names, tool)
}

// DescribeError adds the details that a JSON-RPC error carries, unless its message ends
// in them, and which tool may have been meant.
func DescribeError(err error, meant string) error {
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
	return cmderr.WithHints(errors.New(text), cmp.Or(meant, "triptych tools lists the tools and their arguments"))
}

// completeTools offers the names of the tools.
func (a commands) completeTools(ctx context.Context, _ []string) []string {
	var names []string
	for _, tool := range a.toolsToComplete(ctx) {
		names = append(names, tool.Name+"\t"+tool.Description)
	}
	return names
}

// completeCall offers the tools, and behind one its arguments.
func (a commands) completeCall(ctx context.Context, before []string) []string {
	if len(before) == 0 {
		return a.completeTools(ctx, nil)
	}
	arguments, _ := argumentsOf(a.toolsToComplete(ctx), before[0]) // completion stays silent
	for _, given := range before[1:] {
		name, _, _ := strings.Cut(given, "=")
		delete(arguments, name)
	}
	var values []string
	for _, name := range slices.Sorted(maps.Keys(arguments)) {
		values = append(values, arguments[name].offered(name)...)
	}
	return values
}

// toolsToComplete returns the tools, none if they cannot be had.
func (a commands) toolsToComplete(ctx context.Context) []app.ToolInfo {
	c, err := a.app.Converse(ctx)
	if err != nil {
		return nil
	}
	tools, _ := c.Tools(ctx) // completion stays silent
	_ = c.Close()
	return tools
}
