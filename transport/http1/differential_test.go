package http1_test

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/transport/http1"
)

// seen answers with all that a handler sees of a request.
func seen(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	w.Header().Set("X-Seen", "yes")
	if r.Header.Get("X-Status") == "204" {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	fmt.Fprintf(w, "%s %s %s %s host=%s length=%d coding=%v body=%q %v\n",
		r.Method, r.RequestURI, r.URL, r.Proto, r.Host, r.ContentLength, r.TransferEncoding, body, err)
	for _, name := range slices.Sorted(maps.Keys(r.Header)) {
		fmt.Fprintf(w, "%s: %q\n", name, r.Header[name])
	}
}

// both starts a server with the fast path and one of net/http alone, and returns
// their addresses.
func both(t *testing.T) (fast, plain string) {
	t.Helper()
	listen := func() net.Listener {
		l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	handler := http.HandlerFunc(seen)
	server := http1.New(http1.Config{Handler: handler, Paths: []string{"/mcp"}})
	web := &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute}
	first, second := listen(), listen()
	go func() { _ = server.Serve(first) }()          // until the listener is closed
	go func() { _ = web.Serve(server.Fallback()) }() // likewise
	go func() { _ = web.Serve(second) }()            // likewise
	t.Cleanup(func() {
		_ = first.Close() // it was open
		server.Close()
		_ = web.Close() // likewise
	})
	return first.Addr().String(), second.Addr().String()
}

// An answered is one answer, without its date and how its length is told.
type answered struct {
	Status string
	Header http.Header
	Body   string
	Close  bool
}

// converse sends parts of a text, ends its side of the connection, and returns all
// answers.
func converse(t *testing.T, addr string, parts []string) (all []answered) {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(20 * time.Second)) // a read returns the error
	for i, part := range parts {
		if i > 0 {
			time.Sleep(time.Millisecond) // so that the server reads them one by one
		}
		_, _ = io.WriteString(conn, part) // the server may have refused the first part
	}
	_ = conn.(*net.TCPConn).CloseWrite() // likewise
	in := bufio.NewReader(conn)
	for {
		resp, err := http.ReadResponse(in, nil)
		if err != nil {
			return all
		}
		body, _ := io.ReadAll(resp.Body) // one that is cut off differs
		resp.Header.Del("Date")
		resp.Header.Del("Content-Length") // net/http has chunks in place of some
		all = append(all, answered{resp.Status, resp.Header, string(body), resp.Close})
	}
}

// lines are header lines from which requests are made, usual, unusual and wrong ones.
var lines = []string{
	"Host: localhost", "Host: localhost:8443", "Host: [::1]", "Host: ", "Host: a b", "Host: other", "host: lower",
	"Content-Length: 2", "Content-Length: 02", "Content-Length: +2", "Content-Length: 2, 2", "Content-Length: x", "content-length:2",
	"Transfer-Encoding: chunked", "Transfer-Encoding: identity", "Transfer-Encoding:\tchunked", "TE: trailers", "Trailer: X-End",
	"Connection: close", "Connection: keep-alive", "Connection: Keep-Alive, X-Dropped", "Keep-Alive: timeout=5", "Upgrade: h2c",
	"Expect: 100-continue", "Expect: nothing", "Content-Type: application/json", "Accept: application/json, text/event-stream",
	"Authorization: Bearer x", "X-Empty:", "X-Blank: \t a \t ", "X-Twice: 1", "X-Twice: 2", "x-lower: a", "X-Latin: \xe9", "X-Control: a\x01b",
	"X-Folded: a\r\n b", "X Space: a", "X-Colon : a", ": none", "novalue", "X-Status: 204", "Cookie: a=b; c=d", "Pragma: no-cache",
	"X-Bare: a\nX-Next: b", "Mcp-Session-Id: 1", "X-Long: " + strings.Repeat("y", 5000),
}

var (
	starts = []string{
		"POST /mcp HTTP/1.1", "POST /mcp HTTP/1.1", "POST /mcp HTTP/1.1", "POST /mcp HTTP/1.0", "GET /mcp HTTP/1.1", "POST /other HTTP/1.1",
		"POST http://localhost/mcp HTTP/1.1", "POST /mcp?q=1 HTTP/1.1", "POST /%6dcp HTTP/1.1", "POST  /mcp HTTP/1.1", "post /mcp HTTP/1.1",
		"POST /mcp", "POST /mcp HTTP/2.0", "POST //mcp HTTP/1.1", "HEAD /mcp HTTP/1.1",
	}
	bodies = []string{"{}", "", "x", "2\r\n{}\r\n0\r\n\r\n", "{}\r\n", strings.Repeat("z", 3000)}
)

// request makes a random request, most of them nearly usual.
func request(r *rand.Rand) string {
	start, head := starts[0], []string{"Host: localhost", "Content-Length: 2", "Content-Type: application/json"}
	body := bodies[0]
	if r.IntN(3) == 0 {
		start = starts[r.IntN(len(starts))]
	}
	for range r.IntN(4) {
		line := lines[r.IntN(len(lines))]
		if r.IntN(2) == 0 {
			head[r.IntN(len(head))] = line
		} else {
			head = slices.Insert(head, r.IntN(len(head)+1), line)
		}
	}
	if r.IntN(3) == 0 {
		body = bodies[r.IntN(len(bodies))]
	}
	return start + "\r\n" + strings.Join(head, "\r\n") + "\r\n\r\n" + body
}

// TestSameAsNetHTTP sends random texts to a server with the fast path and to one of
// net/http alone. Handlers see the same, and clients get the same answers.
func TestSameAsNetHTTP(t *testing.T) {
	fast, plain := both(t)
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 1500 {
		var text strings.Builder
		for range 1 + r.IntN(3) {
			text.WriteString(request(r))
		}
		parts := []string{text.String()}
		if r.IntN(2) == 0 {
			at := r.IntN(text.Len())
			parts = []string{text.String()[:at], text.String()[at:]}
		}
		got, want := converse(t, fast, parts), converse(t, plain, parts)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("text %d, %q (-net/http +fast path):\n%s", n, parts, diff)
		}
	}
}
