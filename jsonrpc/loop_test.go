package jsonrpc_test

import (
	"context"
	"errors"
	"io"
	"net"
	"syscall"
	"testing"

	"github.com/triptych-mcp/triptych/jsonrpc"
)

// A listener gives what its channel has, and ends as one of package net does.
type listener struct {
	accepts chan accepted
	closed  chan struct{}
}

type accepted struct {
	stream net.Conn
	err    error
}

func newListener() *listener {
	return &listener{accepts: make(chan accepted), closed: make(chan struct{})}
}

func (l *listener) Accept() (net.Conn, error) {
	select {
	case a := <-l.accepts:
		return a.stream, a.err
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *listener) Close() error   { close(l.closed); return nil }
func (l *listener) Addr() net.Addr { return nil }

// A loop goes on after a descriptor was missing, and ends with requests in flight when it is told to.
func TestLoop(t *testing.T) {
	l, ended := newListener(), make(chan error, 1)
	ctx, stop := context.WithCancelCause(t.Context())
	defer stop(nil)
	started := make(chan struct{})
	waits := jsonrpc.HandlerFunc(func(ctx context.Context, _ *jsonrpc.Request, dst []byte) ([]byte, error) {
		close(started)
		<-ctx.Done()
		return dst, ctx.Err()
	})
	go func() {
		ended <- jsonrpc.Loop(ctx, l, jsonrpc.Config{Drain: 1}, func(*jsonrpc.Conn) jsonrpc.Handler { return waits })
	}()
	l.accepts <- accepted{err: &net.OpError{Op: "accept", Err: syscall.EMFILE}}
	ours, theirs := net.Pipe()
	l.accepts <- accepted{stream: theirs}
	if _, err := io.WriteString(ours, `{"jsonrpc":"2.0","id":1,"method":"x"}`+"\n"); err != nil {
		t.Fatal(err)
	}
	<-started
	why := errors.New("it is time")
	stop(why)
	if _, err := io.Copy(io.Discard, ours); err != nil { // to its end
		t.Error(err)
	}
	if err := <-ended; !errors.Is(err, why) {
		t.Errorf("it ended with %v, want %v", err, why)
	}
	<-l.closed
}

// Another error of a listener ends the loop.
func TestLoopOfABrokenListener(t *testing.T) {
	l, broken := newListener(), errors.New("broken")
	go func() { l.accepts <- accepted{err: broken} }()
	if err := jsonrpc.Loop(t.Context(), l, jsonrpc.Config{}, nil); !errors.Is(err, broken) {
		t.Errorf("it ended with %v, want %v", err, broken)
	}
	<-l.closed
}
