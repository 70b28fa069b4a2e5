package streamable_test

import (
	"context"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/transport/streamable"
)

// TestBill says what each body costs: calls come from the quota, handshakes do
// not, and what was refused before it reached anybody is broken.
func TestBill(t *testing.T) {
	initialize := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`
	for _, tt := range []struct {
		name, body                string
		headers                   []string
		calls, handshakes, broken int
	}{
		{name: "a call", body: call("echo", ""), calls: 1},
		{name: "a batch", body: "[" + call("echo", "") + "," + ping + "," + call("echo", "") + "]", calls: 2},
		{name: "ping", body: ping},
		{name: "initialize", body: initialize, handshakes: 1},
		{name: "discover", body: discover, headers: []string{modern, "Mcp-Method: server/discover"}},
		{name: "a notification", body: `{"jsonrpc":"2.0","method":"notifications/initialized"}`},
		{name: "a call without the right", body: call("secret", ""), headers: []string{"Authorization: reader"}, broken: 1},
		{name: "no JSON", body: `{`, broken: 1},
		{name: "no request", body: `{"id":1}`, broken: 1},
		{name: "a batch with one that is none", body: `[1,` + call("echo", "") + `]`, calls: 1, broken: 1},
		{name: "too large", body: strings.Repeat(" ", 5000), broken: 1},
		{name: "too large in pieces", body: strings.Repeat(" ", 5000), headers: []string{"Transfer-Encoding: chunked"}, broken: 1},
		{name: "headers that do not match", body: discover, headers: []string{modern, "Mcp-Method: tools/list"}, broken: 1},
		{name: "a revision that is looked for", body: ping, headers: []string{"MCP-Protocol-Version: 1999-01-01"}},
		{name: "a session that is gone", body: ping, headers: []string{"Mcp-Session-Id: x"}},
		{name: "a form that is not looked at", body: ping, headers: []string{"Content-Type: text/plain"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(t, func(c *streamable.Config) { c.MaxBody = 4096 })
			s.ask(t, "POST", tt.body, tt.headers...)
			calls, handshakes, broken := 1000-s.auth.left, int(s.auth.handshakes.Load()), int(s.auth.broken.Load())
			if calls != tt.calls || handshakes != tt.handshakes || broken != tt.broken {
				t.Errorf("got %d calls, %d handshakes, %d broken; want %d, %d, %d", calls, handshakes, broken, tt.calls, tt.handshakes, tt.broken)
			}
		})
	}
}

// Probes have no records: they are answered though nothing can be recorded, and
// nothing else is.
func TestProbesNeedNoRecord(t *testing.T) {
	s := serve(t, func(c *streamable.Config) {
		c.Barrier = func(context.Context) error { return &mcp.UnavailableError{Message: "nothing can be recorded"} }
	})
	for _, tt := range []struct {
		name, body string
		headers    []string
		status     int
	}{
		{"ping", ping, nil, 200},
		{"discover", discover, []string{modern, "Mcp-Method: server/discover"}, 200},
		{"a call", call("progress", ""), nil, 503},
		{"initialize", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`, nil, 503},
		{"a batch with a call", "[" + ping + "," + call("progress", "") + "]", nil, 200},
	} {
		resp, got := s.ask(t, "POST", tt.body, tt.headers...)
		withheld := strings.Contains(got, "nothing can be recorded") && !strings.Contains(got, `"result"`)
		if probe := tt.name == "ping" || tt.name == "discover"; resp.StatusCode != tt.status || withheld == probe {
			t.Errorf("%s: got %d %s", tt.name, resp.StatusCode, got)
		}
	}
}
