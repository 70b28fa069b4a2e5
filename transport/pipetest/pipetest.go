// Package pipetest provides a listener for tests whose connections are pipes, so that
// servers can run in the bubble of a testing/synctest test, on its fake clock.
//
//	listener := pipetest.New()
//	go server.Serve(listener)
//	conn, err := listener.Dial(ctx)
//
// A Listener may be used by many goroutines.
package pipetest

import (
	"context"
	"errors"
	"net"
	"sync"
)

// A Listener is a [net.Listener] without a network. Make one with [New].
type Listener struct {
	conns chan net.Conn
	once  sync.Once
	done  chan struct{}
}

// New returns an open listener.
func New() *Listener {
	return &Listener{conns: make(chan net.Conn), done: make(chan struct{})}
}

// Accept waits for a call of Dial and returns its other end.
func (l *Listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

// Close closes the listener. Connections stay open.
func (l *Listener) Close() error {
	l.once.Do(func() { close(l.done) })
	return nil
}

// Addr returns a loopback address, on which there is no listener.
func (l *Listener) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8443} }

// ErrRefused is returned by Dial when the listener is closed.
var ErrRefused = errors.New("connection refused")

// Dial connects. It waits for the server to call Accept.
func (l *Listener) Dial(ctx context.Context) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case l.conns <- there:
		return here, nil
	case <-l.done:
		return nil, ErrRefused
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
