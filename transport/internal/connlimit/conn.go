package connlimit

import (
	"container/list"
	"context"
	"errors"
	"net"
	"net/netip"
	"sync/atomic"
	"time"
)

// A Conn is a connection of a [Listener]. The methods but those of [net.Conn] do
// nothing for a nil Conn.
type Conn struct {
	net.Conn
	listener *Listener
	from     netip.Prefix
	running  atomic.Int32 // requests
	writing  atomic.Int32 // calls of Write
	flushed  atomic.Int64 // when the last answer is taken to be written, as a time since the listener's beginning
	known    atomic.Bool

	amongAll, amongOwn *list.Element // in the lists of strangers, nil for others; guarded by the listener's mu
}

// Begin says that a request is running, until End.
func (c *Conn) Begin() {
	if c != nil {
		c.running.Add(1)
	}
}

// End ends what Begin began.
func (c *Conn) End() {
	if c != nil {
		c.flushed.Store(int64(time.Since(c.listener.began) + flushTime)) // first: a scan reads it after running
		c.running.Add(-1)
	}
}

// Write writes to the connection, which is not idle meanwhile: a client may read the
// end of an answer slowly.
func (c *Conn) Write(b []byte) (int, error) {
	c.writing.Add(1)
	defer c.writing.Add(-1)
	return c.Conn.Write(b)
}

// CloseWrite closes the side of the connection that the server writes to. It returns
// [errors.ErrUnsupported] for a connection that has no sides.
func (c *Conn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return errors.ErrUnsupported
}

// idle reports whether the connection may be closed to make room: no request is
// running, and the last answer is written.
func (c *Conn) idle() bool {
	return c.running.Load() == 0 && c.writing.Load() == 0 && c.hasFlushed()
}

// flushTime is the time between the return of a request's handler and the eviction
// of its connection: the HTTP server writes the end of the answer after End.
const flushTime = 100 * time.Millisecond

// hasFlushed reports whether flushTime has passed since the last request.
func (c *Conn) hasFlushed() bool {
	return int64(time.Since(c.listener.began)) >= c.flushed.Load()
}

// SetKnown says that the client has shown a good key.
func (c *Conn) SetKnown() {
	if c == nil || c.known.Load() {
		return
	}
	c.known.Store(true)
	l := c.listener
	l.mu.Lock()
	defer l.mu.Unlock()
	l.knowLocked(c)
}

// Crowded reports whether three quarters of a limit are reached that the
// connection counts for.
func (c *Conn) Crowded() bool {
	if c == nil {
		return false
	}
	l := c.listener
	l.mu.Lock()
	defer l.mu.Unlock()
	near := func(n, limit int) bool { return limit > 0 && 4*n >= 3*limit }
	return near(len(l.open), l.limits.Total) || c.from.IsValid() && l.of[c.from] != nil && near(l.of[c.from].open, l.limits.Address)
}

// Close closes the connection and makes room for another.
func (c *Conn) Close() error {
	err := c.Conn.Close()
	c.listener.mu.Lock()
	defer c.listener.mu.Unlock()
	c.listener.removeLocked(c)
	return err
}

type connKey struct{}

// WithConn puts the [Conn] below a connection into its context; it fits
// [net/http.Server.ConnContext].
func WithConn(ctx context.Context, conn net.Conn) context.Context {
	for conn != nil {
		if c, ok := conn.(*Conn); ok {
			return context.WithValue(ctx, connKey{}, c)
		}
		over, ok := conn.(interface{ NetConn() net.Conn })
		if !ok {
			break
		}
		conn = over.NetConn()
	}
	return ctx
}

// FromContext returns the connection of a request's context, nil if there is none.
func FromContext(ctx context.Context) *Conn {
	c, _ := ctx.Value(connKey{}).(*Conn)
	return c
}
