//go:build linux

package load

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/url"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// A web is the connection to a server over HTTP/1.1 with TLS, on connections that are
// kept.
type web struct {
	*child

	server Server
	url    *url.URL
	dialer *tls.Dialer
	conns  []*conn
}

func openWeb(ctx context.Context, s Server) (Conn, error) {
	u, err := url.Parse(s.URL)
	if err != nil {
		return nil, err
	}
	w := &web{server: s, url: u, dialer: &tls.Dialer{Config: &tls.Config{
		InsecureSkipVerify: true, //nolint:gosec // the certificate was made a interval ago, for loopback
		NextProtos:         []string{"http/1.1"},
	}}}
	if w.child, err = start(ctx, s, func(*exec.Cmd) {}); err != nil {
		return nil, err
	}
	if err := w.knock(ctx); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

// knock makes the first connection as soon as the server listens.
func (w *web) knock(ctx context.Context) error {
	ctx, stop := context.WithTimeout(ctx, 30*time.Second)
	defer stop()
	for {
		err := w.grow(ctx, 1)
		if err == nil || !errors.Is(err, syscall.ECONNREFUSED) {
			return err
		}
		select {
		case <-w.done:
			return fmt.Errorf("it ended: %w; it said: %.2000s", w.err, &w.said)
		case <-ctx.Done():
			return fmt.Errorf("%w; it said: %.2000s", err, &w.said)
		case <-time.After(500 * time.Microsecond):
		}
	}
}

// grow makes connections until there are n, each with a session of its own where
// the server has sessions.
func (w *web) grow(ctx context.Context, n int) error {
	for len(w.conns) < n {
		raw, err := w.dialer.DialContext(ctx, "tcp", w.url.Host)
		if err != nil {
			return err
		}
		c := newConn(w, raw)
		w.conns = append(w.conns, c)
		if err := c.handshake(w.server.Revision); err != nil {
			return err
		}
	}
	return nil
}

func (w *web) ask(m *Message) ([]byte, error) { return w.conns[0].ask(m) }

// Connect makes connections until there are n, and leaves them idle. The server
// must be one with a URL.
func Connect(ctx context.Context, r Conn, n int) error {
	w, ok := r.(*web)
	if !ok {
		return errors.New("a pipe is one connection")
	}
	return w.grow(ctx, n)
}

// Run implements [Conn].
func (w *web) Run(mix *Mix, conns int, d time.Duration) (*Sample, error) {
	if err := w.grow(context.Background(), conns); err != nil {
		return nil, err
	}
	before, err := CPU(w.PID())
	if err != nil {
		return nil, err
	}
	own := ownCPU()
	parts, errs := make([]Sample, conns), make([]error, conns)
	var running sync.WaitGroup
	for i, c := range w.conns[:conns] {
		running.Go(func() { errs[i] = c.run(mix, i, d, &parts[i]) })
	}
	running.Wait()
	after, err := CPU(w.PID())
	total := &Sample{CPU: after - before, Driver: ownCPU() - own}
	for i := range parts {
		total.add(&parts[i])
	}
	if err = errors.Join(err, errors.Join(errs...)); err != nil {
		return nil, fmt.Errorf("%w; it said: %.2000s", err, &w.said)
	}
	return total, nil
}

// Close implements [Conn].
func (w *web) Close() error {
	for _, c := range w.conns {
		_ = c.Close() // the server may have closed it
	}
	_ = w.Process.Signal(syscall.SIGTERM) // it may have ended
	return w.end()
}
