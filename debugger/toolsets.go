package debugger

import (
	"slices"

	"github.com/triptych-mcp/triptych/mcp"
)

// toolsets are the groups by which hosts that cannot show every tool select
// some. Tools that are not here are in the core: what one debugs a program with,
// in at most 10 kB of tools/list.
var toolsets = map[string]string{
	"debugger/threads":    "inspect",
	"debugger/goroutines": "inspect",
	"debugger/source":     "inspect",
	"debugger/open_core":  "inspect",
	"debugger/expose":     "inspect",
	"debugger/find":       "inspect",
	"debugger/wait":       "inspect",
	"debugger/restart":    "inspect",
	"debugger/get_output": "inspect",
	"debugger/send_input": "inspect",

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
	"debugger/heap_block":       "time-travel",
	"debugger/call_trace":       "time-travel",
	"debugger/call_tree":        "time-travel",
	"debugger/trace_value":      "time-travel",
	"debugger/collect":          "time-travel",
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

// live are the tools that need a process that runs, and so Linux on x86-64. The others
// look at recordings and core files, which every system can.
var live = []string{
	"debugger/attach", "debugger/launch", "debugger/restart", "debugger/get_output", "debugger/send_input",
	"debugger/wait", "debugger/pause", "debugger/write_memory",
}

// onSystem leaves out the tools that cannot do anything on a system: a model that
// sees them would try them.
func onSystem(tools []mcp.Tool, goos, goarch string) []mcp.Tool {
	if goos == "linux" && goarch == "amd64" {
		return tools
	}
	return slices.DeleteFunc(tools, func(t mcp.Tool) bool { return slices.Contains(live, t.Name) })
}

// unmasked are the toolsets whose answers have nothing of a program.
var unmasked = []string{"xml", "account"}

// inToolsets sets the toolset of each tool, and whether its answers are masked.
func inToolsets(tools []mcp.Tool) []mcp.Tool {
	for i := range tools {
		tools[i].Toolset = toolsets[tools[i].Name]
		tools[i].Unmasked = slices.Contains(unmasked, tools[i].Toolset)
	}
	return tools
}
