package mcp

import (
	"fmt"
	"slices"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp/internal/params"
)

// CoreToolset is the toolset of tools without a [Tool.Toolset].
const CoreToolset = "core"

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

// IsZero reports whether the selection picks all tools.
func (s *ToolSelection) IsZero() bool {
	return len(s.Toolsets) == 0 && len(s.Tools) == 0 && !s.ReadOnly
}

// picks reports whether the selection has the tool. A tool is picked if any of the
// toolsets or names picks it; ReadOnly then takes away, whatever was named.
func (s *ToolSelection) picks(t *boundTool) bool {
	if s.ReadOnly && t.Hints&ReadOnly == 0 {
		return false
	}
	if len(s.Toolsets) == 0 && len(s.Tools) == 0 {
		return true
	}
	family, set := t.table.Family, t.toolset()
	return slices.Contains(s.Toolsets, family) || slices.Contains(s.Toolsets, set) || slices.Contains(s.Toolsets, family+"/"+set) ||
		slices.Contains(s.Tools, t.Name) || slices.Contains(s.Tools, t.portable)
}

// toolset returns the name of the tool's group, CoreToolset if the row names none.
func (t *Tool) toolset() string {
	if t.Toolset == "" {
		return CoreToolset
	}
	return t.Toolset
}

// A Toolset is a named group of a family's tools.
type Toolset struct {
	Family, Name string
	Tools        []string // their documented names
}

// Toolsets returns the groups of the tables' tools, in their order.
func Toolsets(tables ...*Table) []Toolset {
	var sets []Toolset
	for _, t := range tables {
		for i := range t.Tools {
			name := t.Tools[i].toolset()
			at := slices.IndexFunc(sets, func(s Toolset) bool { return s.Family == t.Family && s.Name == name })
			if at < 0 {
				at = len(sets)
				sets = append(sets, Toolset{Family: t.Family, Name: name})
			}
			sets[at].Tools = append(sets[at].Tools, t.Tools[i].Name)
		}
	}
	return sets
}

// Check returns an error for the first toolset or tool that no table has. A selection
// with a mistyped name must not be used: it would hide tools without a word.
func (s *ToolSelection) Check(tables ...*Table) error {
	var sets, tools []string
	for _, set := range Toolsets(tables...) {
		for _, name := range []string{set.Family, set.Name, set.Family + "/" + set.Name} {
			if !slices.Contains(sets, name) {
				sets = append(sets, name)
			}
		}
		for _, name := range set.Tools {
			tools = append(tools, name, portable(name))
		}
	}
	for _, name := range s.Toolsets {
		if !slices.Contains(sets, name) {
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

// shows reports whether the selections of the server, of the principal and of the
// request have the tool.
func (c *Call) shows(t *boundTool) bool {
	caller := &c.handler.caller
	if len(caller.Principal.Toolsets) > 0 {
		own := ToolSelection{Toolsets: caller.Principal.Toolsets}
		if !own.picks(t) {
			return false
		}
	}
	return !t.off && (caller.Tools == nil || caller.Tools.picks(t))
}

// toolOff returns the error for a call of a tool that exists but is not selected. It
// names the toolset, so that a user can switch it on.
func toolOff(t *boundTool) *jsonrpc.Error {
	return InvalidParams("the tool %s is not enabled here: it is in the toolset %s/%s", t.Name, t.table.Family, t.toolset())
}

// CheckSelection returns an error for a name that none of the server's tables has, as
// [ToolSelection.Check] does.
func (s *Server) CheckSelection(selection *ToolSelection) error { return selection.Check(s.tables...) }
