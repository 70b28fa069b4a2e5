package bearer_test

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/transport/bearer"
	"github.com/triptych-mcp/triptych/transport/keys"
	"github.com/triptych-mcp/triptych/transport/quota"
	"github.com/triptych-mcp/triptych/transport/streamable"
)

const (
	audience = "https://mcp.example.com/mcp"
	metadata = "https://mcp.example.com/.well-known/oauth-protected-resource/mcp"
)

// buildOIDC returns a fixture that accepts the tokens of an issuer.
func buildOIDC(t *testing.T, i *issuer) *fixture {
	t.Helper()
	var h *fixture
	h = build(t, func(c *bearer.Config) {
		c.Metadata = metadata
		c.Tokens = bearer.NewOIDC(bearer.OIDCConfig{
			Issuer: i.URL, Audience: audience, Plan: quota.Team, Limits: quota.Team.Limits(quota.Limits{}),
			Client: i.Client(), Scopes: published, Now: func() time.Time { return h.now },
		})
	})
	return h
}

// good are the claims of a good token.
func (i *issuer) good() claims {
	return claims{
		"iss": i.URL, "aud": audience, "sub": "f7c1", "client_id": "cli", "jti": "1",
		"iat": noon.Add(-time.Minute).Unix(), "exp": noon.Add(time.Hour).Unix(), "scope": "openid rulesets:read aoc:read",
	}
}

// token is a token with RS256.
func (i *issuer) token(t *testing.T, c claims) string {
	t.Helper()
	return jwt(t, rs256, c, byRSA(i.rsa))
}

var rs256 = map[string]any{"alg": "RS256", "typ": "at+jwt", "kid": "rsa"}

// show authenticates with a token, each time from another network, so that no
// answer is delayed.
func (h *fixture) show(token string) (host.Caller, http.Header, *streamable.Refusal) {
	header := http.Header{}
	h.mu.Lock()
	h.visits++
	from := fmt.Sprintf("[2001:db8:%x:%x::1]:1", h.visits>>8, h.visits&0xff)
	h.mu.Unlock()
	caller, refused := h.Authenticate(header, visit(from, "Bearer "+token))
	return caller, header, refused
}

func TestAccessTokens(t *testing.T) {
	i := issue(t)
	h := buildOIDC(t, i)
	two := []host.Scope{"rulesets:read", "aoc:read"}
	tests := []struct {
		name   string
		token  string
		scopes []host.Scope
	}{
		{"RS256", i.token(t, i.good()), two},
		{"ES256", jwt(t, map[string]any{"alg": "ES256", "typ": "at+jwt", "kid": "ec"}, i.good(), byEC(i.ec)), two},
		{"EdDSA", jwt(t, map[string]any{"alg": "EdDSA", "typ": "application/AT+JWT", "kid": "ed"}, i.good(), byEd(i.ed)), two},
		{"no kid", jwt(t, map[string]any{"alg": "RS256", "typ": "at+jwt"}, i.good(), byRSA(i.rsa)), two},
		{"several audiences", i.token(t, i.good().with("aud", []string{"https://other.example.com", audience})), two},
		{"scp as a list", i.token(t, i.good().with("scope", nil).with("scp", []string{"aoc:write", "offline_access"})), []host.Scope{"aoc:write"}},
		{"scp as a line", i.token(t, i.good().with("scope", nil).with("scp", "aoc:write")), []host.Scope{"aoc:write"}},
		{"scope as a list", i.token(t, i.good().with("scope", []string{"aoc:write"})), []host.Scope{"aoc:write"}},
		{"no scope of ours", i.token(t, i.good().with("scope", "openid email admin *")), nil},
		{"no scope", i.token(t, i.good().with("scope", nil)), nil},
		{"a broad scope gives no narrow one", i.token(t, i.good().with("scope", "rulesets:write rulesets:* rulesets")), []host.Scope{"rulesets:write"}},
		{"not before a moment from now: clocks differ", i.token(t, i.good().with("nbf", noon.Add(time.Minute).Unix())), two},
		{"the last second", i.token(t, i.good().with("exp", noon.Unix())), two},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			caller, _, refused := h.show(tc.token)
			if refused != nil {
				t.Fatalf("refused with %d: %s", refused.Status, refused.Error.Data)
			}
			if got := caller.Principal; got.ID != "oidc:f7c1" || got.Scopes == nil || !slices.Equal(got.Scopes, tc.scopes) {
				t.Errorf("principal %s with %#v, want oidc:f7c1 with %v", got.ID, got.Scopes, tc.scopes)
			}
		})
	}
	standing, ok := bearer.StandingOf(mustCaller(t, h, i.token(t, i.good())).Principal)
	want := bearer.Standing{Plan: quota.Team, Limits: quota.Limits{Month: 100_000, Minute: 300}, Expires: noon.Add(time.Hour)}
	if !ok || standing.Plan != want.Plan || standing.Limits != want.Limits || !standing.Expires.Equal(want.Expires) {
		t.Errorf("standing %+v, want %+v", standing, want)
	}
}

