package app

import (
	"fmt"
	"slices"
	"strings"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/host"
)

// toolSelection returns the tools that the flags and the environment select.
func (a *App) toolSelection(tables []*mcp.Table) (host.ToolSelection, error) {
	selection := host.ToolSelection{
		Toolsets: listOf(a.Flags.Toolsets, a.Getenv("TRIPTYCH_TOOLSETS")),
		Tools:    listOf(a.Flags.tools, a.Getenv("TRIPTYCH_TOOLS")),
		ReadOnly: a.Flags.readOnly || isTrue(a.Getenv("TRIPTYCH_READ_ONLY")),
	}
	if err := selection.Check(mcp.Toolsets(tables...)...); err != nil {
		return selection, cmderr.WithHints(cmderr.UsageErrorf("%v", err), "the toolsets are "+toolsetNames(tables))
	}
	return selection, nil
}

// listOf is the list of a flag, else that of the text of an environment variable.
func listOf(flag []string, text string) []string {
	if len(flag) > 0 || text == "" {
		return flag
	}
	return strings.Split(strings.ReplaceAll(text, " ", ""), ",")
}

func isTrue(text string) bool { return text == "1" || strings.EqualFold(text, "true") }

// toolsetNames lists the toolsets with the number of their tools.
func toolsetNames(tables []*mcp.Table) string {
	var names []string
	for _, set := range mcp.Toolsets(tables...) {
		names = append(names, fmt.Sprintf("%s/%s (%d)", set.Family, set.Name, len(set.Tools)))
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// outputSchemas returns who is shown the schemas of structured answers.
func outputSchemas(text string) (host.OutputSchemas, error) {
	switch text {
	case "", "auto":
		return host.OutputSchemasWhenAsked, nil
	case "always":
		return host.OutputSchemasAlways, nil
	case "never":
		return host.OutputSchemasNever, nil
	default:
		return 0, cmderr.UsageErrorf("--output-schemas is %q, want auto, always or never", text)
	}
}

// toolNames returns the names by which tools are listed.
func toolNames(text string) (host.ToolNames, error) {
	switch text {
	case "":
		return host.NamesByRevision, nil
	case "documented":
		return host.DocumentedToolNames, nil
	case "portable":
		return host.PortableToolNames, nil
	default:
		return 0, cmderr.UsageErrorf("--tool-names is %q, want documented or portable", text)
	}
}
