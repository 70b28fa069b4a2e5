package oauth_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/transport/keys"
)

// A client gets from a 401 to a call, and on for longer than an access token works, at any
// server of the store.
func TestLogin(t *testing.T) {
	f := open(t)
	client := f.register(t, "http://127.0.0.1/callback")
	got := f.login(t, client)
	if got.Type != "Bearer" || got.Expires != 3600 || got.Scope != "rulesets:read rulesets:write" {
		t.Errorf("tokens %+v", got)
	}
	if status, caller := f.call(t, f.two, got.Access); status != http.StatusOK || caller != f.record.ID+" An editor" {
		t.Errorf("a call: %d %s", status, caller)
	}
	f.pass(time.Hour)
	if status, _ := f.call(t, f.two, got.Access); status != http.StatusUnauthorized {
		t.Errorf("an access token works after an hour: %d", status)
	}
	again, status := f.ask(t, f.two, refresh(client, got.Refresh))
	if status != http.StatusOK || again.Access == got.Access || again.Refresh == got.Refresh {
		t.Fatalf("refreshed: %d %+v", status, again)
	}
	if status, _ := f.call(t, f.one, again.Access); status != http.StatusOK {
		t.Errorf("a call with the new token: %d", status)
	}
	if f.pass(31 * 24 * time.Hour); true {
		if _, status := f.ask(t, f.one, refresh(client, again.Refresh)); status != http.StatusBadRequest {
			t.Errorf("a refresh token works after a month without use: %d", status)
		}
	}
	if want := "oauth/allow " + f.record.ID + " An editor"; len(f.recorded) != 1 || f.recorded[0] != want {
		t.Errorf("recorded %q, want %q", f.recorded, want)
	}
}

// The metadata are there at and below the well-known paths.
func TestMetadata(t *testing.T) {
	f := open(t)
	for _, path := range []string{
		"/.well-known/oauth-authorization-server", "/.well-known/oauth-authorization-server/mcp", "/.well-known/oauth-authorization-server/team/a",
		"/.well-known/openid-configuration", "/.well-known/openid-configuration/mcp", "/mcp/.well-known/openid-configuration",
	} {
		status, body, header := f.get(t, f.one, path)
		var got struct {
			Issuer    string   `json:"issuer"`
			Authorize string   `json:"authorization_endpoint"`
			Token     string   `json:"token_endpoint"`
			Register  string   `json:"registration_endpoint"`
			PKCE      []string `json:"code_challenge_methods_supported"`
			Iss       bool     `json:"authorization_response_iss_parameter_supported"`
			Documents bool     `json:"client_id_metadata_document_supported"`
		}
		if err := json.Unmarshal([]byte(body), &got); err != nil || status != http.StatusOK {
			t.Fatalf("%s: %d %s", path, status, body)
		}
		if got.Issuer != issuer || got.Authorize != issuer+"/oauth/authorize" || got.Token != issuer+"/oauth/token" || got.Register != issuer+"/oauth/register" ||
			len(got.PKCE) != 1 || got.PKCE[0] != "S256" || !got.Iss || !got.Documents || header.Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("%s: %+v", path, got)
		}
	}
	for _, path := range []string{"/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-protected-resource/team/mcp"} {
		if status, body, _ := f.get(t, f.one, path); status != http.StatusOK || !strings.Contains(body, `"authorization_servers":["`+issuer+`"]`) || !strings.Contains(body, `"resource":"`+resource+`"`) {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, f.one.URL+"/mcp", nil)
	if err != nil {
		t.Fatal(err)
	}
	if status, _, header := do(t, r); status != http.StatusUnauthorized || header.Get("WWW-Authenticate") != `Bearer realm="triptych", resource_metadata="`+issuer+`/.well-known/oauth-protected-resource/mcp"` {
		t.Errorf("a call without a token: %d %v", status, header)
	}
}

