package streamable

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/triptych-mcp/triptych/mcp/host"
)

// maxSelected bounds the toolsets and tools that a request may name.
const maxSelected = 100

// selectTools picks the tools that the headers X-MCP-Toolsets, X-MCP-Tools and
// X-MCP-Readonly ask for, or else the query's toolsets, tools and readonly, for hosts
// that can set one of the two. It can only narrow what the server has: rights come from
// the key alone.
func (h *Handler) selectTools(r *http.Request, caller *host.Caller) *Refusal {
	sets, tools, readOnly := first(r.Header["X-Mcp-Toolsets"]), first(r.Header["X-Mcp-Tools"]), first(r.Header["X-Mcp-Readonly"])
	if sets == "" && tools == "" && readOnly == "" {
		if r.URL.RawQuery == "" {
			return nil
		}
		query, err := url.ParseQuery(r.URL.RawQuery)
		if err != nil {
			return invalid(http.StatusBadRequest, "the query cannot be read")
		}
		sets, tools, readOnly = query.Get("toolsets"), query.Get("tools"), query.Get("readonly")
	}
	selection := host.ToolSelection{Toolsets: listed(sets), Tools: listed(tools), ReadOnly: readOnly == "true" || readOnly == "1"}
	if selection.IsZero() {
		return nil
	}
	if len(selection.Toolsets)+len(selection.Tools) > maxSelected {
		return invalid(http.StatusBadRequest, "a request may name %d toolsets and tools at most", maxSelected)
	}
	if err := h.cfg.Server.CheckSelection(&selection); err != nil {
		return invalid(http.StatusBadRequest, "%s", err)
	}
	caller.Tools = &selection
	return nil
}

// listed splits a comma-separated list, without empty names and the spaces around names.
func listed(text string) (list []string) {
	for name := range strings.SplitSeq(text, ",") {
		if name = strings.TrimSpace(name); name != "" {
			list = append(list, name)
		}
	}
	return list
}
