package http1

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/triptych-mcp/triptych/transport/internal/budget"
)

// A Config holds the handler and the limits of a server. Zero numbers mean the defaults.
type Config struct {
	// Handler serves requests. The server of [Server.Fallback] must have the same.
	Handler http.Handler
	// Paths are the paths whose POST requests are served here, compared byte by byte.
	Paths []string
	// TLS is the configuration of TLS; nil serves plain HTTP.
	TLS *tls.Config
	// Context is the parent of all contexts; nil is [context.Background].
	Context context.Context //nolint:containedctx // as [http.Server.BaseContext]
	// ConnContext, if not nil, derives the context of a connection, as
	// [http.Server.ConnContext] does.
	ConnContext func(ctx context.Context, conn net.Conn) context.Context

	// BufferMemory bounds the bytes that are buffered of requests before their
	// senders are known, from one address, 8 MiB, and BufferMemoryTotal from all,
	// 32 MiB, besides 4 KiB a connection. What has no room goes to [Server.Fallback].
	BufferMemory, BufferMemoryTotal int64

	HeaderTime  time.Duration // for TLS, and for a head from its first byte on; 10 s
	RequestTime time.Duration // for a request until its answer is written; 150 s
	IdleTime    time.Duration // from an answer to the next request; 120 s, or up to a quarter more
	Logger      *slog.Logger  // nil discards
}

// withDefaults returns the configuration with the default in each field that is zero.
func (c Config) withDefaults() Config {
	c.HeaderTime = cmp.Or(c.HeaderTime, 10*time.Second)
	c.RequestTime = cmp.Or(c.RequestTime, 150*time.Second)
	c.IdleTime = cmp.Or(c.IdleTime, 2*time.Minute)
	c.BufferMemory = cmp.Or(c.BufferMemory, 8<<20)
	c.BufferMemoryTotal = cmp.Or(c.BufferMemoryTotal, 32<<20)
	if c.Context == nil {
		c.Context = context.Background()
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c
}

// A Server serves the connections of listeners. Make one with [New].
type Server struct {
	cfg   Config
	paths map[string]bool
	rest  *rest
	date  dateCache
	pool  sync.Pool // of *memory

	buffers *budget.Budget // by network

	closing atomic.Bool // connections end with their current request

	mu     sync.Mutex
	conns  map[*conn]struct{}
	served sync.WaitGroup // goroutines of connections
}

// New returns a server. It starts nothing.
func New(cfg Config) *Server {
	s := &Server{cfg: cfg.withDefaults(), paths: map[string]bool{}, conns: map[*conn]struct{}{}}
	for _, path := range cfg.Paths {
		s.paths[path] = true
	}
	s.rest = newRest()
	s.buffers = budget.New(budget.Limits{Owner: s.cfg.BufferMemory, Total: s.cfg.BufferMemoryTotal})
	return s
}

// A Usage is the state of the budget of buffers.
type Usage = budget.Usage

// BufferUsage returns the bytes that are buffered of requests whose senders are not known
// yet. A request that gets no buffer goes through [Server.Fallback], and counts as
// refused.
func (s *Server) BufferUsage() Usage { return s.buffers.Usage() }

// Fallback returns a listener of the connections that another server must serve. They
// are *tls.Conn when nothing was read from them, else [*Conn]. Closing it does not end
// Serve: such connections are closed then.
func (s *Server) Fallback() net.Listener { return s.rest }

// Serve serves the connections of a listener until that is closed; then it returns the
// listener's error. It may be called for several listeners at once. When the system has
// no more descriptors it waits, up to a second, and tries again.
func (s *Server) Serve(listener net.Listener) error {
	s.rest.setAddr(listener.Addr())
	for wait := time.Duration(0); ; {
		inner, err := listener.Accept()
		if err == nil {
			wait = 0
			s.start(inner)
			continue
		}
		if e, ok := errors.AsType[net.Error](err); !ok || !e.Temporary() { // as net/http: too many open files
			return err
		}
		wait = min(max(2*wait, 5*time.Millisecond), time.Second)
		s.cfg.Logger.Warn("a connection could not be accepted", "err", err, "retry", wait)
		time.Sleep(wait)
	}
}

// start serves a connection on a goroutine of its own, which Shutdown waits for. After
// Shutdown or Close has begun it closes the connection instead.
func (s *Server) start(inner net.Conn) {
	c := newConn(s, inner)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing.Load() {
		_ = inner.Close() // it has no running request
		return
	}
	s.conns[c] = struct{}{}
	s.served.Go(c.serve)
}

// forget removes a connection from those that Shutdown and Close end: it is closed, or
// belongs to the fallback from now on.
func (s *Server) forget(c *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, c)
}

// Shutdown closes idle connections, waits for the answers of the others, and returns an
// error if ctx is done before. It closes neither listeners nor connections of the
// fallback: close the listeners first, then call this, then shut the other server down.
func (s *Server) Shutdown(ctx context.Context) error {
	all := s.beginClosing()
	done := make(chan struct{})
	go func() {
		defer close(done)
		for _, c := range all {
			c.closeIdle() // which may wait for a client
		}
		s.served.Wait()
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close closes all connections and cancels their requests, except those of the fallback.
// It does not wait for handlers.
func (s *Server) Close() {
	for _, c := range s.beginClosing() {
		c.abort()
	}
}

// beginClosing lets no new connection begin and returns all that there are. It may be
// called again.
func (s *Server) beginClosing() []*conn {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closing.Store(true)
	return slices.Collect(maps.Keys(s.conns))
}

// memory returns the memory for an answer, used before or new. [Server.release] takes it
// back.
func (s *Server) memory() *memory {
	if r, _ := s.pool.Get().(*memory); r != nil {
		return r
	}
	return &memory{header: http.Header{}, out: make([]byte, 0, firstBuffer)}
}

// release makes the memory of an answer available again, unless it has become large.
// Writes of a handler that has returned are dropped: the response gets memory of its own
// first.
func (s *Server) release(w *response) {
	r := w.mem
	w.mem, w.err = &w.late, http.ErrHandlerTimeout
	if cap(r.out) <= keptAnswer && len(r.header) <= maxFields {
		r.out = r.out[:0]
		clear(r.header)
		s.pool.Put(r)
	}
}
