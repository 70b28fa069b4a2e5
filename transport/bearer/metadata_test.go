package bearer_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/triptych-mcp/triptych/transport/bearer"
)

// The description is that of RFC 9728, section 2.
func TestResource(t *testing.T) {
	r, err := bearer.NewResource("https://mcp.example.com/mcp", "https://login.example.com/realm", published...)
	if err != nil {
		t.Fatal(err)
	}
	answer := httptest.NewRecorder()
	r.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/", http.NoBody))
	var got struct {
		Resource string   `json:"resource"`
		Servers  []string `json:"authorization_servers"`
		Scopes   []string `json:"scopes_supported"`
		Methods  []string `json:"bearer_methods_supported"`
	}
	if err := json.Unmarshal(answer.Body.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got.Resource != "https://mcp.example.com/mcp" || !slices.Equal(got.Servers, []string{"https://login.example.com/realm"}) ||
		!slices.Equal(got.Methods, []string{"header"}) || !slices.Contains(got.Scopes, "audit:read") || len(got.Scopes) != len(published) {
		t.Errorf("description %+v", got)
	}
	if kind := answer.Header().Get("Content-Type"); answer.Code != 200 || kind != "application/json" {
		t.Errorf("status %d, Content-Type %s", answer.Code, kind)
	}
	if allowed := answer.Header().Get("Access-Control-Allow-Origin"); allowed != "*" {
		t.Errorf("pages may not read it: %q", allowed)
	}
	answer = httptest.NewRecorder()
	r.ServeHTTP(answer, httptest.NewRequest(http.MethodPost, "/", http.NoBody))
	if answer.Code != 405 || answer.Header().Get("Allow") == "" {
		t.Errorf("POST: %d, Allow %q", answer.Code, answer.Header().Get("Allow"))
	}
}

// The well-known path stands between the host and the path (RFC 9728, section
// 3.1, whose example the third is).
func TestMetadataURL(t *testing.T) {
	tests := map[string]string{
		"https://mcp.example.com/mcp":            "https://mcp.example.com/.well-known/oauth-protected-resource/mcp",
		"https://mcp.example.com:8443/mcp":       "https://mcp.example.com:8443/.well-known/oauth-protected-resource/mcp",
		"https://resource.example.com/resource1": "https://resource.example.com/.well-known/oauth-protected-resource/resource1",
		"https://resource.example.com":           "https://resource.example.com/.well-known/oauth-protected-resource",
	}
	for resource, want := range tests {
		r, err := bearer.NewResource(resource, "https://login.example.com")
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Metadata(); got != want {
			t.Errorf("%s: %s, want %s", resource, got, want)
		}
	}
	for _, resource := range []string{"", "my-api", "/mcp", "urn:mcp", "ftp://example.com/mcp", "https:///mcp", "https://example.com/mcp#x", "https://u:p@example.com/mcp", "https://exa mple.com"} {
		if _, err := bearer.NewResource(resource, "https://login.example.com"); err == nil {
			t.Errorf("%q was taken", resource)
		}
	}
}
