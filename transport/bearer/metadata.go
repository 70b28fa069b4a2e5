package bearer

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"

	"github.com/triptych-mcp/triptych/mcp"
)

const wellKnown = "/.well-known/oauth-protected-resource"

// A Resource is what a server with an issuer tells about itself (RFC 9728), so
// that clients find out where to get an access token.
type Resource struct {
	url, issuer string
	scopes      []mcp.Scope
}

// NewResource returns the description of the resource at a URL: the one under
// which clients reach the MCP endpoint. The scopes are those that its callers can
// have.
func NewResource(resource, issuer string, scopes ...mcp.Scope) (*Resource, error) {
	u, err := url.Parse(resource)
	switch {
	case err != nil:
		return nil, err
	case u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.Fragment != "" || u.User != nil:
		return nil, fmt.Errorf("%q is no URL of a server", resource)
	}
	return &Resource{url: resource, issuer: issuer, scopes: scopes}, nil
}

// Metadata is the URL of the description: the path of the resource stands
// behind the well-known one (RFC 9728, section 3.1).
func (r *Resource) Metadata() string {
	u, _ := url.Parse(r.url) // it was parsed before
	u.Path = wellKnown + u.Path
	u.RawQuery = ""
	return u.String()
}

// Paths are those at which the description is served, for an endpoint at path.
func (r *Resource) Paths(path string) []string { return []string{wellKnown + path, wellKnown} }

// ServeHTTP serves the description to everybody.
func (r *Resource) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	header := w.Header()
	if req.Method != http.MethodGet && req.Method != http.MethodHead {
		header.Set("Allow", "GET, HEAD")
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	header.Set("Content-Type", "application/json")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Access-Control-Allow-Origin", "*") // clients in browsers need it, and it is no secret
	header.Set("Cache-Control", "max-age=3600")
	text, err := json.Marshal(map[string]any{
		"resource": r.url, "resource_name": "Triptych", "authorization_servers": []string{r.issuer},
		"scopes_supported": r.scopes, "bearer_methods_supported": []string{"header"},
	})
	if err != nil {
		w.WriteHeader(http.StatusInternalServerError) // strings are always encoded
		return
	}
	_, _ = w.Write(text) // a client that is gone needs no answer
}
