package https

import (
	"errors"
	"net/http"
	"time"

	"github.com/triptych-mcp/triptych/transport/internal/connlimit"
	"github.com/triptych-mcp/triptych/transport/routes"
)

// ServeHTTP serves a request by the table of routes. A connection without a key is the first
// to make room when there are too many.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	passed, _ := r.Context().Value(passedOn{}).(*passedOn)
	if r.ProtoMajor == 1 && len(r.TransferEncoding) > 0 && !(passed != nil && passed.conn.Chunked()) {
		// It may have had a length besides, which net/http drops: a proxy that
		// believed the length would not see a request behind the chunks (RFC
		// 9112, section 6.1).
		w.Header().Set("Connection", "close")
	}
	if r.TLS == nil && passed != nil {
		r.TLS = passed.state
	}
	conn := connlimit.FromContext(r.Context())
	conn.Begin()
	defer conn.End()
	s.routes.ServeHTTP(w, r)
}

// table returns the table of the configuration with the rows of the health checks, which need
// no key.
func (s *Server) table() *routes.Table {
	cfg := s.cfg.Routes
	cfg.Hosts, cfg.Proxies, cfg.Logger = s.cfg.Hosts, s.cfg.Proxies, s.cfg.Logger
	cfg.Routes = append([]routes.Route{
		{Method: http.MethodGet, Path: "/healthz", Time: readyTime, Handler: http.HandlerFunc(healthy)},
		{Method: http.MethodGet, Path: "/readyz", Time: readyTime, Handler: http.HandlerFunc(s.ready)},
	}, cfg.Routes...)
	return routes.New(cfg)
}

// Routes returns the rows of the table.
func (s *Server) Routes() []routes.Route { return s.routes.Routes() }

// healthy serves /healthz.
func healthy(w http.ResponseWriter, _ *http.Request) { say(w, http.StatusOK, "ok") }

// readyTime bounds a call of [Config.Ready].
const readyTime = 2 * time.Second

// A NotReadyError is an error of [Config.Ready] with a reason that anybody may know: paths
// and addresses are in Err alone.
type NotReadyError struct {
	Reason string
	Err    error
}

// Error returns the text of Err, which is for the log.
func (e *NotReadyError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *NotReadyError) Unwrap() error { return e.Err }

// ready serves /readyz: 200, or 503 while the server drains or Config.Ready fails. The
// error itself is only logged, once until the server is ready again: the path needs no key.
func (s *Server) ready(w http.ResponseWriter, r *http.Request) {
	if s.draining.Load() {
		say(w, http.StatusServiceUnavailable, "draining")
		return
	}
	if s.cfg.Ready != nil {
		if err := s.cfg.Ready(r.Context()); err != nil {
			if !s.unready.Swap(true) {
				s.cfg.Logger.Warn("not ready", "err", err)
			}
			say(w, http.StatusServiceUnavailable, unreadyText(err))
			return
		}
		if s.unready.Swap(false) {
			s.cfg.Logger.Info("ready again")
		}
	}
	say(w, http.StatusOK, "ready")
}

// unreadyText returns what anybody may know of an error of Config.Ready.
func unreadyText(err error) string {
	if because, ok := errors.AsType[*NotReadyError](err); ok {
		return "not ready: " + because.Reason
	}
	return "not ready"
}

// say writes a line of text. It is for clients that have shown no key, so no text says more
// than they may know.
func say(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text + "\n")) // the client may have disconnected
}