func mustCaller(t *testing.T, h *fixture, token string) host.Caller {
	t.Helper()
	caller, _, refused := h.show(token)
	if refused != nil {
		t.Fatalf("refused with %d: %s", refused.Status, refused.Error.Data)
	}
	return caller
}

func TestBadAccessTokens(t *testing.T) {
	i := issue(t)
	h := buildOIDC(t, i)
	stranger, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	evil := issue(t) // signs for itself
	swapped := strings.Split(i.token(t, i.good()), ".")
	swapped[1] = strings.Split(i.token(t, i.good().with("scope", "audit:read")), ".")[1]
	head := func(pairs ...any) map[string]any {
		h := map[string]any{"alg": "RS256", "typ": "at+jwt", "kid": "rsa"}
		for i := 0; i < len(pairs); i += 2 {
			h[pairs[i].(string)] = pairs[i+1]
		}
		return h
	}
	tests := []struct {
		name, token string
		code        int // -32001 where it is 0
	}{
		{"no signature", jwt(t, head("alg", "none"), i.good(), byNobody), 0},
		{"no signature, spelt otherwise", jwt(t, head("alg", "nOnE"), i.good(), byNobody), 0},
		{"signed with the public key", jwt(t, head("alg", "HS256"), i.good(), byPublicKey(&i.rsa.PublicKey)), 0},
		{"a signature of nobody", jwt(t, head(), i.good(), byRSA(stranger)), 0},
		{"a key of nobody", jwt(t, head("kid", "stranger"), i.good(), byRSA(stranger)), 0},
		{"a key that it brings along", jwt(t, head("kid", "stranger", "jwk", rsaKey("stranger", &stranger.PublicKey)), i.good(), byRSA(stranger)), 0},
		{"a key that it points to", jwt(t, head("jku", evil.URL+"/keys"), i.good(), byRSA(evil.rsa)), 0},
		{"something critical that nobody knows", jwt(t, head("crit", []string{"exp2"}, "exp2", 1), i.good(), byRSA(i.rsa)), 0},
		{"other claims", strings.Join(swapped, "."), 0},
		{"an empty signature", swapped[0] + "." + swapped[1] + ".", 0},
		{"another issuer", i.token(t, i.good().with("iss", evil.URL)), 0},
		{"the issuer with a slash", i.token(t, i.good().with("iss", i.URL+"/")), 0},
		{"no issuer", i.token(t, i.good().with("iss", nil)), 0},
		{"another audience", i.token(t, i.good().with("aud", "https://other.example.com")), 0},
		{"an audience that begins like ours", i.token(t, i.good().with("aud", audience+"/")), 0},
		{"no audience", i.token(t, i.good().with("aud", nil)), 0},
		{"expired", i.token(t, i.good().with("exp", noon.Add(-time.Second).Unix())), -32010},
		{"no expiry", i.token(t, i.good().with("exp", nil)), -32010},
		{"not yet", i.token(t, i.good().with("nbf", noon.Add(10*time.Minute).Unix())), 0},
		{"nobody's", i.token(t, i.good().with("sub", nil)), 0},
		{"of somebody with a newline", i.token(t, i.good().with("sub", "a\nb")), 0},
		{"of somebody with a long name", i.token(t, i.good().with("sub", strings.Repeat("a", 256))), 0},
		{"scopes that are numbers", i.token(t, i.good().with("scope", 7)), 0},
		{"an ID token", jwt(t, head("typ", "JWT"), i.good(), byRSA(i.rsa)), 0},
		{"no type", jwt(t, head("typ", nil), i.good(), byRSA(i.rsa)), 0},
		{"a type that is none", jwt(t, head("typ", 7), i.good(), byRSA(i.rsa)), 0},
		{"rubbish", "a.b.c", 0},
		{"dots", "..", 0},
		{"four parts", i.token(t, i.good()) + ".x", 0},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			_, header, refused := h.show(tc.token)
			if refused == nil {
				t.Fatal("let in")
			}
			code := tc.code
			if code == 0 {
				code = -32001
			}
			if refused.Status != http.StatusUnauthorized || int(refused.Error.Code) != code {
				t.Errorf("got %d with %d, want 401 with %d", refused.Status, refused.Error.Code, code)
			}
			for _, inside := range []string{i.URL, "Get ", "jwks", "m=+", "oidc:", "moment ago", "crypto/"} {
				if strings.Contains(string(refused.Error.Data), inside) {
					t.Errorf("the client is told %s, which has %q", refused.Error.Data, inside)
				}
			}
			want := `Bearer realm="triptych", error="invalid_token", resource_metadata="` + metadata + `"`
			if got := header.Get("WWW-Authenticate"); got != want {
				t.Errorf("WWW-Authenticate: %s, want %s", got, want)
			}
		})
	}
	if n := evil.questions("/keys"); n > 0 {
		t.Errorf("the stranger was asked for keys %d times", n)
	}
	if n := i.questions("/keys"); n > 3 {
		t.Errorf("the issuer was asked for keys %d times, want hardly ever", n)
	}
}

