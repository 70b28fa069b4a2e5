package app

import (
	"cmp"
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
		Toolsets: a.listOf(a.Flags.Toolsets, "TRIPTYCH_TOOLSETS"),
		Tools:    a.listOf(a.Flags.tools, "TRIPTYCH_TOOLS"),
		ReadOnly: a.Flags.readOnly || isTrue(a.Getenv("TRIPTYCH_READ_ONLY")),
	}
	if err := selection.Check(mcp.Toolsets(tables...)...); err != nil {
		return selection, cmderr.WithHints(cmderr.UsageErrorf("%v", err), "the toolsets are "+toolsetNames(tables))
	}
	return selection, nil
}

// listOf is the list of a flag, else that of an environment variable.
func (a *App) listOf(flag []string, variable string) []string {
	if len(flag) > 0 || a.Getenv(variable) == "" {
		return flag
	}
	return strings.Split(strings.ReplaceAll(a.Getenv(variable), " ", ""), ",")
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
func (a *App) outputSchemas() (host.OutputSchemas, error) {
	switch text := cmp.Or(a.Flags.Outputs, a.Getenv("TRIPTYCH_OUTPUT_SCHEMAS")); text {
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
