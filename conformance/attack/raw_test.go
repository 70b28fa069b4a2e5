package attack_test

import (
	"bufio"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// dial connects without saying anything, by TLS where the server has it.
func (s *server) dial(t *testing.T) net.Conn {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", s.addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() }) // it may be closed already
	if s.tls == nil {
		return conn
	}
	return tls.Client(conn, s.tls.Clone())
}

// write writes text as it stands; how much of it the server takes is its own
// business.
func write(conn net.Conn, text string) {
	_ = conn.SetWriteDeadline(time.Now().Add(patience))
	_, _ = io.WriteString(conn, text)
}

// answers returns the statuses of all answers that come until the connection is
// closed, the first does not come in time, or nothing comes after it for a while.
func answers(t *testing.T, conn net.Conn, first, while time.Duration) (statuses []int, closed bool) {
	t.Helper()
	in := bufio.NewReader(conn)
	for wait := first; ; wait = while {
		_ = conn.SetReadDeadline(time.Now().Add(wait))
		resp, err := http.ReadResponse(in, nil)
		if err != nil {
			return statuses, !isTimeout(err)
		}
		statuses = append(statuses, resp.StatusCode)
		_, _ = io.Copy(io.Discard, resp.Body) // its end shows with the next
	}
}

// head is the head of an honest request, without the lines that say how long
// its body is.
func (s *server) head(token string) string {
	return "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + token + "\r\nContent-Type: application/json\r\n"
}

// whole is an honest request.
func (s *server) whole(token, body string) string {
	return s.head(token) + fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body)
}

// half sends half of a request; rest sends the other half and returns the
// answer.
func (s *server) half(t *testing.T, token, body string) (rest func() string) {
	t.Helper()
	conn := s.dial(t)
	text := s.whole(token, body)
	middle := len(text) - len(body)/2
	write(conn, text[:middle])
	return func() string {
		write(conn, text[middle:])
		_ = conn.SetReadDeadline(time.Now().Add(patience))
		answer, _ := io.ReadAll(conn) // as far as it comes
		return string(answer)
	}
}

// chunked is a body in one chunk.
func chunked(body string) string { return fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(body), body) }

// smuggling hides a request in another, where two programs that read HTTP may
// disagree about where the first one ends. At most one is answered, and the
// hidden one never is.
func smuggling(t *testing.T, s *server, token string) {
	for _, tc := range s.ambiguous(token, s.whole(token, create("smuggled"))) {
		conn := s.dial(t)
		write(conn, tc.text)
		statuses, _ := answers(t, conn, patience, 400*time.Millisecond)
		switch {
		case len(statuses) != 1:
			t.Errorf("%s: answers %v, want one", tc.name, statuses)
		case tc.status != 0 && statuses[0] != tc.status:
			t.Errorf("%s: status %d, want %d", tc.name, statuses[0], tc.status)
		case tc.status == 0 && (statuses[0] < 400 || statuses[0] == 500):
			t.Errorf("%s: status %d, want a refusal", tc.name, statuses[0])
		}
		_ = conn.Close() // it may be closed already
	}
	absent(t, s, token, "smuggled")
}

// An ambiguous request is one whose end two programs may see in two places.
type ambiguous struct {
	name, text string
	status     int // of the only answer; 0 is any that refuses
}

