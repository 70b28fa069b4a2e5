package https_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/triptych-mcp/triptych/transport/https"
)

func TestPaths(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := serve(t, https.Config{Routes: endpoint(says("here"))})
		client := h.client(t)
		tests := []struct {
			path   string
			status int
			body   string
		}{
			{"/mcp", 200, "here"},
			{"/mcp?a=b", 200, "here"},
			{"/%6dcp", 200, "here"}, // RFC 3986, section 6.2.2.2: the same path
			{"/healthz", 200, "ok\n"},
			{"/readyz", 200, "ready\n"},
			{"/", 404, "nothing is served here; MCP is at /mcp\n"},
			{"/mcp/", 404, "nothing is served here; MCP is at /mcp\n"},
			{"//mcp", 404, "nothing is served here; MCP is at /mcp\n"},
			{"/MCP", 404, "nothing is served here; MCP is at /mcp\n"},
			{"/x/../mcp", 404, "nothing is served here; MCP is at /mcp\n"},
			{"/metrics", 404, "nothing is served here; MCP is at /mcp\n"},
			{"/debug/pprof/", 404, "nothing is served here; MCP is at /mcp\n"},
			{"/.well-known/oauth-protected-resource", 404, "nothing is served here; MCP is at /mcp\n"},
		}
		for _, tc := range tests {
			if status, body := get(t, client, "http://localhost"+tc.path); status != tc.status || body != tc.body {
				t.Errorf("%s: %d %q, want %d %q", tc.path, status, body, tc.status, tc.body)
			}
		}
		h.end(t)
	})
}

func TestReady(t *testing.T) {
	tests := []struct {
		name   string
		ready  func(context.Context) error
		status int
		body   string
		took   time.Duration
	}{
		{"ready", func(context.Context) error { return nil }, 200, "ready\n", 0},
		{"not ready, and silent about why", func(context.Context) error { return errors.New("dial 10.1.2.3") }, 503, "not ready\n", 0},
		{"not ready, with a reason for all", func(context.Context) error {
			return &https.NotReadyError{Reason: "the disk is full", Err: errors.New("write /srv/data: no space left on device")}
		}, 503, "not ready: the disk is full\n", 0},
		{"never told", func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }, 503, "not ready\n", 2 * time.Second},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				h := serve(t, https.Config{Ready: tc.ready})
				client := h.client(t)
				began := time.Now()
				status, body := get(t, client, "http://localhost/readyz")
				if took := time.Since(began); status != tc.status || body != tc.body || took != tc.took {
					t.Errorf("%d %q after %v, want %d %q after %v", status, body, took, tc.status, tc.body, tc.took)
				}
				if status, _ := get(t, client, "http://localhost/healthz"); status != http.StatusOK {
					t.Errorf("/healthz: %d, want 200: it lives", status)
				}
				h.end(t)
			})
		})
	}
}

// However often it is asked, the log has a line when the server is no longer ready and one
// when it is again.
func TestReadinessIsLoggedOnce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var log bytes.Buffer
		var failing atomic.Bool
		h := serve(t, https.Config{Logger: slog.New(slog.NewTextHandler(&log, nil)), Ready: func(context.Context) error {
			if failing.Load() {
				return errors.New("dial 10.1.2.3")
			}
			return nil
		}})
		client := h.client(t)
		for i := range 12 {
			failing.Store(i/3%2 == 1)
			get(t, client, "http://localhost/readyz")
		}
		h.end(t)
		no, again := strings.Count(log.String(), `level=WARN msg="not ready" err="dial 10.1.2.3"`), strings.Count(log.String(), `level=INFO msg="ready again"`)
		if no != 2 || again != 1 {
			t.Errorf("the log has %d and %d lines, want 2 and 1:\n%s", no, again, &log)
		}
	})
}

