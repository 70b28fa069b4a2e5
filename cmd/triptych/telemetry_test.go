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
	if _, err := io.WriteString(c.in, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"list_rulesets","arguments":{}}}`+"\n"); err != nil {
		t.Fatal(err)
	}
	if err := c.in.Close(); err != nil {
		t.Fatal(err)
	}
	if status := c.status(t); status != 0 {
		t.Errorf("status %d; stderr: %s", status, c.stderr)
	}
	mu.Lock()
	defer mu.Unlock()
	for _, want := range []string{"tools/call list_rulesets", "audit commit"} {
		if !strings.Contains(got["/v1/traces"], want) {
			t.Errorf("no span %q: %q", want, got["/v1/traces"])
		}
	}
	for path, want := range map[string]string{"/v1/traces": "mcp.method.name", "/v1/metrics": "mcp.server.operation.duration"} {
		if !strings.Contains(got[path], want) || !strings.Contains(got[path], "ping") {
			t.Errorf("%s got %q, want %q of a ping", path, got[path], want)
		}
	}
}
