package http1

import (
	"context"
	"crypto/tls"
	"net"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/triptych-mcp/triptych/transport/internal/budget"
	"github.com/triptych-mcp/triptych/transport/internal/connlimit"
)

// Sizes of buffers: that of a new connection, the largest that a connection
// keeps for its next request, and the largest that is kept for any answer.
const (
	firstBuffer = 4 << 10
	keptBuffer  = 8 << 10
	keptAnswer  = 64 << 10
)

// grace is the time for the rest of a body whose head has arrived; a slower connection
// goes to net/http. Clients that write head and body separately need it: their second
// packet is under way when the first one is read.
const grace = 250 * time.Millisecond

// A conn serves the requests of one connection. Its fields belong to the goroutine of
// [conn.serve], with these exceptions: stage is atomic; inner, net and the watch's cancel
// function are used by Shutdown and Close, too; and buf and n belong to the watch while a
// handler runs, which is over when [watch.end] returns.
type conn struct {
	server *Server
	inner  net.Conn // as it was accepted
	net    net.Conn // with TLS if the server has it
	addr   string
	state  *tls.ConnectionState

	ctx   context.Context //nolint:containedctx // the parent of those of requests
	stage atomic.Int32
	hold  *budget.Hold // the size of buf beyond firstBuffer
	head  head
	buf   []byte
	n     int // bytes in buf of the next requests

	readUntil, writeUntil time.Time // the deadlines that are set; zero when not known
	watch                 watch
}

// The stages of a connection.
const (
	stageIdle   int32 = iota // before the first request and between requests
	stageBusy                // from a request's first byte on
	stageClosed              // by Shutdown
)

// newConn prepares the serving of a connection. It neither reads nor writes: the
// handshake of TLS is made later, by the goroutine that serves the connection, so that a
// slow client does not delay the next Accept.
func newConn(s *Server, inner net.Conn) *conn {
	c := &conn{server: s, inner: inner, net: inner, addr: inner.RemoteAddr().String()}
	if s.cfg.TLS != nil {
		c.net = tls.Server(inner, s.cfg.TLS)
	}
	c.ctx = s.cfg.Context
	if s.cfg.ConnContext != nil {
		c.ctx = s.cfg.ConnContext(c.ctx, inner)
	}
	c.hold = s.buffers.Hold(networkOf(inner))
	c.watch.init(c)
	return c
}

// networkOf returns the network to which the memory of a connection is charged: the
// address, or the /64 of an IPv6 address, whose lower half a client chooses freely. It is
// "" for a connection without an IP address; all those share one account.
func networkOf(conn net.Conn) string {
	addr, err := netip.ParseAddrPort(conn.RemoteAddr().String())
	if err != nil {
		return ""
	}
	return connlimit.Network(addr.Addr()).String()
}

// close closes the connection; TLS sends its alert first.
func (c *conn) close() { _ = c.net.Close() } // an error has no consequence

// closeIdle closes the connection unless it has a request. It may be called from any
// goroutine. The exchange of the stage decides against [conn.await]: either this closes
// the connection or that begins the request, never both.
func (c *conn) closeIdle() {
	if c.stage.CompareAndSwap(stageIdle, stageClosed) {
		c.close()
	}
}

// abort closes the connection at once, without the closing alert of TLS, which would
// wait for a client that does not read.
func (c *conn) abort() {
	_ = c.inner.Close() // as in close
	c.watch.abort()
}

// grow makes the buffer larger. The array of the old one is left as it is: the body of
// the request that is being handled may be a part of it.
func (c *conn) grow(size int) {
	grown := make([]byte, size)
	copy(grown, c.buf[:c.n])
	c.buf = grown
}
