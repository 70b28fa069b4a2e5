package streamable_test

import (
	"bytes"
	"io"
	"net/http"
	"testing"

	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/transport/streamable"
)

// nobody is a client that takes an answer and forgets it.
type nobody struct{ header http.Header }

func (n *nobody) Header() http.Header         { return n.header }
func (n *nobody) Write(p []byte) (int, error) { return len(p), nil }
func (n *nobody) WriteHeader(int)             {}

// BenchmarkPost is a POST from the body to the answer, without net/http and the
// network.
func BenchmarkPost(b *testing.B) {
	server, err := mcp.New(mcp.Config{Name: "test", Version: "1"}, table(nil))
	if err != nil {
		b.Fatal(err)
	}
	endpoint := streamable.New(streamable.Config{Server: server, Door: &door{left: 1 << 60}})
	body := []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"01234567890123456789012345678901"}}}`)
	for _, bm := range []struct{ name, accept string }{
		{"json", "application/json"},
		{"json or stream", "application/json, text/event-stream"},
	} {
		b.Run(bm.name, func(b *testing.B) {
			b.ReportAllocs()
			req, err := http.NewRequestWithContext(b.Context(), http.MethodPost, "/mcp", nil)
			if err != nil {
				b.Fatal(err)
			}
			req.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {bm.accept}, "Mcp-Protocol-Version": {"2025-11-25"}}
			req.ContentLength = int64(len(body))
			w := &nobody{header: http.Header{}}
			for b.Loop() {
				clear(w.header)
				req.Body = io.NopCloser(bytes.NewReader(body))
				endpoint.ServeHTTP(w, req)
			}
		})
	}
}
