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

// A Config says what is served. Zero durations mean the defaults.
type Config struct {
	// Handler answers requests; so must the server of [Server.Fallback].
	Handler http.Handler
	// Paths are those whose POST requests are taken, compared byte by byte.
	Paths []string
	// TLS is spoken on connections, unless it is nil.
	TLS *tls.Config
	// Context is the parent of those of requests; nil is [context.Background].
	Context context.Context //nolint:containedctx // as [http.Server.BaseContext]
	// ConnContext, if not nil, derives from Context that of the requests of a
	// connection, as [http.Server.ConnContext] does.
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
	rooms sync.Pool // of *room

	buffers *budget.Budget // by network

	closing atomic.Bool // connections end with the request that they are at

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

// Rest are the connections that somebody else is to serve. They are *tls.Conn
// when nothing was read from them, else [*Conn]. Closing it does not end Serve:
// connections that would go there are closed.
func (s *Server) Fallback() net.Listener { return s.rest }

// Serve serves the connections of a listener until that is closed; then it
// returns the listener's error.
func (s *Server) Serve(listener net.Listener) error {
	s.rest.setAddr(listener.Addr())
	for wait := time.Duration(0); ; {
		inner, err := listener.Accept()
		if err == nil {
			wait = 0
			s.start(inner)
			continue
		}
		if e, ok := errors.AsType[net.Error](err); !ok || !e.Temporary() { //nolint:staticcheck // as net/http: too many open files
			return err
		}
		wait = min(max(2*wait, 5*time.Millisecond), time.Second)
		s.cfg.Logger.Warn("a connection could not be accepted", "err", err, "retry", wait)
		time.Sleep(wait)
	}
}

// start serves a connection beside the caller.
func (s *Server) start(inner net.Conn) {
	c := newConn(s, inner)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing.Load() {
		_ = inner.Close() // nobody has been promised anything
		return
	}
	s.conns[c] = struct{}{}
	s.served.Go(c.serve)
}

// forget ends what Shutdown and Close have to do with a connection.
func (s *Server) forget(c *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, c)
}

// Shutdown closes idle connections, waits for the answers of the others, and
// returns an error if ctx is done before that. It touches neither listeners nor
// what went to Rest.
func (s *Server) Shutdown(ctx context.Context) error {
	all := s.last()
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

// Close closes all connections and ends the contexts of their requests. It does
// not touch what went to Rest.
func (s *Server) Close() {
	for _, c := range s.last() {
		c.abort()
	}
}

// last are the connections there are; no new one begins.
func (s *Server) last() []*conn {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closing.Store(true)
	return slices.Collect(maps.Keys(s.conns))
}

// room is room for an answer.
func (s *Server) room() *room {
	if r, _ := s.rooms.Get().(*room); r != nil {
		return r
	}
	return &room{header: http.Header{}, out: make([]byte, 0, firstBuffer)}
}

// release takes the room back. A handler that goes on writing after its return
// writes into nothing.
func (s *Server) release(w *response) {
	r := w.room
	w.room, w.err = &w.late, http.ErrHandlerTimeout
	if cap(r.out) <= keptAnswer && len(r.header) <= maxFields {
		r.out = r.out[:0]
		clear(r.header)
		s.rooms.Put(r)
	}
}
