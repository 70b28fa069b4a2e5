package oauth

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/transport/bearer"
	"github.com/triptych-mcp/triptych/transport/keys"
	"github.com/triptych-mcp/triptych/transport/streamable"
)

// The times for which tokens work.
const (
	codeTime    = time.Minute
	accessTime  = time.Hour
	refreshTime = 30 * 24 * time.Hour // since it was made: a client that is used every month stays
)

// newSuccession returns a new family and the first code of it.
func newSuccession() (family keys.Token, code string) {
	family = keys.NewToken(keys.Family)
	return family, successor(family)
}

// successor returns another text of a family.
func successor(family keys.Token) string { return family.Reveal() + "." + rand.Text() + rand.Text() }

// hashOf returns the stored form of a code or a refresh token.
func hashOf(text string) keys.Hash { return sha256.Sum256([]byte(text)) }

// An answer is that of the endpoint of tokens (RFC 6749, section 5.1).
type answer struct {
	Access  string `json:"access_token"`
	Type    string `json:"token_type"`
	Expires int64  `json:"expires_in"`
	Refresh string `json:"refresh_token,omitzero"`
	Scope   string `json:"scope"`
}

// token serves the endpoint of tokens.
func (s *Server) token(w http.ResponseWriter, r *http.Request) {
	got, err := s.tokenFor(w, r)
	if wrong, ok := errors.AsType[*oauthError](err); ok {
		writeError(w, wrong)
		return
	}
	if err != nil {
		s.cfg.Logger.ErrorContext(r.Context(), "a token could not be made", "err", err)
		w.Header().Set("Retry-After", "1")
		writeError(w, &oauthError{"temporarily_unavailable", "keys cannot be looked up now", http.StatusServiceUnavailable})
		return
	}
	writeJSON(w, http.StatusOK, got)
}

// tokenFor returns tokens for a request.
func (s *Server) tokenFor(w http.ResponseWriter, r *http.Request) (answer, error) {
	form := r.PostForm
	for name, values := range form {
		if len(values) > 1 && name != "resource" {
			return answer{}, &oauthError{code: "invalid_request", description: "a parameter is there twice"}
		}
	}
	switch form.Get("grant_type") {
	case "authorization_code":
		return s.succeed(r, form.Get("code"), checkCode)
	case "refresh_token":
		return s.succeed(r, form.Get("refresh_token"), checkRefresh)
	case "client_credentials":
		return s.forKey(w, r)
	}
	return answer{}, &oauthError{code: "unsupported_grant_type", description: "grant_type must be authorization_code, refresh_token or client_credentials"}
}

// invalidGrant is the error for a code or refresh token that does not work.
func invalidGrant(reason string) *oauthError {
	return &oauthError{code: "invalid_grant", description: reason}
}

var errUnknown = invalidGrant("it has expired, was used before, or the key or the login was ended")

// succeed returns the tokens that follow a code or a refresh token. The text is compared and
// replaced in one change of the record, so that of two requests with it one succeeds. The other
// ends the grant: it was copied.
func (s *Server) succeed(r *http.Request, text string, check func(*keys.Grant, *http.Request) *oauthError) (answer, error) {
	begin, _, _ := strings.Cut(text, ".")
	family, err := keys.ParseToken(begin)
	if err != nil || family.Kind() != keys.Family {
		return answer{}, s.unknown(r)
	}
	record, err := s.cfg.Store.Find(r.Context(), family)
	if errors.Is(err, keys.ErrUnknown) {
		return answer{}, s.unknown(r)
	}
	if err != nil {
		return answer{}, err
	}
	access, next := keys.NewToken(keys.Access), successor(family)
	var wrong *oauthError
	var after keys.Grant
	ended := false
	record, err = s.cfg.Store.ChangeGrants(r.Context(), record.ID, func(record keys.Record) ([]keys.Grant, error) {
		wrong, ended = nil, false
		now := s.cfg.Now()
		i := slices.IndexFunc(record.Grants, func(g keys.Grant) bool { return g.Family.Equal(family.Hash()) })
		if i < 0 || record.Inactive(now) {
			return nil, errUnknown
		}
		g := &record.Grants[i]
		after = *g
		if replayed := !g.Current.Equal(hashOf(text)); replayed || !now.Before(g.Until) {
			ended = replayed
			return slices.Delete(record.Grants, i, i+1), nil
		}
		if wrong = check(g, r); wrong != nil {
			if g.Challenge == "" { // a refresh token of another client
				return nil, wrong
			}
			return slices.Delete(record.Grants, i, i+1), nil // a code is tried once
		}
		g.Challenge, g.Redirect = "", ""
		g.Current, g.Until, g.Used = hashOf(next), now.Add(refreshTime), now
		g.Access = append(g.Access[max(0, len(g.Access)-1):], keys.Accessor{Hash: access.Hash(), Until: now.Add(accessTime)})
		after = *g
		return record.Grants, nil
	})
	switch {
	case err != nil:
		return answer{}, err
	case ended:
		s.cfg.Logger.WarnContext(r.Context(), "a code or refresh token was used twice: the login was ended", "key", record.ID, "grant", after.ID, "client", after.Client)
		return answer{}, errors.Join(errUnknown, s.cfg.Record(r.Context(), byClient(r, record.ID, &after), "oauth/replay", after.ID))
	case wrong != nil:
		return answer{}, wrong
	case !after.Current.Equal(hashOf(next)):
		return answer{}, errUnknown // it had expired
	}
	return s.answerOf(&record, access, next), nil
}

