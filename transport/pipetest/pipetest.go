// Package pipetest is a listener for tests whose connections are pipes, so that
// servers run in the bubble of a testing/synctest test and its time is theirs.
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

// New returns a listener.
func New() *Listener {
	return &Listener{conns: make(chan net.Conn), done: make(chan struct{})}
}

// Accept waits for a client that dials.
func (l *Listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

// Close ends the listener; connections go on.
func (l *Listener) Close() error {
	l.once.Do(func() { close(l.done) })
	return nil
}

// Addr returns an address of this machine at which no process listens.
func (l *Listener) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8443} }

// ErrRefused is the answer to who dials when the listener is closed.
var ErrRefused = errors.New("connection refused")

// Dial connects; it waits while the server accepts no client.
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
