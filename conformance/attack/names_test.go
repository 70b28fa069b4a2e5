package attack_test

import (
	"strings"
	"testing"
)

// forgedNames come from web pages that make a browser call a server on its own
// machine (DNS rebinding), with a key that they got hold of.
func forgedNames(t *testing.T, s *server, token string) {
	c := s.client(t, token, "", false)
	port := s.addr[strings.LastIndex(s.addr, ":"):]
	for _, host := range []string{"localhost" + port, "127.0.0.1" + port, "localhost", "[::1]" + port, "LOCALHOST"} {
		c.post(t, list, "Host", host).is(t, "Host: "+host, 200, 0)
	}
	for _, host := range []string{"evil.example", "evil.example" + port, "127.0.0.1.evil.example", "localhost.evil.example", "0.0.0.0", "10.0.0.1", "localhost.", "evil.example@localhost", "2130706433"} {
		r, err := c.try(t.Context(), "POST", create("forged"), "Host", host)
		if err != nil {
			t.Fatal(err)
		}
		if r.status != 403 && r.status != 400 {
			t.Errorf("Host: %s: status %d, want 403 or 400", host, r.status)
		}
	}
	for _, origin := range []string{"http://localhost:3000", "https://127.0.0.1", "http://[::1]:8080"} {
		r := c.post(t, list, "Origin", origin)
		r.is(t, "Origin: "+origin, 200, 0)
		if got := r.header.Get("Access-Control-Allow-Origin"); got != "" {
			t.Errorf("Origin: %s is allowed to read: %s", origin, got)
		}
	}
	for _, origin := range []string{"https://evil.example", "null", "http://localhost.evil.example", "http://evil.example:80", "file://", "http://127.0.0.1.evil.example", "chrome-extension://abc", "http://evil.example/localhost", "http://localhost@evil.example", "localhost"} {
		for _, method := range []string{"POST", "GET", "DELETE", "OPTIONS"} {
			r := c.send(t, method, create("forged"), "Origin", origin, "Access-Control-Request-Method", "POST")
			r.is(t, method+" with Origin: "+origin, 403, -32600)
			if got := r.header.Get("Access-Control-Allow-Origin"); got != "" {
				t.Errorf("Origin: %s is allowed: %s", origin, got)
			}
		}
	}
	absent(t, s, token, "forged")
}

// badHeaders are refused in the order of the checks, as JSON.
func badHeaders(t *testing.T, s *server, token string) {
	c := s.client(t, token, "", false)
	tests := []struct {
		name, method, body string
		headers            []string
		status, code       int
	}{
		{"no type", "POST", list, []string{"Content-Type", ""}, 415, -32600},
		{"a form", "POST", list, []string{"Content-Type", "application/x-www-form-urlencoded"}, 415, -32600},
		{"text, which pages may send without asking", "POST", list, []string{"Content-Type", "text/plain"}, 415, -32600},
		{"two types", "POST", list, []string{"Content-Type", "application/json, text/plain"}, 415, -32600},
		{"images", "POST", list, []string{"Accept", "image/png"}, 406, -32600},
		{"another verb", "PUT", list, nil, 405, -32600},
		{"a verb of one's own", "BREW", list, nil, 405, -32600},
		{"no body", "POST", "", nil, 400, -32700},
		{"half a body", "POST", list[:20], nil, 400, -32700},
		{"two messages", "POST", list + list, nil, 400, -32700},
		{"a revision of nobody", "POST", list, []string{"Mcp-Protocol-Version", "1999-01-01"}, 400, -32022},
		{"a session of nobody", "POST", list, []string{"Mcp-Session-Id", "guess"}, 404, -32600},
	}
	for _, tc := range tests {
		c.send(t, tc.method, tc.body, tc.headers...).is(t, tc.name, tc.status, tc.code)
	}
}
