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

// grace is how long the rest of a body may take before the connection is
// net/http's. Clients that write head and body one after the other need it.
const grace = 250 * time.Millisecond

// A conn is a connection on its way through requests.
type conn struct {
	server *Server
	inner  net.Conn // as it was accepted
	net    net.Conn // with TLS, if that is spoken
	addr   string
	state  *tls.ConnectionState

	ctx   context.Context //nolint:containedctx // the parent of those of requests
	stage atomic.Int32
	hold  *budget.Hold // what buf has beyond firstBuffer
	head  head
	buf   []byte
	n     int // bytes in buf that no request has had yet

	readUntil, writeUntil time.Time // the deadlines that are set; zero when not known
	watch                 watch
}

// The stages of a connection.
const (
	idle   int32 = iota // between requests, and while it begins
	busy                // from a request's first byte on
	closed              // by Shutdown
)

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

// networkOf returns the network that the memory of a connection counts for.
func networkOf(conn net.Conn) string {
	addr, err := netip.ParseAddrPort(conn.RemoteAddr().String())
	if err != nil {
		return ""
	}
	return connlimit.Network(addr.Addr()).String()
}

// serve serves requests as long as they are ours, and then closes the
// connection or gives it away.
func (c *conn) serve() {
	defer c.hold.Release()
	if !c.shakeHands() {
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

// handOver gives the connection away as it was, but for what was read.
func (c *conn) handOver() {
	_ = c.net.SetDeadline(time.Time{}) // a read tells of a closed connection
	if c.n == 0 {
		c.server.rest.give(c.net)
	} else {
		c.server.rest.give(&Conn{Conn: c.net, ahead: slices.Clone(c.buf[:c.n])})
	}
}

func (c *conn) close() { _ = c.net.Close() } // nothing is on its way that somebody was promised

// closeIdle closes the connection unless a request is there.
func (c *conn) closeIdle() {
	if c.stage.CompareAndSwap(idle, closed) {
		c.close()
	}
}

// abort closes the connection in the middle of whatever it is at, without the
// goodbye of TLS: that waits for a client that does not read.
func (c *conn) abort() {
	_ = c.inner.Close() // as in close
	c.watch.abort()
}

// shakeHands does that of TLS.
func (c *conn) shakeHands() bool {
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

// explain tells a client that speaks HTTP where TLS is wanted.
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

// requests serves one after the other. It is false when the next one, whose
// bytes are in the buffer, is for net/http.
func (c *conn) requests() (done bool) {
	cfg := &c.server.cfg
	from := time.Now()
	c.readUntil = from.Add(cfg.HeaderTime)
	_ = c.net.SetReadDeadline(c.readUntil) // a read tells of a closed connection
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

// handle answers the request and says whether another one may follow.
func (c *conn) handle(body []byte, now time.Time) (more bool) {
	ctx, cancel := context.WithCancel(c.ctx)
	defer cancel()
	w := &response{conn: c, room: c.server.room(), length: -1}
	defer c.server.release(w)
	c.writeWithin(now)
	c.watch.begin(now, cancel)
	r := newRequest(ctx, &c.head, body, c.addr, c.state)
	ok := c.run(w, r)
	gone := c.watch.end()
	_ = r.Body.Close() // as net/http does: its bytes will be others
	return ok && w.finish() && !gone
}

// writeWithin makes writes end after RequestTime, or up to a quarter later.
func (c *conn) writeWithin(now time.Time) {
	d := c.server.cfg.RequestTime
	if c.writeUntil.Sub(now) < d {
		c.writeUntil = now.Add(d + d/4)
		_ = c.net.SetWriteDeadline(c.writeUntil) // a write tells of a closed connection
	}
}

// run calls the handler. After a panic the connection ends, as net/http's do.
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
