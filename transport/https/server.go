package https

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"

	"golang.org/x/net/netutil"
)

// A Config says what is served and within which bounds. Zero numbers mean the
// defaults.
type Config struct {
	// Certificates serve TLS; nil serves plain HTTP.
	Certificates *Certificates
	// Routes are the handlers by path. What has none is answered with 404.
	Routes map[string]http.Handler
	// Ready reports why the server cannot serve now; nil is always ready.
	Ready func(context.Context) error
	// Drain ends what the handlers keep open, such as streams, and waits for
	// what runs until its context is done.
	Drain func(context.Context)

	HeaderTime     time.Duration // for connecting, TLS and the head of a request; 10 s
	RequestTime    time.Duration // for a whole request until its answer; 150 s
	IdleTime       time.Duration // between requests; 120 s
	DrainTime      time.Duration // for what runs when the server ends; 10 s
	MaxHeader      int           // bytes; 32 KiB
	MaxConnections int           // at one time; 20,000
	Logger         *slog.Logger  // nil discards
}

func (c Config) withDefaults() Config {
	c.HeaderTime = cmp.Or(c.HeaderTime, 10*time.Second)
	c.RequestTime = cmp.Or(c.RequestTime, 150*time.Second)
	c.IdleTime = cmp.Or(c.IdleTime, 2*time.Minute)
	c.DrainTime = cmp.Or(c.DrainTime, 10*time.Second)
	c.MaxHeader = cmp.Or(c.MaxHeader, 32<<10)
	c.MaxConnections = cmp.Or(c.MaxConnections, 20_000)
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c
}

// A Server serves HTTP on one listener.
type Server struct{ cfg Config }

// New returns a server. It starts nothing.
func New(cfg Config) *Server { return &Server{cfg: cfg.withDefaults()} }

// Serve serves until ctx is done; then it takes nothing new, lets what runs
// finish within DrainTime and returns nil. It closes the listener.
func (s *Server) Serve(ctx context.Context, listener net.Listener) error {
	web := &http.Server{
		Handler:           s,
		ReadHeaderTimeout: s.cfg.HeaderTime,
		ReadTimeout:       s.cfg.RequestTime,
		WriteTimeout:      s.cfg.RequestTime,
		IdleTimeout:       s.cfg.IdleTime,
		MaxHeaderBytes:    s.cfg.MaxHeader,
		ErrorLog:          slog.NewLogLogger(s.cfg.Logger.Handler(), slog.LevelDebug),
		BaseContext:       func(net.Listener) context.Context { return context.WithoutCancel(ctx) },
	}
	listener = netutil.LimitListener(listener, s.cfg.MaxConnections)
	failed := make(chan error, 1)
	go func() { failed <- s.serveOn(web, listener) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	s.drain(web)
	return <-failed
}

func (s *Server) serveOn(web *http.Server, listener net.Listener) error {
	var err error
	if s.cfg.Certificates == nil {
		err = web.Serve(listener)
	} else {
		web.TLSConfig = &tls.Config{
			MinVersion:     tls.VersionTLS12,
			GetCertificate: s.cfg.Certificates.get,
			NextProtos:     []string{"h2", "http/1.1"},
		}
		err = web.ServeTLS(listener, "", "")
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// drain ends the server: no new connections, streams are told, what runs may
// finish, and past the deadline all is closed.
func (s *Server) drain(web *http.Server) {
	ctx, stop := context.WithTimeout(context.Background(), s.cfg.DrainTime)
	defer stop()
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		if s.cfg.Drain != nil {
			s.cfg.Drain(ctx)
		}
	}()
	if err := web.Shutdown(ctx); err != nil {
		s.cfg.Logger.Warn("requests were cut off", "err", err)
		_ = web.Close() // it cannot be closed better
	}
	<-drained
}

// ServeHTTP finds the handler of a path.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.ProtoMajor == 1 && len(r.TransferEncoding) > 0 {
		// It may have had a length besides, which net/http does not tell: a
		// request could hide behind it from a proxy that believed the length
		// (RFC 9112, section 6.1).
		w.Header().Set("Connection", "close")
	}
	if h := s.cfg.Routes[r.URL.Path]; h != nil {
		h.ServeHTTP(w, r)
		return
	}
	switch r.URL.Path {
	case "/healthz":
		say(w, http.StatusOK, "ok")
	case "/readyz":
		s.ready(w, r)
	default:
		say(w, http.StatusNotFound, "nothing is served here; MCP is at /mcp")
	}
}

// readyTime is how long the check of what the server needs may take.
const readyTime = 2 * time.Second

func (s *Server) ready(w http.ResponseWriter, r *http.Request) {
	ctx, stop := context.WithTimeout(r.Context(), readyTime)
	defer stop()
	if s.cfg.Ready != nil {
		if err := s.cfg.Ready(ctx); err != nil {
			s.cfg.Logger.Warn("not ready", "err", err)
			say(w, http.StatusServiceUnavailable, "not ready")
			return
		}
	}
	say(w, http.StatusOK, "ready")
}

func say(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text + "\n")) // a client that is gone needs no answer
}
