package invite

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/transport/bearer"
	"github.com/triptych-mcp/triptych/transport/keys"
	"github.com/triptych-mcp/triptych/transport/oauth"
	"github.com/triptych-mcp/triptych/transport/quota"
	"github.com/triptych-mcp/triptych/transport/routes"
	"github.com/triptych-mcp/triptych/transport/streamable"
)

// Path is the path of the links, below the URL of the server.
const Path = "/invite/"

// A Config holds the parts of a server that its invitations use. All are required.
type Config struct {
	Store keys.Store
	Auth  Authenticator
	// Resource returns the URL of the endpoint as the sender of a request has it.
	Resource func(r *http.Request) *url.URL
	Login    bool   // the server has a login by a page
	AnyHost  bool   // serve requests with any Host
	Style    []byte // the style sheet of the pages
	// Record is called after a link was used, for the key of by.
	Record func(ctx context.Context, by host.Caller, method, target string) error
	Now    func() time.Time
	Logger *slog.Logger
}

// An Authenticator refuses what is no key, and slows down those that guess.
type Authenticator interface {
	Authenticate(header http.Header, r *http.Request) (host.Caller, *streamable.Refusal)
}

// A Server serves the links. Make one with [New].
type Server struct{ cfg Config }

// New returns a server.
func New(cfg Config) *Server { return &Server{cfg} }

// Routes returns the rows of the pages for the table of a listener.
func (s *Server) Routes() []routes.Route {
	all := []routes.Route{
		{Method: http.MethodGet, Path: Path + "{link}", Handler: http.HandlerFunc(s.show)},
		{Method: http.MethodPost, Path: Path + "{link}", Body: routes.Form, MaxBody: 1 << 10, Handler: http.HandlerFunc(s.redeem)},
		{Method: http.MethodGet, Path: Path + "style.css", Handler: http.HandlerFunc(s.style)},
	}
	for i := range all {
		all[i].KnownHosts = !s.cfg.AnyHost
		all[i].Refuse = func(w http.ResponseWriter, r *http.Request, status int, reason string) {
			s.fail(w, r, &failure{status, reason})
		}
	}
	return all
}

// A Redeemed is the answer to a program that has used a link.
type Redeemed struct {
	ID      string       `json:"id"`
	Name    string       `json:"name"`
	Key     string       `json:"key"`
	URL     string       `json:"url"` // of the endpoint
	Scopes  []host.Scope `json:"scopes"`
	Plan    quota.Plan   `json:"plan"`
	Expires time.Time    `json:"expires,omitzero"`
}

// A failure is a reason for which a link is not shown or used.
type failure struct {
	status int
	reason string
}

func (f *failure) Error() string { return f.reason }

var (
	errSpent = &failure{http.StatusGone, "This link does not work any more: it works once, until it expires or is withdrawn. " +
		"Ask who sent it for another; triptych key invite makes one. If you have not used it, tell them: then somebody else has."}
	errCutOff      = &failure{http.StatusNotFound, "This link is not whole. Copy all of it, to its last character."}
	errForeign     = &failure{http.StatusForbidden, "The form was sent by another site. Open the link itself."}
	errUnavailable = &failure{http.StatusServiceUnavailable, "The link cannot be looked up now. Try again in a moment."}
	errUnrecorded  = &failure{http.StatusServiceUnavailable, "The link was used, but the server could not record it, so the key is not shown. Ask for another link."}
)

// pending returns the key of the link of a request, and its token.
func (s *Server) pending(r *http.Request) (keys.Record, keys.Token, *failure) {
	token, err := keys.ParseInvitation(r.PathValue("link"))
	if err != nil {
		return keys.Record{}, token, s.guessed(r, errCutOff)
	}
	record, err := keys.Invited(r.Context(), s.cfg.Store, token, s.cfg.Now())
	return record, token, s.failed(r, err)
}