// TestTokenTypes takes the types that the issuer is known to send.
func TestTokenTypes(t *testing.T) {
	i := issue(t)
	for _, tt := range []struct {
		types []string
		typ   any
		want  bool
	}{
		{nil, "at+jwt", true},
		{nil, "JWT", false},
		{[]string{"jwt"}, "JWT", true},
		{[]string{"JWT"}, "at+jwt", false},
		{[]string{"at+jwt", "JWT"}, "application/jwt", true},
		{[]string{bearer.AnyTokenType}, nil, true},
	} {
		verifier := bearer.NewOIDC(bearer.OIDCConfig{
			Issuer: i.URL, Audience: audience, Plan: quota.Free, Client: i.Client(), Scopes: published, TokenTypes: tt.types,
			Now: func() time.Time { return noon },
		})
		token := jwt(t, map[string]any{"alg": "RS256", "typ": tt.typ, "kid": "rsa"}, i.good(), byRSA(i.rsa))
		if _, err := verifier.Verify(t.Context(), token); (err == nil) != tt.want {
			t.Errorf("of types %q, %v is taken: %v, want %v", tt.types, tt.typ, err, tt.want)
		}
	}
}

// Without credentials, clients learn where to get some.
func TestMetadataInChallenge(t *testing.T) {
	h := buildOIDC(t, issue(t))
	header := http.Header{}
	h.Authenticate(header, visit(local))
	if got, want := header.Get("WWW-Authenticate"), `Bearer realm="triptych", resource_metadata="`+metadata+`"`; got != want {
		t.Errorf("WWW-Authenticate: %s, want %s", got, want)
	}
}

// An issuer that is away is no reason to refuse anybody: the answer is to come
// back. What is known already goes on working.
func TestIssuerAway(t *testing.T) {
	i := issue(t)
	i.leaves(true)
	h := buildOIDC(t, i)
	token := i.token(t, i.good().with("exp", noon.Add(100*time.Hour).Unix()))
	status := func(want int, when string) {
		t.Helper()
		_, header, refused := h.show(token)
		got := 200
		if refused != nil {
			got = refused.Status
		}
		if got != want {
			t.Errorf("%s: %d, want %d", when, got, want)
		}
		if got == 503 && (header.Get("Retry-After") != "1" || header.Get("WWW-Authenticate") != "" || refused.Error.Code != -32603) {
			t.Errorf("%s: headers %v and code %d, want Retry-After and -32603", when, header, refused.Error.Code)
		}
	}
	for range 50 {
		status(503, "at first")
	}
	if n := i.questions("/.well-known/openid-configuration"); n != 1 {
		t.Errorf("asked %d times within a moment, want once", n)
	}
	i.leaves(false)
	h.now = h.now.Add(5 * time.Second)
	status(200, "when it is back")
	i.leaves(true)
	h.now = h.now.Add(59 * time.Minute)
	status(200, "away, with keys that are fresh")
	h.now = h.now.Add(20 * time.Hour)
	status(200, "away, with keys that are old")
	h.now = h.now.Add(4 * time.Hour)
	status(503, "away, with keys that are too old")
	i.leaves(false)
	h.now = h.now.Add(5 * time.Second)
	status(200, "back again")
}

