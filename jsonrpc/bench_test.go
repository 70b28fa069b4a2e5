package jsonrpc_test

import (
	"bytes"
	"context"
	"io"
	"net"
	"runtime"
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

// TestRoundTripAllocations pins what a call allocates on both sides of a pipe:
// its result, and its part of sixteen contexts.
func TestRoundTripAllocations(t *testing.T) {
	const most = 1.5
	client := pipe(t, echo)
	per := 2 * most
	for n := 0; per > most && n < 10; n++ { // a busy machine takes the processor away in between
		per = testing.AllocsPerRun(2000, func() {
			if _, err := client.Call(context.Background(), "echo", nil); err != nil {
				t.Fatal(err)
			}
		})
	}
	if per > most {
		t.Errorf("%.2f allocations a round trip, want one and a sixteenth", per)
	}
}

// TestDecodeAllocations pins that decoding a message allocates once.
func TestDecodeAllocations(t *testing.T) {
	text := []byte(strings.TrimSpace(toolsCall))
	per := testing.AllocsPerRun(100, func() {
		if body, err := jsonrpc.Decode(text, jsonrpc.Config{}); err != nil || body.Messages[0].Request.Method != "tools/call" {
			t.Fatal(err)
		}
	})
	if per > 1 {
		t.Errorf("%.0f allocations, want 1", per)
	}
}

// TestAllocations pins what a request allocates on its way through a
// connection: nothing but its part of sixteen contexts.
func TestAllocations(t *testing.T) {
	const requests, most = 20_000, 0.5
	in := strings.Repeat(toolsCall, requests)
	per := 2 * most
	for n := 0; per > most && n < 10; n++ { // as above
		per = testing.AllocsPerRun(3, func() {
			if err := jsonrpc.NewConn(strings.NewReader(in), io.Discard, jsonrpc.Config{}).Serve(context.Background(), echo); err != nil {
				t.Fatal(err)
			}
		}) / requests
	}
	if per > most {
		t.Errorf("%.2f allocations a request, want a sixteenth", per)
	}
}

// pipe connects a client and a server over net.Pipe. The other side is called
// through the connection that is returned.
func pipe(tb testing.TB, h jsonrpc.Handler) *jsonrpc.Conn {
	tb.Helper()
	here, there := net.Pipe()
	client, server := jsonrpc.NewConn(here, here, jsonrpc.Config{}), jsonrpc.NewConn(there, there, jsonrpc.Config{})
	done := make(chan error, 2)
	go func() { done <- client.Serve(context.Background(), echo) }()
	go func() { done <- server.Serve(context.Background(), h) }()
	tb.Cleanup(func() {
		_, _ = here.Close(), there.Close() // a pipe closes
		<-done
		<-done
	})
	return client
}

// BenchmarkRoundTrip is a call over net.Pipe, one at a time and 64 at a time.
func BenchmarkRoundTrip(b *testing.B) {
	for name, params := range map[string][]byte{"void": nil, "4KiB": []byte(`["` + strings.Repeat("x", 4096) + `"]`)} {
		b.Run(name, func(b *testing.B) {
			client := pipe(b, echo)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := client.Call(context.Background(), "echo", params); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("64 in flight", func(b *testing.B) {
		client := pipe(b, echo)
		b.ReportAllocs()
		b.SetParallelism(64 / runtime.GOMAXPROCS(0))
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				if _, err := client.Call(context.Background(), "echo", nil); err != nil {
					b.Error(err)
					return
				}
			}
		})
	})
}