// failed returns what to say about an error of the store, nil for none.
func (s *Server) failed(r *http.Request, err error) *failure {
	_, missing := errors.AsType[*keys.NotFoundError](err)
	switch {
	case err == nil:
		return nil
	case missing, errors.Is(err, keys.ErrUnknown), errors.Is(err, keys.ErrExpired):
		return s.guessed(r, errSpent)
	}
	s.cfg.Logger.ErrorContext(r.Context(), "an invitation cannot be looked up", "err", err)
	return errUnavailable
}

// guessed delays a request whose link does not work, as one with a wrong key, and returns why it
// is refused. The link itself reaches no record.
func (s *Server) guessed(r *http.Request, reason *failure) *failure {
	_, refused := s.cfg.Auth.Authenticate(http.Header{}, bearer.WithKey(r, "a link"))
	if refused != nil && refused.Status != http.StatusUnauthorized { // too many attempts
		return &failure{refused.Status, refused.Reason()}
	}
	return reason
}

// show says what a link is for.
func (s *Server) show(w http.ResponseWriter, r *http.Request) {
	record, _, failed := s.pending(r)
	if failed != nil {
		s.fail(w, r, failed)
		return
	}
	s.write(w, r, http.StatusOK, page{Record: &record, Until: record.Through.Until})
}

// protection refuses forms that other sites send.
var protection = http.NewCrossOriginProtection()

// redeem uses a link up and shows the key.
func (s *Server) redeem(w http.ResponseWriter, r *http.Request) {
	if protection.Check(r) != nil {
		s.fail(w, r, errForeign)
		return
	}
	record, token, failed := s.pending(r)
	if failed != nil {
		s.fail(w, r, failed)
		return
	}
	name := record.Through.Name
	record, key, err := s.cfg.Store.Redeem(r.Context(), record.ID, token)
	if failed := s.failed(r, err); failed != nil {
		s.fail(w, r, failed)
		return
	}
	from, _ := netip.ParseAddrPort(r.RemoteAddr) // the zero value says unknown
	by := host.Caller{Principal: host.Principal{ID: record.ID, Scopes: []host.Scope{}, Client: "invitation"}, Addr: from}
	if err := s.cfg.Record(r.Context(), by, "key/redeem", record.ID); err != nil {
		s.cfg.Logger.ErrorContext(r.Context(), "an invitation was used without a record", "key", record.ID, "err", err)
		s.fail(w, r, errUnrecorded)
		return
	}
	endpoint := s.cfg.Resource(r).String()
	if wantsJSON(r) {
		writeJSON(w, http.StatusOK, Redeemed{
			ID: record.ID, Name: record.Name, Key: key.Reveal(), URL: endpoint, Scopes: record.Scopes, Plan: record.Plan, Expires: record.Expires,
		})
		return
	}
	first, others := s.ways(r, endpoint, key.Reveal(), name)
	s.write(w, r, http.StatusOK, page{Record: &record, Key: key.Reveal(), First: first, Others: others})
}

// wantsJSON reports whether a request is that of a program.
func wantsJSON(r *http.Request) bool { return r.Header.Get("Accept") == "application/json" }

// fail says why a link does not work.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, f *failure) {
	if wantsJSON(r) {
		writeJSON(w, f.status, map[string]string{"error": f.reason})
		return
	}
	s.write(w, r, f.status, page{Error: f.reason})
}

// writeJSON answers a program.
func writeJSON(w http.ResponseWriter, status int, value any) {
	text, err := json.Marshal(value)
	if err != nil {
		status, text = http.StatusInternalServerError, nil // never: they are texts and times
	}
	oauth.SetHeaders(w.Header(), "")
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(text) // the client may have disconnected
}

// style serves the style sheet.
func (s *Server) style(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/css; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "max-age=3600")
	_, _ = w.Write(s.cfg.Style) // the browser may have disconnected
}

// server returns the URL of the server, the parent of its endpoint.
func server(endpoint string) string {
	return strings.TrimSuffix(strings.TrimSuffix(endpoint, "/"), "/mcp")
}

// Link returns the link of an invitation at a server, by the URL of its endpoint.
func Link(endpoint string, invitation keys.Token) string {
	return server(endpoint) + Path + invitation.Reveal()
}
