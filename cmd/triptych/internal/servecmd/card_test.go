package servecmd

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/release"
	"github.com/triptych-mcp/triptych/transport/bearer"
	"github.com/triptych-mcp/triptych/transport/routes"
)

// The server card can be read from every origin without a key, and is revalidated
// by its tag.
func TestServerCard(t *testing.T) {
	s := &server{flags: &serveFlags{listen: "0.0.0.0:443", hosts: []string{"rules.example.com"}}}
	table := routes.New(routes.Config{Routes: s.cardRoutes(release.Program{Version: "1.2.3", Description: "d"}), Hosts: s.flags.hosts})
	get := func(path, tag, method string) *http.Response {
		request := httptest.NewRequest(method, "https://rules.example.com"+path, nil)
		request.Header.Set("If-None-Match", tag)
		answer := httptest.NewRecorder()
		table.ServeHTTP(answer, request)
		return answer.Result()
	}
	for path, mediaType := range map[string]string{
		"/mcp/server-card":                  "application/mcp-server-card+json",
		"/.well-known/mcp/server-card.json": "application/mcp-server-card+json",
		"/.well-known/ai-catalog.json":      "application/ai-catalog+json",
	} {
		answer := get(path, "", "GET")
		if answer.StatusCode != 200 || answer.Header.Get("Content-Type") != mediaType || answer.Header.Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("%s: %d %v", path, answer.StatusCode, answer.Header)
		}
		var body strings.Builder
		if _, err := io.Copy(&body, answer.Body); err != nil || !strings.Contains(body.String(), `"https://rules.example.com/mcp`) {
			t.Errorf("%s: %v %s", path, err, body.String())
		}
		if again := get(path, answer.Header.Get("ETag"), "GET"); again.StatusCode != http.StatusNotModified {
			t.Errorf("%s with its tag: %d, want 304", path, again.StatusCode)
		}
		if asked := get(path, "", "OPTIONS"); asked.StatusCode != http.StatusNoContent {
			t.Errorf("OPTIONS %s: %d, want 204", path, asked.StatusCode)
		}
		if posted := get(path, "", "POST"); posted.StatusCode != http.StatusMethodNotAllowed {
			t.Errorf("POST %s: %d, want 405", path, posted.StatusCode)
		}
	}
}

// The address in the card is the configured one with its path, or that of the listener, and
// never what a client says.
func TestAddressOfTheCard(t *testing.T) {
	below, err := url.Parse("https://abc.example/team-a/mcp")
	if err != nil {
		t.Fatal(err)
	}
	proxies := []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}
	for _, tc := range []struct {
		name   string
		server server
		want   string
	}{
		{"resource", server{flags: &serveFlags{listen: "127.0.0.1:8443", plain: true}, tokens: issuerServices{address: below}}, "https://abc.example/team-a/mcp"},
		{"host behind a proxy", server{flags: &serveFlags{listen: "127.0.0.1:8443", plain: true, hosts: []string{"tools.example.com"}, proxies: []string{"127.0.0.1"}}, proxies: proxies}, "https://tools.example.com/mcp"},
		{"host", server{flags: &serveFlags{listen: "0.0.0.0:8443", hosts: []string{"tools.example.com"}}}, "https://tools.example.com:8443/mcp"},
		{"host at the usual port", server{flags: &serveFlags{listen: "0.0.0.0:443", hosts: []string{"tools.example.com"}}}, "https://tools.example.com/mcp"},
		{"listener", server{flags: &serveFlags{listen: "0.0.0.0:8443"}}, "https://10.0.0.5:8443/mcp"},
	} {
		for _, host := range []string{"evil.example", "tools.example.com", "127.0.0.1"} {
			request := httptest.NewRequest("GET", "https://"+host+"/mcp/server-card", nil)
			request.Header.Set("X-Forwarded-Host", "evil.example")
			request.Header.Set("X-Forwarded-Proto", "javascript")
			_, port, _ := net.SplitHostPort(tc.server.flags.listen)
			local := net.TCPAddrFromAddrPort(netip.MustParseAddrPort("10.0.0.5:" + port))
			request = request.WithContext(context.WithValue(request.Context(), http.LocalAddrContextKey, net.Addr(local)))
			if got := tc.server.address(request).String(); got != tc.want {
				t.Errorf("%s, Host %s: %s, want %s", tc.name, host, got, tc.want)
			}
			table := routes.New(routes.Config{Routes: tc.server.cardRoutes(release.Program{Version: "1"}), Hosts: tc.server.flags.hosts})
			answer := httptest.NewRecorder()
			table.ServeHTTP(answer, request)
			if refused := answer.Code == http.StatusForbidden; strings.Contains(answer.Body.String(), "evil") || host == "evil.example" && !refused && tc.name != "listener" {
				t.Errorf("%s, Host %s: %d %s", tc.name, host, answer.Code, answer.Body)
			}
		}
	}
}

// Below a path the metadata are served where the 401 says, whether the proxy takes the path
// away or not; without an issuer the paths of a login say what to send.
func TestLoginRoutes(t *testing.T) {
	resource, err := bearer.NewResource("https://abc.example/team-a/mcp", "https://issuer.example", "rulesets:read")
	if err != nil {
		t.Fatal(err)
	}
	with := routes.New(routes.Config{Routes: (&issuerServices{resource: resource}).routes()})
	at, err := url.Parse(resource.Metadata())
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{at.Path, "/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"} {
		for _, method := range []string{"GET", "OPTIONS"} {
			answer := httptest.NewRecorder()
			with.ServeHTTP(answer, httptest.NewRequest(method, path, nil))
			if method == "GET" && (answer.Code != 200 || !strings.Contains(answer.Body.String(), `"resource":"https://abc.example/team-a/mcp"`)) ||
				method == "OPTIONS" && (answer.Code != 204 || !strings.Contains(answer.Header().Get("Access-Control-Allow-Headers"), "MCP-Protocol-Version")) {
				t.Errorf("%s %s: %d %s", method, path, answer.Code, answer.Body)
			}
		}
	}
	without := routes.New(routes.Config{Routes: new(issuerServices).routes()})
	for _, request := range []*http.Request{
		httptest.NewRequest("POST", "/register", strings.NewReader(`{"redirect_uris":["http://127.0.0.1/"]}`)),
		httptest.NewRequest("GET", "/authorize?client_id=x", nil),
		httptest.NewRequest("POST", "/token", strings.NewReader("grant_type=authorization_code")),
		httptest.NewRequest("GET", "/.well-known/oauth-authorization-server", nil),
		httptest.NewRequest("GET", "/.well-known/openid-configuration", nil),
		httptest.NewRequest("GET", "/.well-known/oauth-authorization-server/mcp", nil),
	} {
		answer := httptest.NewRecorder()
		without.ServeHTTP(answer, request)
		var told struct{ Error, Description string }
		if err := json.Unmarshal([]byte(strings.Replace(answer.Body.String(), "error_description", "description", 1)), &told); err != nil ||
			answer.Code < 400 || answer.Code > 404 || told.Error == "" || !strings.Contains(told.Description, "Authorization: Bearer KEY") {
			t.Errorf("%s %s: %d %s", request.Method, request.URL, answer.Code, answer.Body)
		}
	}
}
