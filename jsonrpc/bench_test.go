package jsonrpc_test

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/jsonrpc"
)

const toolsCall = `{"jsonrpc":"2.0","id":12345,"method":"tools/call","params":{"name":"echo","arguments":{"text":"01234567890123456789012345678901"}}}` + "\n"

var echo = jsonrpc.HandlerFunc(func(_ context.Context, req *jsonrpc.Request, dst []byte) ([]byte, error) {
	return append(dst, req.Params...), nil
})

func BenchmarkValid(b *testing.B) {
	for name, text := range map[string]string{
		"tools_call": toolsCall,
		"plain_10k":  `"` + strings.Repeat("x", 10_000) + `"`,
		"escape_10k": `"` + strings.Repeat(`é\n\"`, 1_500) + `"`,
	} {
		b.Run(name, func(b *testing.B) {
			raw := []byte(text)
			b.SetBytes(int64(len(raw)))
			b.ReportAllocs()
			for b.Loop() {
				if err := jsonrpc.Valid(raw, jsonrpc.DefaultDepth); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkConn is a request from the line to the answer, pipelined.
func BenchmarkConn(b *testing.B) {
	b.ReportAllocs()
	b.SetBytes(int64(len(toolsCall)))
	in, w := io.Pipe()
	conn := jsonrpc.NewConn(in, io.Discard, jsonrpc.Config{})
	done := make(chan error, 1)
	go func() { done <- conn.Serve(context.Background(), echo) }()
	burst := bytes.Repeat([]byte(toolsCall), 256)
	n := 0
	for b.Loop() {
		if n++; n%256 == 0 {
			if _, err := w.Write(burst); err != nil {
				b.Fatal(err)
			}
		}
	}
	_ = w.Close() // a pipe closes
	if err := <-done; err != nil {
		b.Fatal(err)
	}
}

// TestAllocations pins what a request allocates on its way through a
// connection: nothing but its part of sixteen contexts.
func TestAllocations(t *testing.T) {
	const n = 20_000
	in := strings.Repeat(toolsCall, n)
	total := testing.AllocsPerRun(3, func() {
		if err := jsonrpc.NewConn(strings.NewReader(in), io.Discard, jsonrpc.Config{}).Serve(context.Background(), echo); err != nil {
			t.Fatal(err)
		}
	})
	if per := total / n; per > 0.5 {
		t.Errorf("%.2f allocations a request, want a sixteenth", per)
	}
}
