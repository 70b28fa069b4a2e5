package streamable_test

import (
	"bytes"
	"io"
	"net/http"
	"testing"

	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/transport/streamable"
)

// discard is a response writer that drops the answer.
type discard struct{ header http.Header }

func (n *discard) Header() http.Header         { return n.header }
func (n *discard) Write(p []byte) (int, error) { return len(p), nil }
func (n *discard) WriteHeader(int)             {}

// BenchmarkPost is a POST from the body to the answer, without net/http and the
// network. A client that can be asked may get a stream instead of the answer.
func BenchmarkPost(b *testing.B) {
	server, err := mcp.New(mcp.Config{Name: "test", Version: "1"}, table(nil))
	if err != nil {
		b.Fatal(err)
	}
	endpoint := streamable.New(streamable.Config{Server: server, Auth: &auth{left: 1 << 60}})
	defer endpoint.Shutdown(b.Context())
	body := []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"01234567890123456789012345678901"}}}`)
	const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}}}}`
	for _, bm := range []struct{ name, accept, begin string }{
		{"json", "application/json", ""},
		{"json or stream", "application/json, text/event-stream", ""},
		{"who can be asked", "application/json, text/event-stream", initialize},
	} {
		b.Run(bm.name, func(b *testing.B) {
			b.ReportAllocs()
			req, err := http.NewRequestWithContext(b.Context(), http.MethodPost, "/mcp", nil)
			if err != nil {
				b.Fatal(err)
			}
			req.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {bm.accept}, "Mcp-Protocol-Version": {"2025-11-25"}}
			w := &discard{header: http.Header{}}
			post := func(body []byte) {
				clear(w.header)
				req.Body, req.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
				endpoint.ServeHTTP(w, req)
			}
			if bm.begin != "" {
				post([]byte(bm.begin))
				req.Header["Mcp-Session-Id"] = w.header["Mcp-Session-Id"]
			}
			for b.Loop() {
				post(body)
			}
		})
	}
}
