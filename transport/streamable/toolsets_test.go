package streamable_test

import (
	"net/http/httptest"
	"strings"
	"testing"
)

// TestToolsOfARequest selects tools by header and by query, as hosts do that can
// set only one of them. The family of the test's server has a core only.
func TestToolsOfARequest(t *testing.T) {
	s := serve(t)
	const list = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hi"}}}`
	for _, tt := range []struct {
		name, query, body string
		headers           []string
		status            int
		want, not         string
	}{
		{"all", "", list, nil, 200, `"progress"`, "nothing"},
		{"a toolset", "", list, []string{"X-MCP-Toolsets: core"}, 200, `"progress"`, "nothing"},
		{"a tool", "", list, []string{"X-MCP-Tools: echo, secret"}, 200, `"echo"`, `"progress"`},
		{"a tool by query", "?tools=echo", list, nil, 200, `"echo"`, `"progress"`},
		{"the header decides", "?tools=echo", list, []string{"X-MCP-Tools: progress"}, 200, `"progress"`, `"echo"`},
		{"what changes nothing", "?readonly=true", list, nil, 200, `"tools":[]`, `"progress"`},
		{"a call of another", "", call, []string{"X-MCP-Tools: progress"}, 200, "-32602", `"hi"`},
		{"a call of it", "?tools=echo", call, nil, 200, `"hi"`, "error"},
		{"an unknown toolset", "?toolsets=nosuch", list, nil, 400, "unknown toolset", `"tools"`},
		{"an unknown tool", "", list, []string{"X-MCP-Tools: nosuch"}, 400, "unknown tool", `"tools"`},
		{"very many", "?tools=" + strings.Repeat("echo,", 101), list, nil, 400, "100", `"tools"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			at := s
			at.Server = &httptest.Server{URL: s.URL + tt.query}
			resp, text := at.ask(t, "POST", tt.body, tt.headers...)
			if resp.StatusCode != tt.status || !strings.Contains(text, tt.want) || strings.Contains(text, tt.not) {
				t.Errorf("got %s %s, want %d with %s and without %s", resp.Status, text, tt.status, tt.want, tt.not)
			}
		})
	}
}
