package oauth

import (
	"errors"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/triptych-mcp/triptych/transport/bearer"
	"github.com/triptych-mcp/triptych/transport/keys"
)

// methodS256 is the only method of PKCE (RFC 7636): with plain, who sees the request has the
// verifier.
const methodS256 = "S256"

// A request is an authorization request that was checked. It travels through the browser,
// sealed.
type request struct {
	Client    string `json:"c"`
	Name      string `json:"n"`
	Host      string `json:"h"` // of the client's document
	Redirect  string `json:"r"`
	State     string `json:"s"`
	Challenge string `json:"p"`
	Resource  string `json:"a"`
	Issuer    string `json:"i"`

	Nonce string    `json:"x"` // that of the cookie
	Until time.Time `json:"u"`

	// Key is the id of the key that was shown, "" before, and Hash that of its token then.
	Key  string    `json:"k,omitzero"`
	Hash keys.Hash `json:"d,omitzero"`
	// Invitation is the hash of the token of the invitation that was pasted in place of the key.
	Invitation keys.Hash `json:"v,omitzero"`
}

// The time for which the page waits for a key, and then for an answer.
const (
	signInTime = 15 * time.Minute
	answerTime = 5 * time.Minute
	maxState   = 4096
)

// begin shows the page for an authorization request. Mistakes in the client or the redirect are
// shown to the person; others are sent to the client.
func (s *Server) begin(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	to := request{Client: query.Get("client_id"), Redirect: query.Get("redirect_uri"), State: query.Get("state"), Issuer: s.issuer(r), Resource: s.resource(r)}
	if err := s.admit(r, query, &to); err != nil {
		s.fail(w, r, http.StatusBadRequest, err)
		return
	}
	to.Challenge = query.Get("code_challenge")
	if err := checkRequest(query, &to); err != nil {
		s.sendBack(w, r, &to, url.Values{"error": {err.code}, "error_description": {err.description}})
		return
	}
	to.Nonce, to.Until = s.nonce(w, r), s.cfg.Now().Add(signInTime)
	s.show(w, r, http.StatusOK, &to, page{Sealed: s.sealer.seal("request", to)})
}

// admit finds the client of a request and checks the redirect. Without these two, no browser is sent
// anywhere.
func (s *Server) admit(r *http.Request, query url.Values, to *request) error {
	for name, values := range query {
		if len(values) > 1 && name != "resource" {
			return &oauthError{code: "invalid_request", description: "there are two of the parameter " + plainName(name)}
		}
	}
	if !s.redirects.allow(to.Redirect) { // before anything is fetched
		return &oauthError{code: "invalid_request", description: "the redirect_uri is not allowed here; " + allowHint}
	}
	if len(to.State) > maxState {
		return &oauthError{code: "invalid_request", description: "the state is too long"}
	}
	from, _ := netip.ParseAddrPort(r.RemoteAddr) // the zero value says unknown
	c, err := s.findClient(r.Context(), to.Client, to.Redirect, from.Addr())
	if err != nil {
		return err
	}
	if !matches(c.Redirects, to.Redirect) {
		return &oauthError{code: "invalid_request", description: "the redirect_uri is not one of the client's"}
	}
	to.Name, to.Host = c.Name, c.Host
	return nil
}

// checkRequest checks the parameters whose mistakes the client is told.
func checkRequest(query url.Values, to *request) *oauthError {
	switch {
	case query.Get("response_type") != "code":
		return &oauthError{code: "unsupported_response_type", description: "the response_type must be code"}
	case query.Get("code_challenge_method") != methodS256 || len(to.Challenge) != challengeLen:
		return &oauthError{code: "invalid_request", description: "PKCE with code_challenge_method S256 is required"}
	}
	return checkResource(query["resource"], to.Resource)
}

// challengeLen is the length of a SHA-256 in base64url.
const challengeLen = 43

// checkResource checks resource indicators (RFC 8707): they must name this server. Clients of
// older revisions send none.
func checkResource(asked []string, resource string) *oauthError {
	for _, one := range asked {
		one = strings.TrimSuffix(one, "/")
		if one != resource && one != strings.TrimSuffix(resource, "/mcp") {
			return &oauthError{code: "invalid_target", description: "the resource is not this server, " + resource}
		}
	}
	return nil
}

// sendBack sends the browser to the client, with the issuer (RFC 9207).
func (s *Server) sendBack(w http.ResponseWriter, r *http.Request, to *request, answer url.Values) {
	if to.State != "" {
		answer.Set("state", to.State)
	}
	answer.Set("iss", to.Issuer)
	SetHeaders(w.Header(), "")
	http.Redirect(w, r, with(to.Redirect, answer), http.StatusSeeOther) // admit has checked where to
}

// errStale reports a form of another browser, or an old one.
var errStale = errors.New("this page is too old, or was opened in another browser: begin again in the program that asked you to sign in")

// opened returns the request of a form, or an error if it was not made for this browser lately.
func (s *Server) opened(r *http.Request, purpose string) (request, error) {
	var to request
	if err := protection.Check(r); err != nil {
		return to, errStale
	}
	cookie, err := r.Cookie(s.cookieName(r))
	if err != nil || !s.sealer.open(purpose, r.PostForm.Get(purpose), &to) || !same(cookie.Value, to.Nonce) || s.cfg.Now().After(to.Until) {
		return request{}, errStale
	}
	return to, nil
}