// While it waits before the end, a server still serves but is not ready.
func TestDrainDelay(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := serve(t, https.Config{Routes: endpoint(says("here")), DrainDelay: 5 * time.Second})
		client := h.client(t)
		began := time.Now()
		h.stop()
		synctest.Wait()
		time.Sleep(time.Second)
		if status, body := get(t, client, "http://localhost/readyz"); status != http.StatusServiceUnavailable || body != "draining\n" {
			t.Errorf("/readyz: %d %q, want 503 draining", status, body)
		}
		for _, path := range []string{"/healthz", "/mcp"} {
			if status, _ := get(t, client, "http://localhost"+path); status != http.StatusOK {
				t.Errorf("%s: %d, want 200", path, status)
			}
		}
		client.CloseIdleConnections()
		if err := <-h.done; err != nil || time.Since(began) != 5*time.Second {
			t.Errorf("it ended with %v after %v, want 5s", err, time.Since(began))
		}
	})
}

func TestHeaderLimit(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := serve(t, https.Config{Routes: endpoint(says("here")), MaxHeader: 8 << 10})
		for _, tc := range []struct {
			bytes int
			want  string
		}{
			{7 << 10, "HTTP/1.1 200 OK"},
			{16 << 10, "HTTP/1.1 431 Request Header Fields Too Large"}, // net/http allows 4 KiB more than it is told
		} {
			conn, err := h.Dial(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			go func() { // a pipe has no buffer, and the server stops reading
				_, _ = conn.Write([]byte("GET /mcp HTTP/1.1\r\nHost: localhost\r\nX-Large: " + strings.Repeat("x", tc.bytes) + "\r\n\r\n"))
			}()
			if got := statusLine(t, conn); got != tc.want {
				t.Errorf("%d bytes: %s, want %s", tc.bytes, got, tc.want)
			}
			_ = conn.Close() // the answer is there
		}
		h.end(t)
	})
}

// A new connection waits while requests run on all others. An idle one, such as
// one that has sent half a head, makes room.
func TestConnectionLimit(t *testing.T) {
	bubble(t, func(t *testing.T) {
		release := make(chan struct{})
		h := serve(t, https.Config{MaxConnections: 2, Routes: endpoint(func(w http.ResponseWriter, r *http.Request) {
			<-release
			says("here")(w, r)
		})})
		const request = "GET /mcp HTTP/1.1\r\nHost: localhost\r\n"
		running := h.raw(t, request+"\r\n")
		synctest.Wait() // its handler runs
		half := h.raw(t, request)
		second := h.raw(t, request+"\r\n")
		if took, said := closes(t, half); took != 0 || said != "" {
			t.Errorf("half a head ends after %v with %q, want that it makes room at once", took, said)
		}
		synctest.Wait()
		ctx, stop := context.WithTimeout(t.Context(), 5*time.Second)
		defer stop()
		third := make(chan net.Conn, 1)
		go func() {
			conn, err := h.Dial(t.Context())
			if err != nil {
				t.Error(err)
			}
			third <- conn
		}()
		<-ctx.Done()
		close(release)
		for _, conn := range []net.Conn{running, second} {
			if got := statusLine(t, conn); got != "HTTP/1.1 200 OK" {
				t.Errorf("a request that was running: %s, want 200", got)
			}
		}
		_ = running.Close() // its request is over
		late := <-third
		if _, err := io.WriteString(late, request+"\r\n"); err != nil {
			t.Fatal(err)
		}
		if got := statusLine(t, late); got != "HTTP/1.1 200 OK" {
			t.Errorf("when there is room: %s, want 200", got)
		}
		_, _ = second.Close(), late.Close() // or they would be kept alive
		h.end(t)
	})
}

// Health checks of a crowded server end their connections; calls do not.
func TestCrowded(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := serve(t, https.Config{MaxConnections: 4, Routes: endpoint(says("here"))})
		ask := func(conn net.Conn, path string) *http.Response {
			if _, err := io.WriteString(conn, "GET "+path+" HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
				t.Fatal(err)
			}
			resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = io.Copy(io.Discard, resp.Body) // it is short
			return resp
		}
		first, second := h.raw(t, ""), h.raw(t, "")
		if resp := ask(first, "/healthz"); resp.StatusCode != http.StatusOK || resp.Close {
			t.Errorf("with two of four: %s, close %v", resp.Status, resp.Close)
		}
		third := h.raw(t, "")
		if resp := ask(first, "/mcp"); resp.Close {
			t.Error("a call ends its connection")
		}
		if resp := ask(first, "/healthz"); resp.StatusCode != http.StatusOK || !resp.Close {
			t.Errorf("with three of four: %s, close %v, want that it closes", resp.Status, resp.Close)
		}
		_, _ = second.Close(), third.Close() // or they would be kept alive
		h.end(t)
	})
}

