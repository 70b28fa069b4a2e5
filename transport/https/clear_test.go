package https_test

import (
	"context"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/transport/https"
)

// A client that speaks HTTP to a server of HTTPS reads why that does not work, though the
// server leaves most of what it sends.
func TestHTTPInTheClear(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := https.New(https.Config{Certificates: selfSigned(t, t.TempDir()), Routes: endpoint(says("here"))})
	done := make(chan error, 1)
	go func() { done <- server.Serve(ctx, listener) }()
	for range 20 {
		conn, err := new(net.Dialer).DialContext(ctx, "tcp", listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		_ = conn.SetDeadline(time.Now().Add(20 * time.Second)) // a read returns the error
		_, _ = io.WriteString(conn, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 20000\r\n\r\n"+strings.Repeat(" ", 20000))
		answer, err := io.ReadAll(conn)
		if err != nil || !strings.Contains(string(answer), " 400 ") || !strings.Contains(string(answer), "use https://") {
			t.Fatalf("got %q, %v", answer, err)
		}
		_ = conn.Close() // all was read
	}
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
