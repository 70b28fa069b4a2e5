package http1

import (
	"crypto/tls"
	"net"
	"sync"
)

// A rest is a listener of the connections that a server passes on. It has no queue: a
// connection waits, on the goroutine that served it, until net/http accepts it.
type rest struct {
	conns chan net.Conn
	over  chan struct{}
	once  sync.Once

	mu   sync.Mutex
	addr net.Addr
}

// newRest returns a listener without connections.
func newRest() *rest { return &rest{conns: make(chan net.Conn), over: make(chan struct{})} }

// give passes a connection on, or closes it when the listener is closed.
func (r *rest) give(conn net.Conn) {
	select {
	case r.conns <- conn:
	case <-r.over:
		_ = conn.Close() // it has no running request
	}
}

// Accept implements [net.Listener]. It returns connections that were handed over, and
// blocks until there is one or the listener is closed.
func (r *rest) Accept() (net.Conn, error) {
	select {
	case conn := <-r.conns:
		return conn, nil
	case <-r.over:
		return nil, net.ErrClosed
	}
}

// Close implements [net.Listener]. It may be called more than once.
func (r *rest) Close() error {
	r.once.Do(func() { close(r.over) })
	return nil
}

// setAddr sets the address that net/http shows to handlers.
func (r *rest) setAddr(addr net.Addr) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.addr = addr
}

// Addr returns the address of the listener that was served last.
func (r *rest) Addr() net.Addr {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.addr == nil {
		return &net.TCPAddr{}
	}
	return r.addr
}

// A Conn is a connection whose first bytes were read already; Read returns them again.
// net/http recognizes a *tls.Conn only, so a handler behind it has no [http.Request.TLS]:
// it gets the state from [Conn.TLS].
type Conn struct {
	net.Conn
	ahead   []byte
	framing framing
}

// Read returns bytes that were read before, and then reads from the connection.
func (c *Conn) Read(b []byte) (int, error) {
	if len(c.ahead) == 0 {
		n, err := c.Conn.Read(b)
		c.framing.watch(b[:n])
		return n, err
	}
	n := copy(b, c.ahead)
	c.framing.watch(b[:n])
	if c.ahead = c.ahead[n:]; len(c.ahead) == 0 {
		c.ahead = nil
	}
	return n, nil
}

// Chunked reports whether bodies in chunks end where every reader sees their end: since the
// connection was handed over, no request has had a Content-Length, and none a
// Transfer-Encoding but chunked. Otherwise a body in chunks must be the last one of the
// connection.
func (c *Conn) Chunked() bool { return !c.framing.doubtful.Load() }

// NetConn returns the connection below.
func (c *Conn) NetConn() net.Conn { return c.Conn }

// TLS returns the state of TLS, nil for a connection without.
func (c *Conn) TLS() *tls.ConnectionState { return stateOf(c.Conn) }

// stateOf returns the state of a TLS connection, nil for one without TLS.
func stateOf(conn net.Conn) *tls.ConnectionState {
	if t, ok := conn.(*tls.Conn); ok {
		state := t.ConnectionState()
		return &state
	}
	return nil
}