// Keys that the issuer takes into use work at once, those that it withdraws
// stop within an hour.
func TestIssuerChangesKeys(t *testing.T) {
	i := issue(t)
	h := buildOIDC(t, i)
	day := noon.Add(24 * time.Hour).Unix()
	old := i.token(t, i.good().with("exp", day))
	mustCaller(t, h, old)
	next, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	i.shows("next", rsaKey("next", &next.PublicKey))
	i.withdraws("rsa")
	h.now = h.now.Add(5 * time.Second)
	mustCaller(t, h, jwt(t, map[string]any{"alg": "RS256", "typ": "at+jwt", "kid": "next"}, i.good().with("exp", day), byRSA(next)))
	h.now = h.now.Add(time.Hour)
	if _, _, refused := h.show(old); refused == nil || refused.Status != http.StatusUnauthorized {
		t.Errorf("a key that was withdrawn: %+v, want 401", refused)
	}
}

// The first tokens come together; the issuer is asked once.
func TestIssuerAskedOnce(t *testing.T) {
	i := issue(t)
	h := buildOIDC(t, i)
	token := i.token(t, i.good())
	var wg sync.WaitGroup
	for range 32 {
		wg.Go(func() {
			if _, _, refused := h.show(token); refused != nil {
				t.Errorf("refused with %d: %s", refused.Status, refused.Error.Data)
			}
		})
	}
	wg.Wait()
	mustCaller(t, h, token)
	for _, path := range []string{"/.well-known/openid-configuration", "/keys"} {
		if n := i.questions(path); n != 1 {
			t.Errorf("%s was asked for %d times, want once", path, n)
		}
	}
}

// A stream that a token opened ends with the token.
func TestAdmitsUntilExpiry(t *testing.T) {
	i := issue(t)
	h := buildOIDC(t, i)
	caller := mustCaller(t, h, i.token(t, i.good()))
	for after, want := range map[time.Duration]bool{0: true, time.Hour - time.Second: true, time.Hour: false} {
		h.now = noon.Add(after)
		if got := h.Valid(t.Context(), &caller); got != want {
			t.Errorf("after %v: %v, want %v", after, got, want)
		}
	}
}

// A person of a group that has a rule gets the key of the rule: its rights, its quota and its
// end. Others have the rights of their tokens.
func TestGroupRules(t *testing.T) {
	i := issue(t)
	var h *fixture
	h = build(t, func(c *bearer.Config) {
		c.Get = func(ctx context.Context, id string) (keys.Record, error) { return h.keys.Get(ctx, id) }
	})
	record, _, err := h.keys.Create(t.Context(), keys.Live, keys.Settings{Name: "writers", Scopes: []host.Scope{"rulesets:write"}})
	if err != nil {
		t.Fatal(err)
	}
	h.Authenticator = bearer.New(bearer.Config{
		Ring: h.keys, Meter: h.meter, Now: func() time.Time { return h.now }, Get: h.keys.Get,
		Tokens: bearer.NewOIDC(bearer.OIDCConfig{
			Issuer: i.URL, Audience: audience, Plan: quota.Team, Client: i.Client(), Scopes: published, Now: func() time.Time { return h.now },
			Rules: []bearer.GroupRule{{"gone", "key_0000000000"}, {"writers", record.ID}},
		}),
	})
	claim := func(groups any) claims {
		c := i.good()
		c["groups"] = groups
		return c
	}
	caller, _, refused := h.show(i.token(t, claim([]string{"all", "writers"})))
	if refused != nil || caller.Principal.ID != record.ID || caller.Principal.Client != "oidc:f7c1" || !slices.Equal(caller.Principal.Scopes, record.Scopes) {
		t.Fatalf("%+v, %+v", caller.Principal, refused)
	}
	if !h.Valid(t.Context(), &caller) {
		t.Error("the caller is not valid")
	}
	if other, _, refused := h.show(i.token(t, claim([]string{"all"}))); refused != nil || other.Principal.ID != "oidc:f7c1" {
		t.Errorf("another group: %+v, %+v", other.Principal, refused)
	}
	if other, _, refused := h.show(i.token(t, claim([]any{map[string]string{"name": "writers"}}))); refused != nil || other.Principal.ID != "oidc:f7c1" {
		t.Errorf("groups of another form: %+v, %+v", other.Principal, refused)
	}
	if _, _, refused := h.show(i.token(t, claim([]string{"gone"}))); refused == nil || refused.Status != http.StatusUnauthorized {
		t.Errorf("a rule without a key: %+v", refused)
	}
	if _, err := h.keys.Revoke(t.Context(), record.ID); err != nil {
		t.Fatal(err)
	}
	if h.Valid(t.Context(), &caller) {
		t.Error("the caller is valid after the key was revoked")
	}
	if _, _, refused := h.show(i.token(t, claim([]string{"writers"}))); refused == nil || refused.Status != http.StatusUnauthorized {
		t.Errorf("the key was revoked: %+v", refused)
	}
}
