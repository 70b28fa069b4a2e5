package https

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/triptych-mcp/triptych/transport/http1"
	"github.com/triptych-mcp/triptych/transport/internal/connlimit"
	"github.com/triptych-mcp/triptych/transport/routes"
)

// A Server serves HTTP on one listener. The counters of [Server.Connections] and
// [Server.Buffers] may be read at any time, also before and after Serve.
type Server struct {
	cfg     Config
	routes  *routes.Table
	limited atomic.Pointer[connlimit.Listener] // nil until Serve
	fast    atomic.Pointer[http1.Server]       // nil until Serve

	draining atomic.Bool  // no new clients are wanted
	unready  atomic.Bool  // the last request to /readyz was told so
	cutOff   atomic.Int64 // requests that were running at the end of DrainTime
}

// New returns a server with the defaults for what is zero in the configuration. It starts
// nothing; [Server.Serve] does.
func New(cfg Config) *Server {
	s := &Server{cfg: cfg.withDefaults()}
	s.routes = s.table()
	return s
}

// A ConnectionUsage counts connections.
type ConnectionUsage = connlimit.Usage

// Connections returns how many connections there are, none before Serve. It is for metrics.
func (s *Server) Connections() ConnectionUsage {
	if l := s.limited.Load(); l != nil {
		return l.Usage()
	}
	return ConnectionUsage{Limit: s.cfg.MaxConnections}
}

// A BufferUsage counts the bytes that are buffered of requests.
type BufferUsage = http1.Usage

// Buffers returns how many bytes are buffered of requests whose senders are not known
// yet.
func (s *Server) Buffers() BufferUsage {
	if fast := s.fast.Load(); fast != nil {
		return fast.BufferUsage()
	}
	return BufferUsage{Limit: s.cfg.BufferMemoryTotal}
}

// CutOff returns how many requests were cut off because they did not finish in DrainTime. Call
// it after Serve.
func (s *Server) CutOff() int { return int(s.cutOff.Load()) }

// FormUsage returns the bytes of forms whose senders are not known yet.
func (s *Server) FormUsage() BufferUsage { return s.routes.FormUsage() }

// isProxy reports whether connections from an address are a proxy's. Many clients come through
// it, so the limit of one address is not for it.
func (s *Server) isProxy(addr netip.Addr) bool {
	return slices.ContainsFunc(s.cfg.Proxies, func(p netip.Prefix) bool { return p.Contains(addr.WithZone("")) })
}

// Serve serves until ctx is done and then ends in three steps: for DrainDelay /readyz answers
// 503 and all else goes on; then it accepts no more connections and waits up to DrainTime for
// running requests; what is left is closed. It returns nil, or why the listener failed. It
// closes the listener, and no goroutine is left when it returns. Call it once.
func (s *Server) Serve(ctx context.Context, listener net.Listener) error {
	limited := connlimit.Listen(listener, connlimit.Limits{Total: s.cfg.MaxConnections, Address: s.cfg.MaxPerAddress, Exempt: s.isProxy})
	s.limited.Store(limited)
	run := s.open(ctx, limited)
	failed := make(chan error, 1)
	go func() { failed <- run.serve() }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	s.draining.Store(true)
	select {
	case err := <-failed:
		return err
	case <-time.After(s.cfg.DrainDelay):
	}
	run.drain()
	return <-failed
}

// A run is a server on its listener: short HTTP/1.1 requests go through fast, all
// others through web.
type run struct {
	server   *Server
	listener net.Listener
	fast     *http1.Server
	web      *http.Server
	ending   atomic.Bool
}

