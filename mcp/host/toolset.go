package host

import (
	"fmt"
	"slices"
	"strings"

	"github.com/triptych-mcp/triptych/mcp/internal/params"
)

// A ToolSelection picks tools. The zero value picks all.
type ToolSelection struct {
	// Toolsets are names of families, of toolsets, or both as
	// "debugger/core". With Tools they pick the tools of either.
	Toolsets []string
	// Tools are names of tools, in either spelling of their names (debugger/launch, debugger_launch).
	Tools []string
	// ReadOnly leaves out tools that may change something.
	ReadOnly bool
}

// A Toolset is a named group of a family's tools.
type Toolset struct {
	Family, Name string
	Tools        []string // their documented names
}

// IsZero reports whether the selection picks all tools.
func (s *ToolSelection) IsZero() bool {
	return len(s.Toolsets) == 0 && len(s.Tools) == 0 && !s.ReadOnly
}

// Check returns an error for the first toolset or tool that is in none of the sets. A selection
// with a mistyped name must not be used: it would hide tools without a word.
func (s *ToolSelection) Check(sets ...Toolset) error {
	var groups, tools []string
	for _, set := range sets {
		for _, name := range []string{set.Family, set.Name, set.Family + "/" + set.Name} {
			if !slices.Contains(groups, name) {
				groups = append(groups, name)
			}
		}
		for _, name := range set.Tools {
			tools = append(tools, name, PortableName(name))
		}
	}
	for _, name := range s.Toolsets {
		if !slices.Contains(groups, name) {
			return fmt.Errorf("unknown toolset %q", params.Quoted(name))
		}
	}
	for _, name := range s.Tools {
		if !slices.Contains(tools, name) {
			return fmt.Errorf("unknown tool %q", params.Quoted(name))
		}
	}
	return nil
}

// PortableName returns a tool's name with only the characters that every host's model
// API takes.
func PortableName(name string) string { return strings.ReplaceAll(name, "/", "_") }
