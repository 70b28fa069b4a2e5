package mcp

import (
	"slices"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp/host"
)

// CoreToolset is the toolset of tools without a [Tool.Toolset].
const CoreToolset = "core"

// picks reports whether the selection has the tool. A tool is picked if any of the
// toolsets or names picks it; ReadOnly then takes away, whatever was named.
func picks(s *host.ToolSelection, t *boundTool) bool {
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

// Toolsets returns the groups of the tables' tools, in their order.
func Toolsets(tables ...*Table) []host.Toolset {
	var sets []host.Toolset
	for _, t := range tables {
		for i := range t.Tools {
			name := t.Tools[i].toolset()
			at := slices.IndexFunc(sets, func(s host.Toolset) bool { return s.Family == t.Family && s.Name == name })
			if at < 0 {
				at = len(sets)
				sets = append(sets, host.Toolset{Family: t.Family, Name: name})
			}
			sets[at].Tools = append(sets[at].Tools, t.Tools[i].Name)
		}
	}
	return sets
}

// shows reports whether the selections of the server, of the principal and of the
// request have the tool.
func (c *Call) shows(t *boundTool) bool {
	caller := &c.handler.caller
	if len(caller.Principal.Toolsets) > 0 {
		own := host.ToolSelection{Toolsets: caller.Principal.Toolsets}
		if !picks(&own, t) {
			return false
		}
	}
	return !t.off && (caller.Tools == nil || picks(caller.Tools, t))
}

// toolOff returns the error for a call of a tool that exists but is not selected. It
// names the toolset, so that a user can switch it on.
func toolOff(t *boundTool) *jsonrpc.Error {
	return InvalidParams("the tool %s is not enabled here: it is in the toolset %s/%s", t.Name, t.table.Family, t.toolset())
}

// CheckSelection returns an error for a name that none of the server's tables has, as
// [host.ToolSelection.Check] does.
func (s *Server) CheckSelection(selection *host.ToolSelection) error {
	return selection.Check(Toolsets(s.rows.tables...)...)
}
