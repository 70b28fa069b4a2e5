package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// The program sends what it did to the receiver of --otlp, at the
// latest when it ends.
func TestTelemetryIsSent(t *testing.T) {
	var mu sync.Mutex
	got := map[string]string{}
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		mu.Lock()
		defer mu.Unlock()
		got[r.URL.Path] += string(body)
	}))
	defer receiver.Close()
	c := startServer(t, "--otlp", receiver.URL)
	if err := c.in.Close(); err != nil {
		t.Fatal(err)
	}
	if status := c.status(t); status != 0 {
		t.Errorf("status %d; stderr: %s", status, c.stderr)
	}
	mu.Lock()
	defer mu.Unlock()
	for path, want := range map[string]string{"/v1/traces": "mcp.method.name", "/v1/metrics": "mcp.server.operation.duration"} {
		if !strings.Contains(got[path], want) || !strings.Contains(got[path], "ping") {
			t.Errorf("%s got %q, want %q of a ping", path, got[path], want)
		}
	}
}