// answer serves the form of the page: with a key, or with the answer of the person.
func (s *Server) answer(w http.ResponseWriter, r *http.Request) {
	if r.PostForm.Has("choice") {
		s.choose(w, r)
		return
	}
	to, err := s.opened(r, "request")
	if err != nil {
		s.fail(w, r, http.StatusForbidden, err)
		return
	}
	key, err := s.signIn(r, &to)
	if err != nil {
		s.show(w, r, http.StatusUnauthorized, &to, page{Sealed: r.PostForm.Get("request"), Error: err.Error()})
		return
	}
	s.ask(w, r, &to, key)
}

// ask shows what a key may do, for the person to allow or refuse.
func (s *Server) ask(w http.ResponseWriter, r *http.Request, to *request, key string) {
	record, err := s.cfg.Store.Get(r.Context(), key)
	if err != nil || record.Inactive(s.cfg.Now()) {
		s.fail(w, r, http.StatusServiceUnavailable, errors.New("the key cannot be looked up now, or does not work any more"))
		return
	}
	to.Key, to.Hash, to.Until = record.ID, record.Hash, s.cfg.Now().Add(answerTime)
	s.show(w, r, http.StatusOK, to, page{Key: &record, Sealed: s.sealer.seal("choice", to)})
}

// signIn returns the id of the key that was pasted, or whose invitation was.
func (s *Server) signIn(r *http.Request, to *request) (key string, err error) {
	text := strings.TrimSpace(r.PostForm.Get("key"))
	if invitation, err := keys.ParseInvitation(text); err == nil {
		return s.invited(r, to, invitation)
	}
	token, err := keys.ParseToken(text)
	if err == nil && !token.Kind().IsKey() {
		text = "" // a token of a client must not become another client
	}
	caller, refused := s.cfg.Auth.Authenticate(http.Header{}, bearer.WithKey(r, text)) // headers of the endpoint, not of a page
	if refused != nil {
		return "", errors.New(refused.Reason())
	}
	if !strings.HasPrefix(caller.Principal.ID, keys.IDPrefix) {
		return "", errors.New("this is no key")
	}
	return caller.Principal.ID, nil
}

// invited returns the id of the key of an invitation, which is used up when the person allows the
// client.
func (s *Server) invited(r *http.Request, to *request, invitation keys.Token) (key string, err error) {
	record, err := keys.Invited(r.Context(), s.cfg.Store, invitation, s.cfg.Now())
	switch {
	case err == nil:
		to.Invitation = invitation.Hash()
		return record.ID, nil
	case !errors.Is(err, keys.ErrUnknown) && !errors.Is(err, keys.ErrExpired):
		return "", errors.New("links cannot be looked up now: try again")
	}
	if _, refused := s.cfg.Auth.Authenticate(http.Header{}, bearer.WithKey(r, "a link")); refused != nil && refused.Status != http.StatusUnauthorized {
		return "", errors.New(refused.Reason()) // too many attempts
	}
	return "", errors.New("this link was used, has expired or was withdrawn: ask for another")
}

// errChanged ends a change of grants of a key that is not as it was when it was shown.
var errChanged = errors.New("the key has changed or does not work any more")

// choose serves the answer of the person.
func (s *Server) choose(w http.ResponseWriter, r *http.Request) {
	to, err := s.opened(r, "choice")
	if err != nil || to.Key == "" {
		s.fail(w, r, http.StatusForbidden, errStale)
		return
	}
	if r.PostForm.Get("do") != "allow" {
		s.sendBack(w, r, &to, url.Values{"error": {"access_denied"}, "error_description": {"the person has refused"}})
		return
	}
	family, code := newSuccession()
	now := s.cfg.Now()
	grant := keys.Grant{
		ID: keys.NewGrantID(), Client: to.Client, Name: to.Name, Resource: to.Resource, Redirect: to.Redirect, Challenge: to.Challenge,
		Family: family.Hash(), Current: hashOf(code), Until: now.Add(codeTime), Created: now, Used: now,
	}
	_, err = s.cfg.Store.ChangeGrants(r.Context(), to.Key, func(record keys.Record) ([]keys.Grant, error) {
		if record.Inactive(now) || record.Hash != to.Hash {
			return nil, errChanged
		}
		grants := record.Grants
		if to.Invitation != (keys.Hash{}) {
			var err error
			if grants, err = record.SpendInvitation(to.Invitation, now); err != nil {
				return nil, errChanged
			}
		}
		return append(grants, grant), nil
	})
	if err == nil {
		err = s.cfg.Record(r.Context(), byClient(r, to.Key, &grant), "oauth/allow", grant.ID)
	}
	if err != nil {
		s.cfg.Logger.ErrorContext(r.Context(), "a login failed", "key", to.Key, "err", err)
		s.fail(w, r, http.StatusServiceUnavailable, errors.New("the key has changed or cannot be looked up now: begin again"))
		return
	}
	s.sendBack(w, r, &to, url.Values{"code": {code}})
}
