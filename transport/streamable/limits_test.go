package streamable_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/transport/streamable"
)

// A lower limit refuses the next session and ends none.
func TestSetLimits(t *testing.T) {
	s := serve(t)
	s.session(t, "2025-06-18")
	s.session(t, "2025-06-18")
	s.endpoint.SetLimits(streamable.Config{MaxSessions: 2, MaxSessionsTotal: 100})
	resp, _ := s.ask(t, "POST", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`, both)
	if id := resp.Header.Get("Mcp-Session-Id"); id != "" {
		t.Errorf("a third session began: %s", id)
	}
	if n := len(s.endpoint.SessionInfos()); n != 2 {
		t.Errorf("%d sessions are open, want 2", n)
	}
	if limit := s.endpoint.SessionUsage().Limit; limit != 100 {
		t.Errorf("the limit is %d, want 100", limit)
	}
	s.endpoint.SetLimits(streamable.Config{MaxBody: 100})
	resp, body := s.ask(t, "POST", `{"jsonrpc":"2.0","id":0,"method":"`+strings.Repeat("x", 100)+`"}`, both)
	if resp.StatusCode != http.StatusRequestEntityTooLarge || !strings.Contains(body, "100 bytes at most") {
		t.Errorf("a long body: %d %s", resp.StatusCode, body)
	}
}