// The page says who asks for what, and where it goes; it runs nothing and is in no frame.
func TestPage(t *testing.T) {
	f := open(t)
	client := f.register(t, "http://127.0.0.1/callback")
	_, body, header := f.get(t, f.one, request(client))
	for _, policy := range []string{"default-src 'none'", "frame-ancestors 'none'", "form-action 'self' http://127.0.0.1:33418"} {
		if !strings.Contains(header.Get("Content-Security-Policy"), policy) {
			t.Errorf("the policy %q lacks %s", header.Get("Content-Security-Policy"), policy)
		}
	}
	if header.Get("X-Frame-Options") != "DENY" || header.Get("Referrer-Policy") != "no-referrer" || strings.Contains(body, "<script") {
		t.Errorf("the page %v %s", header, body)
	}
	if set := header.Get("Set-Cookie"); !strings.HasPrefix(set, "__Host-") || !strings.Contains(set, "HttpOnly; Secure; SameSite=Lax") {
		t.Errorf("the cookie %s", set)
	}
	page := f.shown(t, request(client))
	for _, want := range []string{"An editor", "ann (kdb_live_", "rulesets:read", "rulesets:write", "Free", "a program on your computer (127.0.0.1:33418)", "has chosen its name itself"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q: %s", want, page)
		}
	}
	if strings.Contains(page, f.key.Reveal()) {
		t.Error("the page has the key")
	}
	_, _, header = f.post(t, f.one, "/oauth/authorize", url.Values{"choice": {sealed(t, "choice", page)}, "do": {"refuse"}})
	if to := header.Get("Location"); !strings.HasPrefix(to, callback+"?error=access_denied") || !strings.Contains(to, "iss=https") {
		t.Errorf("refused: %s", to)
	}
	status, body, _ := f.get(t, f.one, request(client))
	if status != http.StatusOK {
		t.Fatal(body)
	}
	other := keys.NewToken(keys.Live)
	if status, body, _ = f.post(t, f.one, "/oauth/authorize", url.Values{"request": {sealed(t, "request", body)}, "key": {other.Reveal()}}); status != http.StatusUnauthorized || !strings.Contains(body, "the key is unknown") || strings.Contains(body, other.Reveal()) {
		t.Errorf("a wrong key: %d %s", status, body)
	}
}

// Revoking and rotating a key, and changing its rights, end its clients at once.
func TestKeyEnds(t *testing.T) {
	for name, change := range map[string]func(f *fixture) error{
		"revoke": func(f *fixture) error { _, err := f.keys.Revoke(t.Context(), f.record.ID); return err },
		"rotate": func(f *fixture) error {
			_, _, err := f.keys.Rotate(t.Context(), f.record.ID, time.Hour)
			return err
		},
		"scopes": func(f *fixture) error {
			_, err := f.keys.Update(t.Context(), f.record.ID, func(s *keys.Settings) error { s.Scopes = []host.Scope{"rulesets:read"}; return nil })
			return err
		},
	} {
		f := open(t)
		client := f.register(t, callback)
		got := f.login(t, client)
		page := f.shown(t, request(client))
		if err := change(f); err != nil {
			t.Fatal(err)
		}
		if status, _ := f.call(t, f.one, got.Access); status != http.StatusUnauthorized {
			t.Errorf("%s: a call: %d", name, status)
		}
		if _, status := f.ask(t, f.one, refresh(client, got.Refresh)); status != http.StatusBadRequest {
			t.Errorf("%s: refreshed: %d", name, status)
		}
		if name == "scopes" {
			continue
		}
		if status, _, header := f.post(t, f.one, "/oauth/authorize", url.Values{"choice": {sealed(t, "choice", page)}, "do": {"allow"}}); status == http.StatusSeeOther {
			t.Errorf("%s: a page from before allows: %s", name, header.Get("Location"))
		}
	}
}

// An agent gets an access token for its key, without a refresh token.
func TestClientCredentials(t *testing.T) {
	f := open(t)
	form := url.Values{"grant_type": {"client_credentials"}}
	got, status := f.ask(t, f.one, form, func(r *http.Request) { r.SetBasicAuth(f.record.ID, f.key.Reveal()) })
	if status != http.StatusOK || got.Refresh != "" || got.Expires != 3600 {
		t.Fatalf("%d %+v", status, got)
	}
	if status, caller := f.call(t, f.two, got.Access); status != http.StatusOK || caller != f.record.ID+" client credentials" {
		t.Errorf("a call: %d %s", status, caller)
	}
	for _, tc := range []struct{ id, secret string }{
		{f.record.ID, keys.NewToken(keys.Live).Reveal()}, {"key_0000000000", f.key.Reveal()}, {f.record.ID, got.Access}, {f.record.ID, ""},
	} {
		if got, status := f.ask(t, f.one, url.Values{"grant_type": {"client_credentials"}, "client_id": {tc.id}, "client_secret": {tc.secret}}); status != http.StatusUnauthorized || got.Error != "invalid_client" {
			t.Errorf("%.12s: %d %+v", tc.secret, status, got)
		}
	}
	for range 3 * keys.MaxAccess {
		if got, status = f.ask(t, f.one, form, func(r *http.Request) { r.SetBasicAuth(f.record.ID, f.key.Reveal()) }); status != http.StatusOK {
			break // more than the plan allows in a minute
		}
	}
	record, err := f.keys.Get(t.Context(), f.record.ID)
	if err != nil || len(record.Grants) != 1 || len(record.Grants[0].Access) > keys.MaxAccess {
		t.Errorf("grants %+v, %v", record.Grants, err)
	}
}
