package https_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/transport/https"
	"github.com/triptych-mcp/triptych/transport/routes"
)

// Pages are not served to pages of a site that has made its name point here.
func TestPages(t *testing.T) {
	bubble(t, func(t *testing.T) {
		table := endpoint(says("endpoint"))
		table.Routes = append(table.Routes, routes.Route{Method: http.MethodGet, Path: "/", KnownHosts: true, Handler: says("page")})
		h := serve(t, https.Config{Routes: table, Hosts: []string{"rules.example.com"}})
		client := h.client(t)
		for url, want := range map[string]string{
			"http://localhost/": "page", "http://127.0.0.1/deep/path": "page", "http://rules.example.com:8443/": "page",
			"http://localhost/mcp": "endpoint", "http://evil.example/mcp": "endpoint", // it checks hosts itself
			"http://localhost/healthz": "ok", "http://localhost/readyz": "ready",
		} {
			if status, body := get(t, client, url); status != http.StatusOK || strings.TrimSpace(body) != want {
				t.Errorf("%s: %d %s, want %s", url, status, body, want)
			}
		}
		if status, body := get(t, client, "http://evil.example/"); status != http.StatusForbidden {
			t.Errorf("another host: %d %s, want 403", status, body)
		}
		client.CloseIdleConnections()
		h.end(t)
	})
}

func TestNoPages(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := serve(t, https.Config{Routes: endpoint(says("endpoint"))})
		client := h.client(t)
		if status, _ := get(t, client, "http://localhost/"); status != http.StatusNotFound {
			t.Errorf("status %d, want 404", status)
		}
		client.CloseIdleConnections()
		h.end(t)
	})
}
