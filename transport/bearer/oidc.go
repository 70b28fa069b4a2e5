package bearer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/sync/singleflight"

	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/transport/keys"
	"github.com/triptych-mcp/triptych/transport/quota"
)

// An OIDCConfig names the issuer and the audience of access tokens.
type OIDCConfig struct {
	// Issuer is the URL of the issuer, as it stands in its tokens.
	Issuer string
	// Audience must be among the audiences of each token: that of this server.
	Audience string
	// Plan and Limits apply to each owner of a token.
	Plan   quota.Plan
	Limits quota.Limits
	// Scopes are the scopes of the server. A token gives those that it names.
	Scopes []host.Scope
	// Rules gives owners of tokens keys by their groups, the first that fits. The rights of
	// the token do not matter then.
	Rules []GroupRule
	// TokenTypes are the accepted types of tokens, or [AnyTokenType]; empty
	// means at+jwt, the type of access tokens.
	TokenTypes []string
	// Client sends requests to the issuer; nil means one with short time-outs.
	Client *http.Client
	// Now is the clock; nil means [time.Now].
	Now func() time.Time
}

// A GroupRule gives those of a group, as the claim "groups" of their tokens names it, a key.
type GroupRule struct{ Group, Key string }

// keyFor returns the id of the key of the first rule for one of some groups, "" without one.
func keyFor(rules []GroupRule, groups []string) string {
	for _, rule := range rules {
		if slices.Contains(groups, rule.Group) {
			return rule.Key
		}
	}
	return ""
}

// An OIDC verifies access tokens that are signed JSON Web Tokens (RFC 9068). It asks the
// issuer for its keys when the first token comes, and again when they are old or a token
// names another. Until the issuer has answered once, no token is accepted.
type OIDC struct {
	cfg      OIDCConfig
	client   *http.Client
	finding  singleflight.Group
	verifier atomic.Pointer[oidc.IDTokenVerifier] // nil until the issuer was found
}

var _ Verifier = (*OIDC)(nil)

// NewOIDC returns a verifier. It does not contact the issuer yet, so a server starts
// while the issuer is down.
func NewOIDC(cfg OIDCConfig) *OIDC {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if len(cfg.TokenTypes) == 0 {
		cfg.TokenTypes = []string{accessTokenType}
	}
	if cfg.Client == nil {
		cfg.Client = &http.Client{Timeout: issuerTime, CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse // the issuer's documents are where it says
		}}
	}
	client := *cfg.Client
	client.Transport = &calm{next: cfg.Client.Transport, now: cfg.Now, last: map[string]time.Time{}}
	return &OIDC{cfg: cfg, client: &client}
}

const (
	// issuerTime bounds one request to the issuer.
	issuerTime = 5 * time.Second
	// askAgain is the time between two requests for one URL, so that a client with
	// bad tokens cannot make the server flood the issuer.
	askAgain = 5 * time.Second
	// keysFresh is the time for which the issuer's keys are used without a new fetch,
	// keysLast that when the issuer does not answer.
	keysFresh = time.Hour
	keysLast  = 24 * time.Hour
)

// asymmetric lists the accepted algorithms. With none and the symmetric ones, anyone
// with the public key could sign.
var asymmetric = []string{
	oidc.RS256, oidc.RS384, oidc.RS512, oidc.PS256, oidc.PS384, oidc.PS512, oidc.ES256, oidc.ES384, oidc.ES512, oidc.EdDSA,
}

// Verify implements [Verifier]. Issuer, audience, signature, expiry and the
// not-before time are checked, the last with five minutes of tolerance.
func (o *OIDC) Verify(ctx context.Context, token string) (Identity, error) {
	if !takesType(token, o.cfg.TokenTypes) {
		return Identity{}, &InvalidTokenError{Reason: "the token is no access token"}
	}
	verifier, err := o.find(ctx)
	if err != nil {
		return Identity{}, fmt.Errorf("asking the issuer: %w", err)
	}
	var away error
	checked, err := verifier.Verify(context.WithValue(ctx, awayKey{}, &away), token)
	if away != nil {
		return Identity{}, fmt.Errorf("asking the issuer for its keys: %w", away)
	}
	if err != nil {
		return Identity{}, invalidToken(err)
	}
	return o.identity(checked)
}

// find discovers the issuer (OpenID Connect Discovery, section 4), once, and returns its
// verifier. All requests that wait for it share one look-up; one that is cancelled leaves
// the others waiting. After a failure the next request tries again.
func (o *OIDC) find(ctx context.Context) (*oidc.IDTokenVerifier, error) {
	if found := o.verifier.Load(); found != nil {
		return found, nil
	}
	asked := o.finding.DoChan("", func() (any, error) {
		if found := o.verifier.Load(); found != nil {
			return found, nil
		}
		forAll := oidc.ClientContext(context.Background(), o.client) // other requests wait for it, too, and use it later
		provider, err := oidc.NewProvider(forAll, o.cfg.Issuer)
		if err != nil {
			return nil, err
		}
		found, err := o.verify(provider)
		o.verifier.Store(found)
		return found, err
	})
	select {
	case result := <-asked:
		found, _ := result.Val.(*oidc.IDTokenVerifier)
		return found, result.Err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// verify returns the verifier for a discovered issuer.
func (o *OIDC) verify(provider *oidc.Provider) (*oidc.IDTokenVerifier, error) {
	var said struct {
		Keys string `json:"jwks_uri"`
	}
	if err := provider.Claims(&said); err != nil {
		return nil, err
	}
	if said.Keys == "" {
		return nil, errors.New("the issuer does not say where its keys are")
	}
	set := &keySet{client: o.client, url: said.Keys, now: o.cfg.Now}
	return oidc.NewVerifier(o.cfg.Issuer, set, &oidc.Config{
		ClientID: o.cfg.Audience, SupportedSigningAlgs: asymmetric, Now: o.cfg.Now,
	}), nil
}

// maxSubject is the length that OpenID Connect Core, section 2, allows.
const maxSubject = 255

// identity returns the owner of a verified token. It refuses a token without a subject,
// and one with a subject that could not be written to logs and headers as it is.
func (o *OIDC) identity(token *oidc.IDToken) (Identity, error) {
	var claims struct {
		Scope words `json:"scope"` // RFC 9068
		Scp   words `json:"scp"`   // some issuers use this instead

		Groups json.RawMessage `json:"groups"`
	}
	if err := token.Claims(&claims); err != nil {
		return Identity{}, &InvalidTokenError{Reason: "the scopes of the access token cannot be read"}
	}
	var groups words
	_ = json.Unmarshal(claims.Groups, &groups) // issuers have other forms, which no rule fits
	outside := func(r rune) bool { return r < '!' || r > '~' }
	if s := token.Subject; s == "" || len(s) > maxSubject || strings.ContainsFunc(s, outside) {
		return Identity{}, &InvalidTokenError{Reason: "the access token does not say whose it is"}
	}
	return Identity{
		ID: "oidc:" + token.Subject, Scopes: o.known(append(claims.Scope, claims.Scp...)),
		Plan: o.cfg.Plan, Limits: o.cfg.Limits, Expires: token.Expiry,
		Key: keyFor(o.cfg.Rules, groups),
	}, nil
}

// known returns the named scopes that the server has; others are meant for other servers
// and ignored. None implies another. The result is never nil.
func (o *OIDC) known(names []string) []host.Scope {
	scopes := []host.Scope{}
	for _, name := range names {
		if scope, err := keys.ParseScope(name, o.cfg.Scopes); err == nil {
			scopes = append(scopes, scope)
		}
	}
	return scopes
}