// ambiguous returns requests that may hide another.
func (s *server) ambiguous(token, hidden string) []ambiguous {
	length := func(n int) string { return fmt.Sprintf("Content-Length: %d\r\n", n) }
	const asChunks = "Transfer-Encoding: chunked\r\n"
	head := s.head(token)
	return []ambiguous{
		{"a length and chunks", head + length(len(chunked(list))+len(hidden)) + asChunks + "\r\n" + chunked(list) + hidden, 200},
		{"chunks and a length", head + asChunks + length(4) + "\r\n" + chunked(list) + hidden, 200},
		{"two lengths", head + length(len(list)) + length(len(list)+len(hidden)) + "\r\n" + list + hidden, 0},
		{"a length with a sign", head + "Content-Length: +" + fmt.Sprint(len(list)) + "\r\n\r\n" + list + hidden, 0},
		{"a negative length", head + length(-1) + "\r\n" + list + hidden, 0},
		{"a list of lengths", head + fmt.Sprintf("Content-Length: %d, %d\r\n\r\n", len(list), len(list)+len(hidden)) + list + hidden, 0},
		{"a huge length", head + "Content-Length: 99999999999999999999\r\n\r\n" + list + hidden, 0},
		{"chunks of another kind", head + "Transfer-Encoding: xchunked\r\n\r\n" + chunked(list) + hidden, 0},
		{"chunks twice", head + asChunks + asChunks + "\r\n" + chunked(list) + hidden, 0},
		{"chunks and identity", head + "Transfer-Encoding: identity, chunked\r\n\r\n" + chunked(list) + hidden, 0},
		{"a tab before chunked", head + "Transfer-Encoding:\tchunked\r\n\r\n" + chunked(list) + hidden, 200},
		{"a vertical tab before chunked", head + "Transfer-Encoding: \x0bchunked\r\n\r\n" + chunked(list) + hidden, 0},
		{"a blank before the colon", head + "Transfer-Encoding : chunked\r\n" + length(len(list)) + "\r\n" + list + hidden, 0},
		{"a line that goes on", head + "X-Folded: a\r\n Content-Length: 4\r\n" + length(len(list)) + "\r\n" + list, 200},
		{"a newline in a value", head + "X-Split: a\nTransfer-Encoding: chunked\r\n" + length(len(list)) + "\r\n" + list + hidden, 0},
		{"a return in a value", head + "X-Split: a\rTransfer-Encoding: chunked\r\n" + length(len(list)) + "\r\n" + list + hidden, 0},
		{"a zero byte in a value", head + "X-Zero: a\x00b\r\n" + length(len(list)) + "\r\n" + list, 0},
		{"a chunk of negative size", head + asChunks + "\r\n-1\r\n" + hidden, 0},
		{"a chunk of huge size", head + asChunks + "\r\nffffffffffffffffff\r\n" + hidden, 0},
		{"an extension of a chunk with a newline", head + asChunks + "\r\n0;a\nb\r\n\r\n" + hidden, 0},
		{"a trailer with a key", head + asChunks + "Trailer: Authorization\r\n\r\n" + strings.TrimSuffix(chunked(list), "\r\n") + "Authorization: Bearer x\r\n\r\n", 200},
		{"no Host", strings.Replace(head, "Host: localhost\r\n", "", 1) + length(len(list)) + "\r\n" + list, 0},
		{"two Hosts", head + "Host: evil.example\r\n" + length(len(list)) + "\r\n" + list, 0},
		{"another host in the address", strings.Replace(head, "POST /mcp", "POST https://evil.example/mcp", 1) + length(len(list)) + "\r\n" + list, 403},
		{"two keys", head + "Authorization: Bearer x\r\n" + length(len(list)) + "\r\n" + list, 401},
		{"the same key twice", head + "Authorization: Bearer " + token + "\r\n" + length(len(list)) + "\r\n" + list, 401},
		{"a verb in small letters", strings.Replace(head, "POST", "post", 1) + length(len(list)) + "\r\n" + list, 405},
		{"another version of HTTP", strings.Replace(head, "HTTP/1.1", "HTTP/3.7", 1) + length(len(list)) + "\r\n" + list, 0},
		{"nonsense", "\x00\xff\r\n\r\n" + hidden, 0},
	}
}

