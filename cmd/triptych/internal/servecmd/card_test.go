package servecmd

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/release"
	"github.com/triptych-mcp/triptych/transport/routes"
)

// The server card can be read from every origin without a key, and is revalidated
// by its tag.
func TestServerCard(t *testing.T) {
	table := routes.New(routes.Config{Routes: cardRoutes(release.Program{Version: "1.2.3", Description: "d"}, "https")})
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
