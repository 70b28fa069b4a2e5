package connlimit_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/triptych-mcp/triptych/transport/internal/connlimit"
)

// An incoming listener gets connections from addresses of the test's choice.
type incoming chan net.Conn

func (in incoming) Accept() (net.Conn, error) {
	conn, ok := <-in
	if !ok {
		return nil, net.ErrClosed
	}
	return conn, nil
}

func (in incoming) Close() error   { close(in); return nil }
func (in incoming) Addr() net.Addr { return &net.TCPAddr{} }

// A named connection comes from an address.
type named struct {
	net.Conn
	addr net.Addr
}

func (n named) RemoteAddr() net.Addr { return n.addr }

// connect connects from an address; accepted is nil when nothing was accepted.
func connect(in incoming, limited *connlimit.Listener, from string) (client net.Conn, accepted *connlimit.Conn) {
	here, there := net.Pipe()
	result := make(chan net.Conn, 1)
	go func() {
		c, _ := limited.Accept() // nil when the listener ends
		result <- c
	}()
	in <- named{there, net.TCPAddrFromAddrPort(netip.MustParseAddrPort(from))}
	synctest.Wait()
	select {
	case c := <-result:
		accepted, _ = c.(*connlimit.Conn)
	default:
	}
	return here, accepted
}

func isClosed(conn net.Conn) bool {
	done := make(chan error, 1)
	go func() {
		_, err := conn.Read(make([]byte, 1))
		done <- err
	}()
	synctest.Wait()
	select {
	case err := <-done:
		return errors.Is(err, io.EOF)
	default:
		return false
	}
}

// TestAddress: of an address at its limit, the oldest idle stranger makes room,
// then an idle client with a key, and with neither the new connection is closed.
func TestAddress(t *testing.T) {
	for _, tt := range []struct{ name, one, same, other string }{
		{"IPv4", "192.0.2.1:1", "192.0.2.1:2", "192.0.2.2:1"},
		{"IPv4 in IPv6", "[::ffff:192.0.2.1]:1", "192.0.2.1:2", "192.0.2.2:1"},
		{"IPv6", "[2001:db8::1]:1", "[2001:db8::ffff:1]:1", "[2001:db8:0:1::1]:1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				in := make(incoming)
				l := connlimit.Listen(in, connlimit.Limits{Address: 2})
				first, known := connect(in, l, tt.one)
				known.SetKnown()
				second, stranger := connect(in, l, tt.same)
				if _, elsewhere := connect(in, l, tt.other); elsewhere == nil {
					t.Error("another address is refused")
				}
				_, third := connect(in, l, tt.one)
				if third == nil || !isClosed(second) {
					t.Errorf("a third connection is accepted: %v; the stranger is closed: %v", third != nil, isClosed(second))
				}
				_ = stranger.Close() // a second time, as servers do
				third.Begin()
				_, fourth := connect(in, l, tt.same)
				if fourth == nil || !isClosed(first) {
					t.Errorf("a fourth is accepted: %v; the idle client is closed: %v", fourth != nil, isClosed(first))
				}
				fourth.Begin()
				fifth, none := connect(in, l, tt.same)
				if none != nil || !isClosed(fifth) {
					t.Error("a fifth beside two requests is accepted")
				}
				want := connlimit.Usage{Open: 3, Strangers: 3, Closed: 2, Refused: 1}
				if got := l.Usage(); got != want {
					t.Errorf("usage %+v, want %+v", got, want)
				}
				_ = l.Close() // the goroutine that accepts ends
			})
		})
	}
}

// TestAddressWriting: of an address at its limit, a connection whose answer may still be
// on its way does not make room, however long its client takes to read it.
func TestAddressWriting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := make(incoming)
		l := connlimit.Listen(in, connlimit.Limits{Address: 1})
		client, answering := connect(in, l, "192.0.2.1:1")
		answering.Begin()
		answering.End()
		connect(in, l, "192.0.2.1:2")
		if got, want := l.Usage(), (connlimit.Usage{Open: 1, Strangers: 1, Refused: 1}); got != want {
			t.Errorf("before the end of the answer is written: %+v, want %+v", got, want)
		}
		wrote := make(chan error, 1)
		go func() {
			_, err := answering.Write([]byte("x")) // as the HTTP server does after its handler
			wrote <- err
		}()
		time.Sleep(time.Minute)
		connect(in, l, "192.0.2.1:3")
		if got, want := l.Usage(), (connlimit.Usage{Open: 1, Strangers: 1, Refused: 2}); got != want {
			t.Errorf("while it is being written: %+v, want %+v", got, want)
		}
		if n, err := client.Read(make([]byte, 1)); n != 1 || <-wrote != nil {
			t.Errorf("the answer was cut off: %v", err)
		}
		connect(in, l, "192.0.2.1:4")
		if got, want := l.Usage(), (connlimit.Usage{Open: 1, Strangers: 1, Closed: 1, Refused: 2}); got != want || !isClosed(client) {
			t.Errorf("afterwards: %+v, want %+v", got, want)
		}
		_ = l.Close() // the goroutine that accepts ends
	})
}

