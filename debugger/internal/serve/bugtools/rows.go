package bugtools

import (
	"github.com/triptych-mcp/triptych/debugger/internal/serve/sessiontools"
	"github.com/triptych-mcp/triptych/mcp"
)

// Tools returns the rows of the group.
func (t *Group) Tools() []mcp.Tool {
	return []mcp.Tool{
		{
			Name: "debugger/find_similar_bugs", Title: "Similar bugs", Scope: sessiontools.ReadScope, Hints: mcp.ReadOnly, Task: mcp.TaskWhenSlow,
			LookUp: "it searches source code, which every caller with the scope may search",
			Doc:    "Find code similar to where the program stopped, or to a given place",
			Call:   mcp.Typed(t.findSimilarBugs),
		},
	}
}
