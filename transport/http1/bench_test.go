package http1_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/transport/http1"
)

// BenchmarkPost is a short request and its answer over a TCP connection of this
// machine, by a server and by net/http.
func BenchmarkPost(b *testing.B) {
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			b.Error(err)
		}
		w.Header()["Content-Type"] = []string{"application/json"}
		_, _ = w.Write(body)
	})
	listeners := map[string]func(net.Listener) error{
		"server":   http1.New(http1.Config{Handler: handler, Paths: []string{"/mcp"}}).Serve,
		"net-http": func(l net.Listener) error { return http.Serve(l, handler) },
	}
	for name, serve := range listeners {
		b.Run(name, func(b *testing.B) {
			listener, err := new(net.ListenConfig).Listen(b.Context(), "tcp", "127.0.0.1:0")
			if err != nil {
				b.Fatal(err)
			}
			go func() { _ = serve(listener) }()
			defer func() { _ = listener.Close() }()
			conn, err := new(net.Dialer).DialContext(b.Context(), "tcp", listener.Addr().String())
			if err != nil {
				b.Fatal(err)
			}
			defer func() { _ = conn.Close() }()
			ask(b, conn)
		})
	}
}

// ask asks as long as the benchmark lasts, and allocates next to nothing.
func ask(b *testing.B, conn net.Conn) {
	request := []byte(strings.Replace(post(`{"jsonrpc":"2.0","id":1,"method":"ping"}`), "\r\n\r\n",
		"\r\nAccept: application/json, text/event-stream\r\nContent-Type: application/json\r\nAuthorization: Bearer x\r\n\r\n", 1))
	in := bufio.NewReader(conn)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := conn.Write(request); err != nil {
			b.Fatal(err)
		}
		for {
			line, err := in.ReadSlice('\n')
			if err != nil {
				b.Fatal(err)
			}
			if len(line) == 2 {
				break
			}
		}
		if _, err := in.Discard(len(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)); err != nil {
			b.Fatal(err)
		}
	}
}
