package attack_test

import (
	"crypto/tls"
	"fmt"
	"net"
	"strconv"
	"sync"
	"testing"
	"time"
)

// TestStrangers has clients without a key open more connections than a server
// takes, from many addresses, the good client's own among them, and keep them: some
// after a health check, some after a refusal, some without a byte. A good client
// that connects meanwhile is served within a second.
func TestStrangers(t *testing.T) {
	limit, each, n := times(400, 8000), times(100, 1000), times(1000, 10_000)
	n = min(n, affordable(t))
	s, token := confined(t, "--max-connections", strconv.Itoa(limit), "--max-connections-per-address", strconv.Itoa(each))
	_, unknown := key(t, t.TempDir()) // good at another server
	openers := []func(conn net.Conn){
		func(conn net.Conn) {
			write(conn, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
			_ = conn.SetReadDeadline(time.Now().Add(patience))
			_, _ = conn.Read(make([]byte, 100)) // the server may close it instead
		},
		func(conn net.Conn) {
			write(conn, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n")
		},
		func(net.Conn) {}, // which does not even begin TLS
		func(conn net.Conn) { write(conn, s.whole(unknown, list)) },
	}
	var mu sync.Mutex
	var open []net.Conn
	var late []time.Duration
	began := time.Now()
	together(n, func(i int) {
		conn, err := s.from(t, fmt.Sprintf("127.0.%d.1", i%20)) // 127.0.0.1 is the good client's
		if err != nil {
			t.Error(err)
			return
		}
		openers[i%len(openers)](conn)
		mu.Lock()
		open = append(open, conn)
		mu.Unlock()
		if i%(n/20) == 0 {
			took := s.served(t, token, "127.0.0.1")
			mu.Lock()
			late = append(late, took)
			mu.Unlock()
		}
	})
	t.Logf("%d connections in %v, %d MiB", n, time.Since(began).Round(time.Millisecond), s.resident()>>20)
	for range 10 {
		late = append(late, s.served(t, token, "127.0.0.1"))
	}
	slow := 0
	for _, took := range late {
		if took > time.Second {
			slow++
		}
	}
	t.Logf("a good client that connects: %v", late)
	if slow > len(late)/5 {
		t.Errorf("%d of %d good clients were served after more than a second", slow, len(late))
	}
	if got := s.number(t, `triptych_budget_used{budget="connections"}`); got > float64(limit) {
		t.Errorf("%v connections are open, want at most %d", got, limit)
	}
	for _, conn := range open {
		_ = conn.Close() // it may be closed already
	}
}

// Strangers at the good client's own IPv6 address open connections and send nothing.
// Those that are more than one address may have end, the oldest first, and the good
// client is served.
func TestStrangersOverIPv6(t *testing.T) {
	const home, limit, n = "::1", 20, 60
	if l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", net.JoinHostPort(home, "0")); err != nil {
		t.Skip("the loopback has no IPv6: ", err)
	} else {
		_ = l.Close() // it has no connections
	}
	data := t.TempDir()
	_, token := key(t, data)
	s := start(t, data, "--listen", net.JoinHostPort(home, "0"), "--max-connections-per-address", strconv.Itoa(limit))
	var open []net.Conn
	for range n {
		conn, err := s.from(t, home)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		_ = conn.SetDeadline(time.Now().Add(patience))
		if err := conn.(*tls.Conn).HandshakeContext(t.Context()); err != nil {
			t.Fatal(err)
		}
		open = append(open, conn)
	}
	for range 10 {
		s.served(t, token, home)
	}
	if got := s.number(t, `triptych_budget_used{budget="connections"}`); got > limit {
		t.Errorf("%v connections are open, want at most %d", got, limit)
	}
	for _, conn := range open[:n-limit] { // the oldest
		_ = conn.SetReadDeadline(time.Now().Add(patience))
		if _, err := conn.Read(make([]byte, 1)); err == nil || isTimeout(err) {
			t.Errorf("the connection of a stranger is open: %v", err)
		}
	}
}

// served connects as a good client from an address, calls, and returns how long that
// took.
func (s *server) served(t *testing.T, token, from string) time.Duration {
	t.Helper()
	began := time.Now()
	c := s.client(t, token, from, false)
	c.post(t, list).is(t, "a good client", 200, 0)
	c.CloseIdleConnections()
	return time.Since(began)
}
