package oauth_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/transport/oauth"
)

// claudeRequests are the requests of a connector of claude.ai, in their order, as operators of
// servers have recorded them (anthropics/claude-ai-mcp#680, #155 and #76). {…} is filled in.
// Between the metadata and the token, the browser is sent to the page.
const (
	claudeInitialize = `{"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"Anthropic","version":"1.0.0"}},"jsonrpc":"2.0","id":1}`
	claudeAgent      = "python-httpx/0.28.1"
	claudeAuthorize  = "/oauth/authorize?response_type=code&client_id={client}&redirect_uri=https%3A%2F%2Fclaude.ai%2Fapi%2Fmcp%2Fauth_callback" +
		"&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256&state=a-state-of-claude&scope=rulesets%3Aread+rulesets%3Awrite&resource=https%3A%2F%2Fmcp.example%2Fmcp"
	claudeToken   = "grant_type=authorization_code&code={code}&redirect_uri=https%3A%2F%2Fclaude.ai%2Fapi%2Fmcp%2Fauth_callback&client_id={client}&code_verifier=" + verifier + "&resource=https%3A%2F%2Fmcp.example%2Fmcp"
	claudeRefresh = "grant_type=refresh_token&refresh_token={refresh}&client_id={client}&resource=https%3A%2F%2Fmcp.example%2Fmcp"
)

// A connector of claude.ai comes from nothing to a call, and to a new token.
func TestConnectorOfClaude(t *testing.T) {
	f := open(t)
	client := url.QueryEscape(oauth.KnownClients[0].ID)
	send := func(method, path, body string, headers ...string) (status int, answer string, header http.Header) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, f.one.URL+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("User-Agent", claudeAgent)
		r.Header.Set("Accept", "*/*")
		for i := 0; i < len(headers); i += 2 {
			r.Header.Set(headers[i], headers[i+1])
		}
		return do(t, r)
	}
	status, _, header := send(http.MethodPost, "/mcp", claudeInitialize, "Content-Type", "application/json")
	challenge := header.Get("WWW-Authenticate")
	if status != http.StatusUnauthorized || !strings.Contains(challenge, `resource_metadata="`+issuer+`/.well-known/oauth-protected-resource/mcp"`) {
		t.Fatalf("without a token: %d %s", status, challenge)
	}
	for path, want := range map[string]string{
		"/.well-known/oauth-protected-resource/mcp": `"authorization_servers":["` + issuer + `"]`,
		"/.well-known/oauth-authorization-server":   `"client_id_metadata_document_supported":true`,
	} {
		if status, body, header := send(http.MethodGet, path, ""); status != http.StatusOK || !strings.Contains(body, want) || header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
	page := f.shown(t, strings.ReplaceAll(claudeAuthorize, "{client}", client))
	if !strings.Contains(page, "<strong>Claude</strong> (of <strong>claude.ai</strong>)") || !strings.Contains(page, "is sent to <strong>claude.ai</strong>") {
		t.Errorf("the page: %s", page)
	}
	_, _, header = f.post(t, f.one, "/oauth/authorize", url.Values{"choice": {sealed(t, "choice", page)}, "do": {"allow"}})
	back, err := url.Parse(header.Get("Location"))
	if err != nil || back.Host != "claude.ai" || back.Path != "/api/mcp/auth_callback" || back.Query().Get("state") != "a-state-of-claude" || back.Query().Get("iss") != issuer {
		t.Fatalf("sent back to %s", back)
	}
	form := strings.NewReplacer("{client}", client, "{code}", url.QueryEscape(back.Query().Get("code"))).Replace(claudeToken)
	for range 2 {
		status, body, header := send(http.MethodPost, "/oauth/token", form, "Content-Type", "application/x-www-form-urlencoded")
		var got tokens
		if err := json.Unmarshal([]byte(body), &got); err != nil || status != http.StatusOK || got.Type != "Bearer" || got.Refresh == "" || header.Get("Cache-Control") != "no-store" {
			t.Fatalf("the token: %d %s", status, body)
		}
		status, body, _ = send(http.MethodPost, "/mcp", claudeInitialize, "Content-Type", "application/json", "Authorization", "Bearer "+got.Access, "User-Agent", "Claude-User")
		if status != http.StatusOK || body != f.record.ID+" Claude" {
			t.Errorf("with the token: %d %s", status, body)
		}
		form = strings.NewReplacer("{client}", client, "{refresh}", url.QueryEscape(got.Refresh)).Replace(claudeRefresh)
	}
}
