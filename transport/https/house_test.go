package https_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/triptych-mcp/triptych/transport/https"
	"github.com/triptych-mcp/triptych/transport/pipetest"
	"github.com/triptych-mcp/triptych/transport/routes"
)

// A house is a server that runs in a bubble.
type house struct {
	*pipetest.Listener
	server *https.Server
	stop   context.CancelFunc
	done   chan error // what Serve returned
}

// serve starts a server, which the end of the test ends.
func serve(t *testing.T, cfg https.Config) *house {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	h := &house{Listener: pipetest.New(), server: https.New(cfg), stop: stop, done: make(chan error, 1)}
	go func() { h.done <- h.server.Serve(ctx, h.Listener) }()
	t.Cleanup(stop)
	return h
}

// end ends the server and returns how long that took.
func (h *house) end(t *testing.T) time.Duration {
	t.Helper()
	began := time.Now()
	h.stop()
	if err := <-h.done; err != nil {
		t.Errorf("Serve: %v", err)
	}
	return time.Since(began)
}

// client is a client of the server over plain HTTP.
func (h *house) client(t *testing.T) *http.Client {
	t.Helper()
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return h.Dial(ctx) }}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// raw connects and writes text as it stands.
func (h *house) raw(t *testing.T, text string) net.Conn {
	t.Helper()
	conn, err := h.Dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() }) // it may be closed already
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
	return conn
}

// closes waits until the server closes a connection, and returns how long that
// took and what it said before.
func closes(t *testing.T, conn net.Conn) (time.Duration, string) {
	t.Helper()
	began := time.Now()
	said, err := io.ReadAll(conn)
	if err != nil && !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("reading: %v", err)
	}
	return time.Since(began), string(said)
}

// get asks for a path.
func get(t *testing.T, client *http.Client, url string) (status int, body string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

// endpoint is a table with one handler at /mcp.
func endpoint(f http.HandlerFunc) routes.Config {
	return routes.Config{Routes: []routes.Route{{Path: "/mcp", Body: routes.Own, Handler: f}}}
}

// says answers with a text.
func says(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) }
}

// bubble runs a test in virtual time.
func bubble(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, test)
}

// statusLine is the first line of an answer.
func statusLine(t *testing.T, conn net.Conn) string {
	t.Helper()
	line, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(line)
}
