package stdio_test

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/transport/stdio"
)

type echoArgs struct {
	Text string `json:"text" doc:"the text to echo"`
}

func echo(_ context.Context, _ *mcp.Call, in echoArgs) (string, error) { return in.Text, nil }

// BenchmarkEcho is tools/call from the line to the answer: decoding, schema,
// handler, encoding, writing. Requests are written 64 at a time at most.
func BenchmarkEcho(b *testing.B) {
	for _, bm := range []struct{ name, text string }{
		{"32B", strings.Repeat("x", 32)},
		{"10KiB", strings.Repeat("x", 10<<10)},
		{"10KiB_escapes", strings.Repeat("é\n\"\\ab", 10<<10/7)},
		{"1MiB", strings.Repeat("x", 1<<20)},
	} {
		b.Run(bm.name, func(b *testing.B) {
			line := jsonrpc.AppendString([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":`), bm.text)
			benchmarkLine(b, append(line, "}}}\n"...))
		})
	}
}

func benchmarkLine(b *testing.B, line []byte) {
	server, err := mcp.New(mcp.Config{Name: "echo", Version: "1"}, &mcp.Table{
		Family: "echo",
		Tools:  []mcp.Tool{{Name: "echo", Doc: "echoes text", Call: mcp.Typed(echo)}},
	})
	if err != nil {
		b.Fatal(err)
	}
	in, w := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- stdio.Serve(context.Background(), in, io.Discard, server) }()
	burst := max(1, min(64, 64<<10/len(line)))
	lines, n := bytes.Repeat(line, burst), 0
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	for b.Loop() {
		if n++; n%burst == 0 {
			if _, err := w.Write(lines); err != nil {
				b.Fatal(err)
			}
		}
	}
	_ = w.Close() // a pipe closes
	if err := <-done; err != nil {
		b.Fatal(err)
	}
}
