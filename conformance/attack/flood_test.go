//go:build unix

package attack_test

import (
	"bufio"
	"net"
	"net/http"
	"sync"
	"syscall"
	"testing"
)

// connections that are held open, if the system lets one process have so many
// files.
const connections = 10_000

// TestFlood holds thousands of connections open, each of which has made a
// request and is idle since. They cost the server no more than memory, which it
// gets back.
func TestFlood(t *testing.T) {
	data := t.TempDir()
	_, token := key(t, data)
	s := start(t, data, "--plain-http", "--max-connections", "20000", "--max-connections-per-address", "20000")
	c := s.client(t, token, "", false)
	greet := func() { c.post(t, list).is(t, "an honest request", 200, 0) }
	for range 20 {
		greet()
	}
	before := s.look(t)
	n := affordable(t)
	idle := s.hold(t, n)
	during := s.look(t)
	if during.files < float64(n) {
		t.Errorf("the server has %v open files, want %d connections", during.files, n)
	}
	greet()
	if each := (during.heap - before.heap) / float64(n); each > 40_000 {
		t.Errorf("an idle connection takes %.0f bytes", each)
	} else {
		t.Logf("%d idle connections take %.0f bytes each", n, each)
	}
	for _, conn := range idle {
		_ = conn.Close()
	}
	c.CloseIdleConnections()
	s.settles(t, before, greet)
}

// affordable returns the number of connections that this process can hold; the runtime has
// raised the soft limit to the hard one.
func affordable(t *testing.T) int {
	t.Helper()
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	const others = 200
	if limit.Max < connections+others {
		t.Logf("only %d open files are allowed here", limit.Max)
		return int(limit.Max) - others
	}
	return connections
}

// hold opens connections, asks for a sign of life on each, and keeps them.
func (s *server) hold(t *testing.T, n int) []net.Conn {
	t.Helper()
	all := make([]net.Conn, n)
	var wg sync.WaitGroup
	const workers = 16
	for w := range workers {
		wg.Go(func() {
			for i := w; i < n; i += workers {
				conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", s.addr)
				if err != nil {
					t.Error(err)
					return
				}
				all[i] = conn
				write(conn, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
				if resp, err := http.ReadResponse(bufio.NewReader(conn), nil); err != nil || resp.StatusCode != 200 {
					t.Errorf("connection %d: %+v, %v", i, resp, err)
					return
				}
			}
		})
	}
	wg.Wait()
	if t.Failed() {
		t.FailNow()
	}
	return all
}
