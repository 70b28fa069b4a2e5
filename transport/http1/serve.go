package http1

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"runtime/debug"
	"slices"
	"time"
)

// serve serves requests until one is for net/http or the connection ends. In the end the
// connection is closed, or net/http's. It is forgotten before it is handed over: Shutdown
// must not close a connection that has become another server's.
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

// handOver passes the connection to net/http with the bytes that were read. The deadlines
// are removed, since net/http sets its own. A connection without such bytes is passed as
// it is: net/http finds HTTP/2 only in a *tls.Conn.
func (c *conn) handOver() {
	_ = c.net.SetDeadline(time.Time{}) // a read returns the error
	if c.n == 0 {
		c.server.rest.give(c.net)
	} else {
		c.server.rest.give(&Conn{Conn: c.net, ahead: slices.Clone(c.buf[:c.n])})
	}
}

// handshake does the handshake of TLS within HeaderTime and reports whether it succeeded;
// without TLS there is none to fail. The caller closes the connection after a failure.
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

// explain answers a client that speaks HTTP instead of TLS, in the clear, as net/http
// does. Other garbage gets no answer: its sender would not understand one.
func explain(err error) {
	wrong, ok := errors.AsType[tls.RecordHeaderError](err)
	if !ok || wrong.Conn == nil {
		return
	}
	switch string(wrong.RecordHeader[:]) {
	case "GET /", "HEAD ", "POST ", "PUT /", "OPTIO":
		_, _ = io.WriteString(wrong.Conn, "HTTP/1.0 400 Bad Request\r\n\r\nThis server speaks HTTPS; use https:// in its URL.\n")
		linger(wrong.Conn)
	}
}

// How long, and for how many bytes, a client that speaks HTTP instead of TLS is listened to.
const (
	lingerTime  = time.Second
	lingerBytes = 64 << 10
)

// linger reads what the client still sends. A connection that is closed with bytes unread is
// reset, and the reset overtakes the answer.
func linger(conn net.Conn) {
	half, ok := conn.(interface{ CloseWrite() error })
	if !ok || half.CloseWrite() != nil {
		return
	}
	_ = conn.SetReadDeadline(time.Now().Add(lingerTime)) // a read returns the error
	_, _ = io.CopyN(io.Discard, conn, lingerBytes)       // until the client closes it
}

// requests serves requests one after the other. It reports false when the next one, whose
// bytes are in the buffer, is for net/http; otherwise the connection is to be closed.
//
// The first head must have arrived within HeaderTime from the handshake on, a later one
// within HeaderTime from its first byte on. Between requests the deadline is IdleTime.
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

// handle answers the request and reports whether another may follow. body is a part of
// the buffer; it is closed before handle returns, so that a goroutine which the handler
// left behind does not read the next request's bytes. The order at the end matters: the
// watch must have ended before the buffer is used again, and the answer is finished last.
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

// writeWithin sets the write deadline to RequestTime from now, or up to a quarter later.
// Setting one takes a system timer; the quarter saves it for most requests.
func (c *conn) writeWithin(now time.Time) {
	d := c.server.cfg.RequestTime
	if c.writeUntil.Sub(now) < d {
		c.writeUntil = now.Add(d + d/4)
		_ = c.net.SetWriteDeadline(c.writeUntil) // a write returns the error
	}
}

// run calls the handler. It reports false after a panic, which ends the connection as in
// net/http: the client cannot tell how much of the answer is missing otherwise.
// [http.ErrAbortHandler] does the same on purpose and is not logged.
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
