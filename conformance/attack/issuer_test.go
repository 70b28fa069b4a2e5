package attack_test

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"
)

// An issuer of access tokens, as small as can be.
type issuer struct {
	*httptest.Server
	key ed25519.PrivateKey
}

func issue(t *testing.T) *issuer {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	i := &issuer{key: key}
	mux := http.NewServeMux()
	mux.HandleFunc("/.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintf(w, `{"issuer":%q,"jwks_uri":%q}`, i.URL, i.URL+"/keys")
	})
	mux.HandleFunc("/keys", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintf(w, `{"keys":[{"kty":"OKP","crv":"Ed25519","kid":"1","x":%q}]}`, base64.RawURLEncoding.EncodeToString(key.Public().(ed25519.PublicKey)))
	})
	i.Server = httptest.NewServer(mux)
	t.Cleanup(i.Close)
	return i
}

// token is one that the issuer signed.
func (i *issuer) token(t *testing.T, audience, scope string, expires time.Time) string {
	t.Helper()
	part := func(v any) string {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return base64.RawURLEncoding.EncodeToString(text)
	}
	text := part(map[string]string{"alg": "EdDSA", "typ": "at+jwt", "kid": "1"}) + "." +
		part(map[string]any{"iss": i.URL, "aud": audience, "sub": "anna", "scope": scope, "exp": expires.Unix()})
	return text + "." + base64.RawURLEncoding.EncodeToString(ed25519.Sign(i.key, []byte(text)))
}

// Access tokens work beside keys, with their scopes and on the plan of the
// flags; what the issuer did not sign for this server does not.
func TestIssuer(t *testing.T) {
	const audience = "https://mcp.example.com/mcp"
	data, i := t.TempDir(), issue(t)
	_, own := key(t, data)
	s := start(t, data, "--oidc-issuer", i.URL, "--oidc-audience", audience, "--oidc-plan", "developer")
	later := time.Now().Add(time.Hour)
	c := s.client(t, i.token(t, audience, "openid debug:read", later), "", true)
	r := c.post(t, list)
	r.is(t, "a token", 200, 0)
	if names := toolNames(t, r); !slices.Contains(names, "debugger/quota_status") || slices.Contains(names, "create_ruleset") {
		t.Errorf("listed tools %v, want those of debug:read", names)
	}
	if r := c.post(t, tool("debugger/quota_status", "{}")); !strings.Contains(r.text, "Plan: Developer") || !strings.Contains(r.text, "Used: 2 / 10,000") {
		t.Errorf("quota_status: %s, want 2 of 10,000 of the plan Developer", r.text)
	}
	denied := c.post(t, create("by_token"))
	denied.is(t, "without the scope", 403, -32003)
	const metadata = `, resource_metadata="https://mcp.example.com/.well-known/oauth-protected-resource/mcp"`
	if got, want := denied.header.Get("WWW-Authenticate"), `Bearer realm="triptych", error="insufficient_scope", scope="rulesets:write"`+metadata; got != want {
		t.Errorf("WWW-Authenticate: %s, want %s", got, want)
	}
	s.client(t, own, "", true).post(t, list).is(t, "a key", 200, 0)
	s.client(t, i.token(t, "https://other.example.com", "debug:read", later), "", true).post(t, list).is(t, "another audience", 401, -32001)
	s.client(t, issue(t).token(t, audience, "debug:read", later), "", true).post(t, list).is(t, "another issuer", 401, -32001)
	s.client(t, i.token(t, audience, "debug:read", time.Now().Add(-time.Minute)), "", true).post(t, list).is(t, "an expired token", 401, -32010)
	absent(t, s, own, "by_token")
	i.Close()
	c.post(t, list).is(t, "the issuer is away, and its keys are known", 200, 0)
}
