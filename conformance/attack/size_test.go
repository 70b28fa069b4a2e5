package attack_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"net/http"
	"strings"
	"testing"
	"time"
)

// tooMuch sends more than the server takes: of a body, of headers, of depth.
func tooMuch(t *testing.T, s *server, token string) {
	c := s.client(t, token, "", false)
	padded := func(n int) string { return list + strings.Repeat(" ", n-len(list)) }
	c.post(t, padded(1_000_000)).is(t, "a body of the largest size", 200, 0)
	c.post(t, padded(1_000_001)).is(t, "a byte more", 413, -32600)
	c.post(t, strings.Repeat("[", 999_999)).is(t, "depth", 400, -32700)
	c.post(t, `{"a":`+strings.Repeat("[", 100_000)).is(t, "depth inside", 400, -32700)
	c.post(t, "["+strings.Repeat(ping+",", 10_000)+ping+"]").is(t, "a batch without end", 400, -32600)
	c.post(t, list, "X-Large", strings.Repeat("x", 20_000)).is(t, "large headers", 200, 0)
	endless(t, s, "an announced body", s.head(token)+"Content-Length: 10000000000\r\n\r\n", "{", 413)
	endless(t, s, "chunks without end", s.head(token)+"Transfer-Encoding: chunked\r\n\r\n", "8000\r\n"+strings.Repeat("[", 0x8000)+"\r\n", 413)
	endless(t, s, "headers without end", s.head(token), "X-More: "+strings.Repeat("x", 1000)+"\r\n", 431)
	endless(t, s, "a header without end", s.head(token)+"X-More: ", strings.Repeat("x", 1000), 431)
	endless(t, s, "an address without end", "POST /", strings.Repeat("x", 1000), 431)
	expects(t, s, token)
	r := c.post(t, packed(t, list), "Content-Encoding", "gzip")
	r.is(t, "a packed body", 415, -32600)
	if got := r.header.Get("Accept-Encoding"); got != "identity" {
		t.Errorf("a packed body: Accept-Encoding %q, want identity", got)
	}
}

// endless goes on sending until the server has had enough, which must be soon.
func endless(t *testing.T, s *server, name, begin, more string, want int) {
	t.Helper()
	conn := s.dial(t)
	defer conn.Close()
	sent := make(chan int, 1)
	go func() {
		n := len(begin)
		write(conn, begin)
		_ = conn.SetWriteDeadline(time.Now().Add(patience))
		for n < 1<<28 {
			if _, err := conn.Write([]byte(more)); err != nil {
				break
			}
			n += len(more)
		}
		sent <- n
	}()
	_ = conn.SetReadDeadline(time.Now().Add(patience))
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Errorf("%s: no answer: %v", name, err)
	} else if resp.StatusCode != want {
		t.Errorf("%s: status %d, want %d", name, resp.StatusCode, want)
	}
	// What the sockets hold, and what is read so that the answer arrives.
	if n := <-sent; n > 16<<20 {
		t.Errorf("%s: the server read %d bytes", name, n)
	}
}

// expects asks before it sends a body that is too large, and is spared that.
func expects(t *testing.T, s *server, token string) {
	t.Helper()
	conn := s.dial(t)
	defer conn.Close()
	write(conn, s.head(token)+"Expect: 100-continue\r\nContent-Length: 10000000\r\n\r\n")
	_ = conn.SetReadDeadline(time.Now().Add(patience))
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil || resp.StatusCode != 413 {
		t.Errorf("asking first: %+v, %v, want 413 at once", resp, err)
	}
}

func packed(t *testing.T, text string) string {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}