// A panic of a handler ends its connection, not the server.
func TestPanic(t *testing.T) {
	bubble(t, func(t *testing.T) {
		broken := true
		h := serve(t, https.Config{Routes: endpoint(func(w http.ResponseWriter, r *http.Request) {
			if broken {
				broken = false
				panic("broken")
			}
			says("here")(w, r)
		})})
		conn := h.raw(t, "GET /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n")
		if _, said := closes(t, conn); said != "" {
			t.Errorf("it said %q", said)
		}
		if status, _ := get(t, h.client(t), "http://localhost/mcp"); status != http.StatusOK {
			t.Errorf("status %d afterwards, want 200", status)
		}
		h.end(t)
	})
}

// A connection lives on after a body in chunks, unless the request may have had a length
// besides: a proxy may have taken what follows for part of that body.
func TestChunksAndTheConnection(t *testing.T) {
	const (
		request = "POST /mcp HTTP/1.1\r\nHost: localhost\r\n"
		chunks  = "2\r\n{}\r\n0\r\n\r\n"
		chunked = request + "Transfer-Encoding: chunked\r\n\r\n" + chunks
		sized   = request + "Content-Length: 2\r\n\r\n{}"
		last    = "GET /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
	)
	tests := []struct {
		name    string
		texts   []string // each is written when the one before was answered
		answers int
	}{
		{"requests with a length", []string{sized, sized, last}, 3},
		{"requests with chunks", []string{chunked, chunked, chunked, last}, 4},
		{"chunks in small letters", []string{strings.Replace(chunked, "Transfer-Encoding", "transfer-encoding", 1), chunked, last}, 3},
		{"chunks, then a length", []string{chunked, sized, last}, 3},
		{"chunks, a length, and chunks again", []string{chunked, sized, chunked, last}, 3},
		{"a length and chunks", []string{request + "Content-Length: 60\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks, chunked}, 1},
		{"chunks and a length", []string{request + "Transfer-Encoding: chunked\r\ncontent-length: 0\r\n\r\n" + chunks, chunked}, 1},
		{"chunks, then both", []string{chunked, request + "Transfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n" + chunks, chunked}, 2},
		{"a tab before chunked", []string{request + "Transfer-Encoding:\tchunked\r\n\r\n" + chunks, chunked}, 1},
		{"a blank after chunked", []string{request + "Transfer-Encoding: chunked \r\n\r\n" + chunks, chunked}, 1},
		{"a length in a trailer", []string{strings.TrimSuffix(chunked, "\r\n") + "Content-Length: 9\r\n\r\n", chunked}, 1},
		{"a length in the body, as a line", []string{request + "Transfer-Encoding: chunked\r\n\r\n11\r\n\nContent-Length: \r\n0\r\n\r\n", chunked}, 1},
	}
	for _, tc := range tests {
		for _, slow := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/%v", tc.name, slow), func(t *testing.T) {
				bubble(t, func(t *testing.T) {
					h := serve(t, https.Config{Routes: endpoint(says("here")), WithoutFastPath: slow})
					conn, err := h.Dial(t.Context())
					if err != nil {
						t.Fatal(err)
					}
					var writing sync.WaitGroup
					writing.Go(func() {
						for _, text := range tc.texts {
							_, _ = conn.Write([]byte(text)) // the server may not read it all
							time.Sleep(time.Second)         // until it was answered
						}
					})
					_, said := closes(t, conn)
					if got := strings.Count(said, "200 OK"); got != tc.answers {
						t.Errorf("%d answers, want %d: %q", got, tc.answers, said)
					}
					_ = conn.Close()
					writing.Wait()
					h.end(t)
				})
			})
		}
	}
}
