package streamable_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/transport/streamable"
)

// start sends the head of a POST and a part of its body.
func (s setup) start(t *testing.T, principal string, length int, part string) net.Conn {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })      // it may be closed already
	_ = conn.(*net.TCPConn).SetReadBuffer(4096) // then its answer has to wait sooner
	head := "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAuthorization: " + principal + "\r\nContent-Length: " + strconv.Itoa(length) + "\r\n\r\n"
	if _, err := io.WriteString(conn, head+part); err != nil {
		t.Fatal(err)
	}
	return conn
}

// status waits for the status of the answer.
func status(t *testing.T, conn net.Conn) *http.Response {
	t.Helper()
	_ = conn.SetReadDeadline(time.Now().Add(20 * time.Second)) // a read tells of a closed connection
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

// TestBodyMemory: bodies that lack their end use up the budget of their key and
// then everybody's, and give it back when their clients leave.
func TestBodyMemory(t *testing.T) {
	const size = 4096 // so a key may have two of them, and all keys four
	s := serve(t, func(c *streamable.Config) {
		c.MaxBody, c.BodyMemory, c.BodyMemoryTotal = size, 1, 5*(size+1) // an eighth of the total is reserved
	})
	padded := ping + strings.Repeat(" ", size-len(ping))
	var open []net.Conn
	begin := func(principal string, held int64) {
		open = append(open, s.start(t, principal, size, padded[:size-1]))
		for end := time.Now().Add(20 * time.Second); s.endpoint.BodyUsage().Used != held; time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%d bytes are held, want %d", s.endpoint.BodyUsage().Used, held)
			}
		}
	}
	begin("anna", size+1)
	begin("anna", 2*(size+1))
	third := status(t, s.start(t, "anna", size, padded))
	if third.StatusCode != http.StatusTooManyRequests || third.Header.Get("Retry-After") == "" {
		t.Errorf("a third body of one key: %s, Retry-After %q", third.Status, third.Header.Get("Retry-After"))
	}
	begin("eve", 3*(size+1))
	begin("eve", 4*(size+1))
	if got := status(t, s.start(t, "otto", size, padded)); got.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("a fifth body: %s, want 503", got.Status)
	}
	if got := status(t, s.start(t, "ida", len(ping), ping)); got.StatusCode != http.StatusOK {
		t.Errorf("a small body beside them: %s, want 200", got.Status)
	}
	for _, conn := range open {
		_ = conn.Close() // it was open
	}
	for end := time.Now().Add(20 * time.Second); s.endpoint.BodyUsage().Used != 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d bytes are held though all clients left", s.endpoint.BodyUsage().Used)
		}
	}
	if got := status(t, s.start(t, "anna", size, padded)); got.StatusCode != http.StatusOK {
		t.Errorf("afterwards: %s, want 200", got.Status)
	}
}

// TestSlowBody: a body that arrives too slowly is refused when it should have
// been here, whether its length is known or not.
func TestSlowBody(t *testing.T) {
	s := serve(t, func(c *streamable.Config) { c.BodyGrace, c.BodyRate = 100*time.Millisecond, 1<<16 })
	for name, conn := range map[string]net.Conn{
		"nothing":       s.start(t, "anna", 100, ""),
		"all but a bit": s.start(t, "eve", 15<<16, strings.Repeat(" ", 15<<16-1)), // whose rate would allow 15 s
		"a part":        s.start(t, "anna", 1<<20, strings.Repeat(" ", 1000)),
	} {
		if got := status(t, conn); got.StatusCode != http.StatusRequestTimeout || !got.Close {
			t.Errorf("%s: %s, close %v; want 408 and the end of the connection", name, got.Status, got.Close)
		}
	}
	conn := serve(t).start(t, "anna", len(ping), ping[:10])
	if _, err := io.WriteString(conn, ping[10:]+"POST / HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	if got := status(t, conn); got.StatusCode != http.StatusOK {
		t.Errorf("a body in two parts: %s, want 200", got.Status)
	}
}