// unknown delays a client that may be guessing, and returns the error.
func (s *Server) unknown(r *http.Request) *oauthError {
	if !s.cfg.Auth.Guessed(r) {
		return &oauthError{"temporarily_unavailable", "too many failed attempts from this address", http.StatusTooManyRequests}
	}
	return errUnknown
}

// answerOf returns the answer with tokens of a key.
func (s *Server) answerOf(record *keys.Record, access keys.Token, refresh string) answer {
	life := accessTime
	if !record.Expires.IsZero() {
		life = min(life, record.Expires.Sub(s.cfg.Now()))
	}
	scopes := make([]string, len(record.Scopes))
	for i, scope := range record.Scopes {
		scopes[i] = string(scope)
	}
	return answer{Access: access.Reveal(), Type: "Bearer", Expires: int64(life.Seconds()), Refresh: refresh, Scope: strings.Join(scopes, " ")}
}

// checkCode checks what belongs to a code: the client, the redirect, the verifier (RFC 7636,
// section 4.6) and the resource.
func checkCode(g *keys.Grant, r *http.Request) *oauthError {
	form := r.PostForm
	sum := sha256.Sum256([]byte(form.Get("code_verifier")))
	switch {
	case g.Challenge == "":
		return invalidGrant("this is no code")
	case !same(clientOf(r), g.Client):
		return invalidGrant("the code was made for another client")
	case form.Has("redirect_uri") && form.Get("redirect_uri") != g.Redirect:
		return invalidGrant("the redirect_uri is not that of the authorization request")
	case !same(base64.RawURLEncoding.EncodeToString(sum[:]), g.Challenge):
		return invalidGrant("the code_verifier does not fit the code_challenge")
	}
	return checkResource(form["resource"], g.Resource)
}

// checkRefresh checks what belongs to a refresh token.
func checkRefresh(g *keys.Grant, r *http.Request) *oauthError {
	switch {
	case g.Challenge != "":
		return invalidGrant("this is no refresh token")
	case !same(clientOf(r), g.Client):
		return invalidGrant("the refresh token was made for another client")
	}
	return checkResource(r.PostForm["resource"], g.Resource)
}

// clientOf returns the client_id of a request, of the form or of the header.
func clientOf(r *http.Request) string {
	if id, _, ok := r.BasicAuth(); ok {
		if plain, err := url.QueryUnescape(id); err == nil { // RFC 6749, section 2.3.1
			return plain
		}
	}
	return r.PostForm.Get("client_id")
}

// forKey returns an access token for an agent without a person (RFC 6749, section 4.4): its
// client_id is the id of a key and its client_secret the key.
func (s *Server) forKey(w http.ResponseWriter, r *http.Request) (answer, error) {
	secret := r.PostForm.Get("client_secret")
	if _, password, ok := r.BasicAuth(); ok {
		secret = password
	}
	token, err := keys.ParseToken(secret)
	if err == nil && !token.Kind().IsKey() {
		secret = ""
	}
	caller, refused := s.cfg.Auth.Authenticate(http.Header{}, bearer.WithKey(r, secret))
	if refused == nil {
		refused = s.cfg.Auth.Charge(r.Context(), w.Header(), &caller, host.BaselineRevision(), streamable.Bill{Handshakes: 1})
	}
	switch {
	case refused != nil && refused.Status == http.StatusServiceUnavailable:
		return answer{}, errors.New(refused.Reason())
	case refused != nil:
		return answer{}, &oauthError{"invalid_client", refused.Reason(), refused.Status}
	case clientOf(r) != caller.Principal.ID:
		return answer{}, &oauthError{"invalid_client", "client_id must be the id of the key that is the client_secret", http.StatusUnauthorized}
	}
	resource := s.resource(r)
	if err := checkResource(r.PostForm["resource"], resource); err != nil {
		return answer{}, err
	}
	return s.lend(r.Context(), caller.Principal.ID, token, resource)
}

// lend returns an access token for the holder of a key. All of a resource belong to one grant,
// and are not renewed.
func (s *Server) lend(ctx context.Context, id string, key keys.Token, resource string) (answer, error) {
	access := keys.NewToken(keys.Access)
	record, err := s.cfg.Store.ChangeGrants(ctx, id, func(record keys.Record) ([]keys.Grant, error) {
		now := s.cfg.Now()
		if record.Inactive(now) || !record.Hash.Equal(key.Hash()) && !record.Previous.Equal(key.Hash()) {
			return nil, errUnknown
		}
		i := slices.IndexFunc(record.Grants, func(g keys.Grant) bool { return g.Client == id && g.Resource == resource })
		if i < 0 {
			i = len(record.Grants)
			record.Grants = append(record.Grants, keys.Grant{ID: keys.NewGrantID(), Client: id, Name: "client credentials", Resource: resource, Created: now})
		}
		g := &record.Grants[i]
		g.Used = now
		g.Access = append(g.Access, keys.Accessor{Hash: access.Hash(), Until: now.Add(accessTime)})
		return record.Grants, nil
	})
	if err != nil {
		return answer{}, err
	}
	return s.answerOf(&record, access, ""), nil
}
