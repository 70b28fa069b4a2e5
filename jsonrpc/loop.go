package jsonrpc

import (
	"context"
	"errors"
	"net"
	"sync"
	"syscall"
	"time"
)

// Loop serves each connection of a listener with a [Conn] of its own until ctx is done. It
// then closes the listener, lets the requests in flight end as [Conn.Serve] does, and returns
// ctx's cause. Handler returns the handler of a connection, which may be the same for all.
//
// Loop accepts any number of connections: bound them by the listener that it gets. It goes on
// when the process has no descriptor left, and returns other errors of the listener.
func Loop(ctx context.Context, l net.Listener, cfg Config, handler func(*Conn) Handler) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer context.AfterFunc(ctx, func() { _ = l.Close() })() // Accept tells its error
	var serving sync.WaitGroup
	defer serving.Wait()
	defer stop(nil) // before the wait
	for {
		stream, err := l.Accept()
		switch {
		case err == nil:
			serving.Go(func() { serveStream(ctx, stream, cfg, handler) })
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case passes(err):
			pause(ctx, acceptPause)
		default:
			return err
		}
	}
}

// serveStream serves one connection and closes it. Why it has ended is its own affair.
func serveStream(ctx context.Context, stream net.Conn, cfg Config, handler func(*Conn) Handler) {
	conn := NewConn(stream, stream, cfg)
	_ = conn.Serve(ctx, handler(conn))
	_ = stream.Close() // all is written
}

// acceptPause is the time before a listener is asked again that had no descriptor.
const acceptPause = 50 * time.Millisecond

// passes reports whether an error of Accept says nothing of the next one (accept(2)).
func passes(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) || errors.Is(err, syscall.ECONNABORTED)
}

// pause waits, or until ctx is done.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
