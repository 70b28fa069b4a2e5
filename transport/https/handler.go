package https

import (
	"context"
	"crypto/tls"
	"net/http"
	"time"

	"github.com/triptych-mcp/triptych/transport/internal/connlimit"
)

// ServeHTTP calls the handler of the path: one of the routes, a health check, or the pages.
// The routes authenticate their callers; a connection without a key is the first to make room
// when there are too many.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.ProtoMajor == 1 && len(r.TransferEncoding) > 0 {
		// It may have had a length besides, which net/http drops: a proxy that
		// believed the length would not see a request behind the chunks (RFC
		// 9112, section 6.1).
		w.Header().Set("Connection", "close")
	}
	if r.TLS == nil {
		r.TLS, _ = r.Context().Value(tlsState{}).(*tls.ConnectionState)
	}
	conn := connlimit.FromContext(r.Context())
	conn.Begin()
	defer conn.End()
	if h := s.cfg.Routes[r.URL.Path]; h != nil {
		h.ServeHTTP(w, r)
		return
	}
	if conn.Crowded() {
		w.Header().Set("Connection", "close") // makes room for clients with a key
	}
	switch r.URL.Path {
	case "/healthz":
		say(w, http.StatusOK, "ok")
	case "/readyz":
		s.ready(w, r)
	default:
		s.page(w, r)
	}
}

// page serves a path that is none of the server's own: a page for browsers, or 404.
func (s *Server) page(w http.ResponseWriter, r *http.Request) {
	if s.cfg.Pages == nil {
		say(w, http.StatusNotFound, "nothing is served here; MCP is at /mcp")
		return
	}
	s.cfg.Pages.ServeHTTP(w, r)
}

// readyTime bounds a call of [Config.Ready].
const readyTime = 2 * time.Second

// ready serves /readyz: 200, or 503 while the server drains or Config.Ready fails. The
// reason is only logged: the path needs no key.
func (s *Server) ready(w http.ResponseWriter, r *http.Request) {
	if s.draining.Load() {
		say(w, http.StatusServiceUnavailable, "draining")
		return
	}
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

// say writes a line of text. It is for clients that have shown no key, so no text says more
// than they may know.
func say(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text + "\n")) // the client may have disconnected
}