// halfClosed are clients that say that they have nothing more to say, or hang
// up, in the middle and at the end of a request.
func halfClosed(t *testing.T, s *server, token string) {
	text := s.whole(token, list)
	for cut := 1; cut <= len(text); cut += 37 {
		for _, rude := range []bool{false, true} {
			conn := s.dial(t)
			write(conn, text[:cut])
			if rude {
				_ = conn.Close()
				continue
			}
			_ = conn.(*tls.Conn).CloseWrite() // the server may be faster
			if statuses, closed := answers(t, conn, patience, patience); !closed || len(statuses) > 1 {
				t.Errorf("half closed after %d bytes: answers %v, closed %v, want the end", cut, statuses, closed)
			}
			_ = conn.Close()
		}
	}
}

// brokenTLS are clients that speak something else, or nothing sensible.
func brokenTLS(t *testing.T, s *server, token string) {
	for _, text := range []string{s.whole(token, create("in_the_clear")), "\x16\x03\x01\xff\xff" + strings.Repeat("\x00", 1000), strings.Repeat("\xff", 100_000), ""} {
		conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", s.addr)
		if err != nil {
			t.Fatal(err)
		}
		write(conn, text)
		_ = conn.(*net.TCPConn).CloseWrite() // the server may be faster
		_ = conn.SetReadDeadline(time.Now().Add(patience))
		if said, err := io.ReadAll(conn); strings.Contains(string(said), "200 OK") || isTimeout(err) {
			t.Errorf("%.20q: it said %q, %v, want the end", text, said, err)
		}
		_ = conn.Close()
	}
	absent(t, s, token, "in_the_clear")
	for suite, good := range map[uint16]bool{
		tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256:       true,
		tls.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256: true,
		tls.TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA:          false,
		tls.TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA:          false,
	} {
		config := s.tls.Clone()
		config.MaxVersion, config.CipherSuites = tls.VersionTLS12, []uint16{suite}
		conn, err := (&tls.Dialer{Config: config}).DialContext(t.Context(), "tcp", s.addr)
		if (err == nil) != good {
			t.Errorf("TLS 1.2 with %s: %v, want that it is taken: %v", tls.CipherSuiteName(suite), err, good)
		}
		if err == nil {
			_ = conn.Close()
		}
	}
}

func isTimeout(err error) bool {
	timeout, ok := errors.AsType[net.Error](err)
	return ok && timeout.Timeout()
}

// slowClients send a byte now and then, or nothing. Those who do not finish
// the head are cut off after ten seconds; meanwhile everybody else is served.
func slowClients(t *testing.T, s *server, token string) {
	const each = 40
	var wg sync.WaitGroup
	for _, begin := range []string{"", "POST /mcp HTTP/1.1\r\nHost: localhost\r\n"} {
		for range each {
			conn := s.dial(t)
			wg.Go(func() {
				began := time.Now()
				if begin != "" {
					write(conn, begin)
				}
				go trickle(conn)
				_, _ = io.Copy(io.Discard, conn) // until the server has had enough
				if took := time.Since(began); took < 8*time.Second || took > patience {
					t.Errorf("cut off after %v, want about 10s", took)
				}
			})
		}
	}
	for range each { // bodies have longer; these end when the test does
		conn := s.dial(t)
		write(conn, s.head(token)+"Content-Length: 1000\r\n\r\n{")
		defer conn.Close()
	}
	c := s.client(t, token, "", true)
	for range 20 {
		began := time.Now()
		c.post(t, list).is(t, "while others are slow", 200, 0)
		if took := time.Since(began); took > patience/2 {
			t.Errorf("while others are slow, an answer took %v", took)
		}
	}
	wg.Wait()
}

// trickle sends what could be the head of a request, a byte a second.
func trickle(conn net.Conn) {
	if tlsConn, ok := conn.(*tls.Conn); ok && !tlsConn.ConnectionState().HandshakeComplete {
		return // this one says nothing at all
	}
	for {
		time.Sleep(time.Second)
		if _, err := conn.Write([]byte("X")); err != nil {
			return
		}
	}
}