// open prepares the serving of a listener: TLS of version 1.2 or later, HTTP/1.1 by
// package http1 and HTTP/2 by net/http, over the same connection limits.
func (s *Server) open(ctx context.Context, listener net.Listener) *run {
	base := context.WithoutCancel(ctx)
	var secure *tls.Config
	if s.cfg.Certificates != nil {
		secure = &tls.Config{
			MinVersion:     tls.VersionTLS12,
			GetCertificate: s.cfg.Certificates.get,
			NextProtos:     s.cfg.Certificates.protocols(),
			CipherSuites:   authenticated,
		}
	}
	fast := http1.New(http1.Config{
		Handler: s, Paths: s.fastPaths(), TLS: secure,
		Context: base, ConnContext: connlimit.WithConn,
		HeaderTime: s.cfg.HeaderTime, RequestTime: s.cfg.RequestTime, IdleTime: s.cfg.IdleTime, Logger: s.cfg.Logger,
		BufferMemory: s.cfg.BufferMemory, BufferMemoryTotal: s.cfg.BufferMemoryTotal,
	})
	s.fast.Store(fast)
	return &run{
		server: s, listener: listener,
		fast: fast,
		web: &http.Server{
			Handler:           s,
			TLSConfig:         secure,
			ReadHeaderTimeout: s.cfg.HeaderTime,
			ReadTimeout:       s.cfg.RequestTime,
			WriteTimeout:      s.cfg.RequestTime,
			IdleTimeout:       s.cfg.IdleTime,
			MaxHeaderBytes:    s.cfg.MaxHeader,
			ErrorLog:          slog.NewLogLogger(s.cfg.Logger.Handler(), slog.LevelDebug),
			BaseContext:       func(net.Listener) context.Context { return base },
			ConnContext:       withConn,
			HTTP2:             &http.HTTP2Config{MaxReceiveBufferPerConnection: maxReceived, MaxReceiveBufferPerStream: maxReceived},
		},
	}
}

// authenticated lists the cipher suites of TLS 1.2 with authenticated encryption
// (RFC 9325, section 4.2). TLS 1.3 has no others.
var authenticated = []uint16{
	tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
	tls.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, tls.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
	tls.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, tls.TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
}

// fastPaths returns the paths whose short requests do not go through net/http.
func (s *Server) fastPaths() []string {
	if s.cfg.WithoutFastPath {
		return nil
	}
	var paths []string
	for _, r := range s.routes.Routes() {
		if r.Body == routes.Own {
			paths = append(paths, r.Path)
		}
	}
	return paths
}

// maxReceived bounds the bytes that HTTP/2 may buffer for one connection before a
// handler reads them: their sender may not be known yet.
const maxReceived = 256 << 10

// A passedOn is a connection that package http1 has handed over, with its state of TLS:
// net/http does not know that it is one of TLS. The zero value is the context key.
type passedOn struct {
	conn  *http1.Conn
	state *tls.ConnectionState
}

// withConn returns the context of a connection.
func withConn(ctx context.Context, conn net.Conn) context.Context {
	ctx = connlimit.WithConn(ctx, conn)
	if c, ok := conn.(*http1.Conn); ok {
		return context.WithValue(ctx, passedOn{}, &passedOn{c, c.TLS()})
	}
	return ctx
}

// serve serves until the listener is closed: http1 accepts connections and hands over to
// net/http those whose requests it does not read itself.
func (r *run) serve() error {
	rest := make(chan error, 1)
	go func() { rest <- r.web.Serve(r.fast.Fallback()) }()
	err := r.fast.Serve(r.listener)
	if !r.ending.Load() { // the listener failed
		r.fast.Close()
		return errors.Join(err, r.web.Close(), ended(<-rest))
	}
	return ended(<-rest)
}

// ended returns nil for the error of a server that was shut down.
func ended(err error) error {
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// drain ends the server: it closes the listener, ends streams, waits for running
// requests, and closes what is left at the deadline.
func (r *run) drain() {
	ctx, stop := context.WithTimeout(context.Background(), r.server.cfg.DrainTime)
	defer stop()
	r.ending.Store(true)
	_ = r.listener.Close() // it has no connections of its own
	var parts sync.WaitGroup
	parts.Go(func() {
		if r.server.cfg.Drain != nil {
			r.server.cfg.Drain(ctx)
		}
	})
	parts.Go(func() { r.cut(r.fast.Shutdown(ctx), r.fast.Close) })
	parts.Go(func() {
		r.cut(r.web.Shutdown(ctx), func() { _ = r.web.Close() }) // there is no other way
	})
	parts.Wait()
}

// cut closes connections that did not end in time. err is that of a graceful shutdown.
func (r *run) cut(err error, closeAll func()) {
	if err != nil {
		running := r.server.limited.Load().Running()
		r.server.cutOff.CompareAndSwap(0, int64(running)) // the other part may have closed some by now
		r.server.cfg.Logger.Warn("requests were cut off", "requests", running, "err", err)
		closeAll()
	}
}
