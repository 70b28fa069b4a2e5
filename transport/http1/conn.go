package http1

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"runtime/debug"
	"slices"
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

// grace is the time for the rest of a body; a slower connection goes to net/http.
// Clients that write head and body separately need it.
const grace = 250 * time.Millisecond

// A conn serves the requests of one connection.
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
	idle   int32 = iota // before the first request and between requests
	busy                // from a request's first byte on
	closed              // by Shutdown
)

// newConn prepares the serving of a connection. The handshake of TLS is made later, by
// the goroutine that serves it.
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

// networkOf returns the network to which the memory of a connection is charged.
func networkOf(conn net.Conn) string {
	addr, err := netip.ParseAddrPort(conn.RemoteAddr().String())
	if err != nil {
		return ""
	}
	return connlimit.Network(addr.Addr()).String()
}

// serve serves requests until one is for net/http or the connection ends.
func (c *conn) serve() {
	defer c.hold.Release()
	if !c.handshake() {
		c.server.forget(c)
		c.close()
		return
	}
	mine := c.state == nil || c.state.NegotiatedProtocol != "h2"
	if mine {
		c.buf = make([]byte, firstBuffer)
		mine = c.requests()
	}
	c.server.forget(c)
	if mine {
		c.close()
	} else {
		c.handOver()
	}
}

// handOver passes the connection to net/http with the bytes that were read.
func (c *conn) handOver() {
	_ = c.net.SetDeadline(time.Time{}) // a read returns the error
	if c.n == 0 {
		c.server.rest.give(c.net)
	} else {
		c.server.rest.give(&Conn{Conn: c.net, ahead: slices.Clone(c.buf[:c.n])})
	}
}

// close closes the connection; TLS sends its alert first.
func (c *conn) close() { _ = c.net.Close() } // an error has no consequence

// closeIdle closes the connection unless it has a request.
func (c *conn) closeIdle() {
	if c.stage.CompareAndSwap(idle, closed) {
		c.close()
	}
}

// abort closes the connection at once, without the closing alert of TLS, which would
// wait for a client that does not read.
func (c *conn) abort() {
	_ = c.inner.Close() // as in close
	c.watch.abort()
}

// handshake does the handshake of TLS and reports whether it succeeded.
func (c *conn) handshake() bool {
	t, ok := c.net.(*tls.Conn)
	if !ok {
		return true
	}
	ctx, stop := context.WithTimeout(c.server.cfg.Context, c.server.cfg.HeaderTime)
	defer stop()
	if err := t.HandshakeContext(ctx); err != nil {
		c.server.cfg.Logger.Debug("TLS handshake failed", "addr", c.addr, "err", err)
		explain(err)
		return false
	}
	c.state = stateOf(t)
	return true
}

// explain answers a client that speaks HTTP instead of TLS.
func explain(err error) {
	wrong, ok := errors.AsType[tls.RecordHeaderError](err)
	if !ok || wrong.Conn == nil {
		return
	}
	switch string(wrong.RecordHeader[:]) {
	case "GET /", "HEAD ", "POST ", "PUT /", "OPTIO":
		_, _ = io.WriteString(wrong.Conn, "HTTP/1.0 400 Bad Request\r\n\r\nThis server speaks HTTPS; use https:// in its URL.\n")
	}
}

// requests serves requests one after the other. It reports false when the next one,
// whose bytes are in the buffer, is for net/http.
func (c *conn) requests() (done bool) {
	cfg := &c.server.cfg
	from := time.Now()
	c.readUntil = from.Add(cfg.HeaderTime)
	_ = c.net.SetReadDeadline(c.readUntil) // a read returns the error
	for first := true; ; first = false {
		now, ok := c.await()
		if !ok {
			return true
		}
		if !first {
			from = now
			if c.skipLine(); c.n == 0 {
				continue
			}
		}
		size, verdict := c.receive(from.Add(cfg.HeaderTime))
		if verdict == taken && !c.handle(c.buf[size:size+c.head.length], now) {
			verdict = ended
		}
		if verdict != taken {
			return verdict == ended
		}
		c.consume(size + c.head.length)
		c.readWithin(time.Now(), cfg.IdleTime)
	}
}

// handle answers the request and reports whether another may follow.
func (c *conn) handle(body []byte, now time.Time) (more bool) {
	ctx, cancel := context.WithCancel(c.ctx)
	defer cancel()
	w := &response{conn: c, mem: c.server.memory(), length: -1}
	defer c.server.release(w)
	c.writeWithin(now)
	c.watch.begin(now, cancel)
	r := newRequest(ctx, &c.head, body, c.addr, c.state)
	ok := c.run(w, r)
	gone := c.watch.end()
	_ = r.Body.Close() // as net/http does: the buffer is reused
	return ok && w.finish() && !gone
}

// writeWithin sets the write deadline to RequestTime from now, or up to a quarter
// later.
func (c *conn) writeWithin(now time.Time) {
	d := c.server.cfg.RequestTime
	if c.writeUntil.Sub(now) < d {
		c.writeUntil = now.Add(d + d/4)
		_ = c.net.SetWriteDeadline(c.writeUntil) // a write returns the error
	}
}

// run calls the handler. It reports false after a panic, which ends the connection as
// in net/http.
func (c *conn) run(w *response, r *http.Request) (ok bool) {
	defer func() {
		p := recover()
		if p == nil {
			return
		}
		ok = false
		if err, is := p.(error); !is || !errors.Is(err, http.ErrAbortHandler) {
			c.server.cfg.Logger.Error("a handler panicked", "panic", p, "stack", string(debug.Stack()))
		}
	}()
	c.server.cfg.Handler.ServeHTTP(w, r)
	return true
}
