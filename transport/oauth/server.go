package oauth

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/transport/keys"
	"github.com/triptych-mcp/triptych/transport/routes"
	"github.com/triptych-mcp/triptych/transport/streamable"
)

// A Config holds the parts of a server that its logins use. Store, Auth and Resource are
// required.
type Config struct {
	Store keys.Store
	Auth  Authenticator
	// Secret is the one that the servers of the store share; nil makes one, so that what
	// was begun before a restart has to begin again.
	Secret []byte
	// Resource returns the URL of the endpoint as the sender of a request has it, such as
	// https://mcp.example.com/mcp. The issuer is its parent.
	Resource func(r *http.Request) *url.URL
	// Issuers are authorization servers of others whose tokens the endpoint takes, too.
	Issuers []string
	// Scopes are the scopes of the server.
	Scopes []host.Scope
	// Redirects are the URLs that a browser may be sent to besides those of known hosts.
	Redirects []string
	// AnyHost serves requests with any Host, since Resource does not look at it.
	AnyHost bool
	// Style is the style sheet of the page.
	Style []byte
	// Record is called with what was done for a key, whose id and client are in by; nil
	// ignores it.
	Record func(ctx context.Context, by host.Caller, method, target string) error
	Now    func() time.Time // nil means [time.Now]
	Logger *slog.Logger     // nil discards
}

// An Authenticator finds the caller of a request by its Authorization header, and slows down
// those that guess.
type Authenticator interface {
	Authenticate(header http.Header, r *http.Request) (host.Caller, *streamable.Refusal)
	Charge(ctx context.Context, header http.Header, caller *host.Caller, rev *host.Revision, bill streamable.Bill) *streamable.Refusal
	// Guessed delays a request with wrong credentials, or reports false if too many from its
	// address are delayed already.
	Guessed(r *http.Request) bool
}

// A Server serves the routes of the login. Make one with [New].
type Server struct {
	cfg       Config
	sealer    sealer
	documents documents
	redirects redirects
}

// New returns a server. It starts nothing.
func New(cfg Config) *Server {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Record == nil {
		cfg.Record = func(context.Context, host.Caller, string, string) error { return nil }
	}
	if cfg.Secret == nil {
		cfg.Secret = []byte(rand.Text() + rand.Text())
	}
	s := &Server{cfg: cfg, sealer: newSealer(cfg.Secret), redirects: cfg.Redirects}
	s.documents.init(cfg.Now)
	return s
}

// The paths of the login, below the issuer.
const (
	authorizePath = "/oauth/authorize"
	tokenPath     = "/oauth/token" //nolint:gosec // the path of an endpoint
	registerPath  = "/oauth/register"
	stylePath     = "/oauth/style.css"
)

// The sizes of bodies.
const (
	maxForm         = 32 << 10 // with a sealed request
	maxRegistration = 16 << 10
)

// Routes returns the rows of the login for the table of a listener.
func (s *Server) Routes() []routes.Route {
	server, resource := s.document(s.serverMetadata), s.document(s.resourceMetadata)
	var all []routes.Route
	for _, path := range []string{"/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"} {
		all = append(all, public(path, server)...)
		all = append(all, public(path+"/{path...}", server)...)
	}
	all = append(all, public("/mcp/.well-known/openid-configuration", server)...)
	all = append(all, public("/.well-known/oauth-protected-resource", resource)...)
	all = append(all, public("/.well-known/oauth-protected-resource/{path...}", resource)...)
	all = append(all,
		routes.Route{Method: http.MethodGet, Path: authorizePath, Handler: http.HandlerFunc(s.begin), Refuse: refusePage},
		routes.Route{Method: http.MethodPost, Path: authorizePath, Body: routes.Form, MaxBody: maxForm, Handler: http.HandlerFunc(s.answer), Refuse: refusePage},
		routes.Route{Method: http.MethodGet, Path: stylePath, Handler: http.HandlerFunc(s.style)},
		routes.Route{Method: http.MethodPost, Path: tokenPath, Body: routes.Form, MaxBody: maxForm, Handler: http.HandlerFunc(s.token), Refuse: refuseJSON},
		routes.Route{Method: http.MethodOptions, Path: tokenPath, Handler: http.HandlerFunc(preflight)},
		routes.Route{Method: http.MethodPost, Path: registerPath, Body: routes.JSON, MaxBody: maxRegistration, Handler: http.HandlerFunc(s.register), Refuse: refuseJSON},
		routes.Route{Method: http.MethodOptions, Path: registerPath, Handler: http.HandlerFunc(preflight)},
	)
	for i := range all {
		all[i].KnownHosts = !s.cfg.AnyHost
	}
	return all
}

// public returns the rows of a document that pages of every origin may read.
func public(path string, document http.Handler) []routes.Route {
	return []routes.Route{
		{Method: http.MethodGet, Path: path, Time: documentTime, Handler: document},
		{Method: http.MethodOptions, Path: path, Time: documentTime, Handler: http.HandlerFunc(preflight)},
	}
}

// documentTime bounds the making of a public document.
const documentTime = 5 * time.Second

// resource returns the URL of the endpoint, and issuer that of this authorization server.
func (s *Server) resource(r *http.Request) string { return s.cfg.Resource(r).String() }

func (s *Server) issuer(r *http.Request) string {
	return strings.TrimSuffix(strings.TrimSuffix(s.resource(r), "/"), "/mcp")
}

// preflight lets pages of every origin send requests that need no cookie.
func preflight(w http.ResponseWriter, _ *http.Request) {
	header := w.Header()
	header.Set("Access-Control-Allow-Origin", "*")
	header.Set("Access-Control-Allow-Methods", "GET, POST")
	header.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, MCP-Protocol-Version")
	w.WriteHeader(http.StatusNoContent)
}

// An oauthError is an error of RFC 6749, section 5.2, and its extensions.
type oauthError struct {
	code, description string
	status            int // 0 is 400
}

func (e *oauthError) Error() string { return e.code + ": " + e.description }

// writeError answers with an error.
func writeError(w http.ResponseWriter, e *oauthError) {
	if e.status == http.StatusUnauthorized && w.Header().Get("WWW-Authenticate") == "" {
		w.Header().Set("WWW-Authenticate", `Basic realm="triptych"`)
	}
	writeJSON(w, cmp.Or(e.status, http.StatusBadRequest), map[string]string{"error": e.code, "error_description": e.description})
}

// refuseJSON answers what the table of routes refuses.
func refuseJSON(w http.ResponseWriter, _ *http.Request, status int, reason string) {
	writeError(w, &oauthError{"invalid_request", reason, status})
}

// writeJSON answers with a document that no cache stores, for pages of every origin.
func writeJSON(w http.ResponseWriter, status int, value any) {
	text, err := json.Marshal(value)
	if err != nil {
		status, text = http.StatusInternalServerError, nil // never: they are texts and numbers
	}
	header := w.Header()
	header.Set("Content-Type", "application/json")
	header.Set("Cache-Control", "no-store")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Access-Control-Allow-Origin", "*")
	w.WriteHeader(status)
	_, _ = w.Write(text) // the client may have disconnected
}