// TestTotal: at the limit of all, idle strangers of whatever address make room,
// and when every connection has a request the next one waits.
func TestTotal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := make(incoming)
		proxy := netip.MustParseAddr("10.0.0.1")
		l := connlimit.Listen(in, connlimit.Limits{Total: 3, Address: 1, Exempt: func(a netip.Addr) bool { return a == proxy }})
		_, first := connect(in, l, "10.0.0.1:1")
		_, second := connect(in, l, "10.0.0.1:2") // which has no limit of its own
		if first.Crowded() {
			t.Error("two of three are a crowd")
		}
		first.Begin()
		second.Begin()
		idle, third := connect(in, l, "192.0.2.1:1")
		if !first.Crowded() || !third.Crowded() {
			t.Error("three of three are no crowd")
		}
		_, fourth := connect(in, l, "192.0.2.2:1")
		if fourth == nil || !isClosed(idle) {
			t.Fatal("the idle stranger did not make room")
		}
		fourth.Begin()
		waiting := make(chan net.Conn, 1)
		go func() {
			c, _ := l.Accept() // it succeeds
			waiting <- c
		}()
		_, there := net.Pipe()
		in <- named{there, &net.TCPAddr{IP: net.IPv4(192, 0, 2, 3)}}
		synctest.Wait()
		if len(waiting) > 0 {
			t.Error("a fifth did not wait")
		}
		second.End()
		_ = second.Close() // its request is over
		if c := <-waiting; c == nil {
			t.Error("a fifth was refused though there is room")
		}
		_ = l.Close() // as above
	})
}

// TestTotalIdle: at the limit of all, the next connection waits for a request to
// end, and its connection makes room once the answer can have been written.
func TestTotalIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := make(incoming)
		l := connlimit.Listen(in, connlimit.Limits{Total: 1})
		client, busy := connect(in, l, "192.0.2.1:1")
		busy.SetKnown()
		busy.Begin()
		waiting := make(chan net.Conn, 1)
		go func() {
			c, _ := l.Accept() // nil when the listener ends
			waiting <- c
		}()
		_, there := net.Pipe()
		in <- named{there, &net.TCPAddr{IP: net.IPv4(192, 0, 2, 2)}}
		time.Sleep(time.Minute - time.Millisecond)
		if len(waiting) > 0 {
			t.Error("the connection of a running request made room")
		}
		busy.End()
		time.Sleep(10 * time.Millisecond)              // Accept may look meanwhile
		go func() { _, _ = busy.Write([]byte("x")) }() // as the HTTP server does after its handler
		synctest.Wait()
		if n, err := client.Read(make([]byte, 1)); n != 1 {
			t.Errorf("the answer was cut off: %v", err)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if len(waiting) != 1 || !isClosed(client) {
			t.Errorf("accepted %d; the idle connection is closed: %v", len(waiting), isClosed(client))
		}
		_ = l.Close() // the goroutine that accepts ends
	})
}

// TestContext finds the connection below others.
func TestContext(t *testing.T) {
	var none *connlimit.Conn
	none.Begin()
	none.SetKnown()
	none.End()
	if none.Crowded() || connlimit.FromContext(t.Context()) != nil {
		t.Error("no connection is one")
	}
	c := &connlimit.Conn{Conn: &net.TCPConn{}}
	if got := connlimit.FromContext(connlimit.WithConn(context.Background(), over{over{c}})); got != c {
		t.Errorf("found %v", got)
	}
	if ctx := connlimit.WithConn(context.Background(), &net.TCPConn{}); connlimit.FromContext(ctx) != nil {
		t.Error("found one where there is none")
	}
	if got := connlimit.Network(netip.MustParseAddr("fe80::1:2%eth0")).String(); !strings.HasPrefix(got, "fe80::/64") {
		t.Errorf("the network is %s", got)
	}
}

// over is a connection over another, as that of TLS.
type over struct{ net.Conn }

func (o over) NetConn() net.Conn { return o.Conn }
