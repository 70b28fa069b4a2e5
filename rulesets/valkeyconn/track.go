package valkeyconn

import (
	"net"
	"sync/atomic"
	"syscall"
)

// A conn is a connection of a link.
type conn struct {
	net.Conn
	forget func(*conn) // removes it from the link
	gone   atomic.Bool // closed by the link
}

// Close closes the connection.
func (c *conn) Close() error {
	c.forget(c)
	return c.Conn.Close()
}

// SyscallConn lets the client library check an idle connection before it uses it.
// For a TLS connection it only reports whether the link has closed it, since its
// socket may have pending bytes that are not an answer.
func (c *conn) SyscallConn() (syscall.RawConn, error) {
	if c.gone.Load() {
		return nil, net.ErrClosed
	}
	if plain, ok := c.Conn.(syscall.Conn); ok {
		return plain.SyscallConn()
	}
	return openConn{}, nil
}

// An openConn is a raw connection that is only known to be open.
type openConn struct{}

func (openConn) Control(func(uintptr)) error    { return nil }
func (openConn) Read(func(uintptr) bool) error  { return nil }
func (openConn) Write(func(uintptr) bool) error { return nil }
