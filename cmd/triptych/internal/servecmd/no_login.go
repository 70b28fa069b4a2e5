package servecmd

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/triptych-mcp/triptych/transport/routes"
)

// noLogin is the answer to a host that looks for an OAuth login after a 401. Hosts show its
// description in place of the first answer, which says what is wrong with the key.
const noLogin = "this server has no OAuth login; send Authorization: Bearer KEY. " +
	"If you have sent one, it is mistyped, cut off, revoked or expired; the operator makes another with: triptych key create"

// loginPaths are the paths at which hosts look for a login, with the method: the metadata of
// an authorization server (RFC 8414) and of an OpenID provider, and the endpoints at their
// default paths (MCP 2025-03-26, authorization).
var loginPaths = map[string]string{
	"/.well-known/oauth-authorization-server":     http.MethodGet,
	"/.well-known/oauth-authorization-server/mcp": http.MethodGet,
	"/.well-known/openid-configuration":           http.MethodGet,
	"/.well-known/openid-configuration/mcp":       http.MethodGet,
	"/mcp/.well-known/openid-configuration":       http.MethodGet,
	"/register":                                   http.MethodPost,
	"/authorize":                                  http.MethodGet,
	"/token":                                      http.MethodPost,
}

// withoutLogin returns the routes at the paths of a login of a server that has none, in the
// order of the paths.
func withoutLogin() []routes.Route {
	var all []routes.Route
	for _, path := range slices.Sorted(maps.Keys(loginPaths)) {
		for _, method := range []string{loginPaths[path], http.MethodOptions} {
			row := routes.Route{Method: method, Path: path, Time: documentTime, Handler: http.HandlerFunc(tellNoLogin)}
			if method != http.MethodOptions { // the body of another is not read
				row.Refuse = func(w http.ResponseWriter, r *http.Request, _ int, _ string) { tellNoLogin(w, r) }
			}
			all = append(all, row)
		}
	}
	return all
}

// tellNoLogin answers as an authorization server does (RFC 6749, section 5.2), to pages of
// every origin, too.
func tellNoLogin(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Access-Control-Allow-Origin", "*")
	header.Set("X-Content-Type-Options", "nosniff")
	if r.Method == http.MethodOptions {
		header.Set("Access-Control-Allow-Methods", "GET, POST")
		header.Set("Access-Control-Allow-Headers", "Content-Type, MCP-Protocol-Version")
		w.WriteHeader(http.StatusNoContent)
		return
	}
	header.Set("Content-Type", "application/json")
	header.Set("Cache-Control", "no-store")
	text, err := json.Marshal(map[string]string{"error": "invalid_request", "error_description": noLogin})
	if err != nil {
		w.WriteHeader(http.StatusInternalServerError) // never: strings can be encoded
		return
	}
	status := http.StatusBadRequest
	if strings.Contains(r.URL.Path, "/.well-known/") {
		status = http.StatusNotFound // there are no such metadata
	}
	w.WriteHeader(status)
	_, _ = w.Write(text) // the client may have disconnected
}
