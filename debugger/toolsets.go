package debugger

import "github.com/triptych-mcp/triptych/mcp"

// toolsets are the groups by which hosts that cannot show every tool select
// some. Tools that are not here are in the core: what one debugs a program with,
// in at most 10 kB of tools/list.
var toolsets = map[string]string{
	"debugger/threads":    "inspect",
	"debugger/goroutines": "inspect",
	"debugger/source":     "inspect",
	"debugger/open_core":  "inspect",

	"debugger/set_watchpoint": "memory",
	"debugger/step_forward":   "memory",
	"debugger/registers":      "memory",
	"debugger/read_memory":    "memory",
	"debugger/write_memory":   "memory",
	"debugger/disassemble":    "memory",

	"debugger/step_backward":    "time-travel",
	"debugger/reverse_continue": "time-travel",
	"debugger/seek":             "time-travel",
	"debugger/last_write":       "time-travel",
	"debugger/export_trace":     "time-travel",
	"debugger/open_trace":       "time-travel",

	"debugger/quota_status":            "account",
	"debugger/license_info":            "account",
	"debugger/get_comprehensive_audit": "account",

	"debugger/find_similar_bugs": "bugs",

	"xpath_query":       "xml",
	"validate_schema":   "xml",
	"cache_stats":       "xml",
	"preload_documents": "xml",
}

// inToolsets sets the toolset of each tool.
func inToolsets(tools []mcp.Tool) []mcp.Tool {
	for i := range tools {
		tools[i].Toolset = toolsets[tools[i].Name]
	}
	return tools
}
