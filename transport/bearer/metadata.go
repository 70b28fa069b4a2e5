package bearer

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/triptych-mcp/triptych/mcp/host"
)

// wellKnown is the path of the metadata (RFC 9728, section 3).
const wellKnown = "/.well-known/oauth-protected-resource"

// A Resource serves the protected resource metadata (RFC 9728), which tells clients where
// to get an access token. The revisions since 2025-06-18 require it of servers with an
// authorization server.
type Resource struct {
	url, issuer string
	scopes      []host.Scope
}

// NewResource returns the description of the resource at a URL: the one under
// which clients reach the MCP endpoint. scopes lists the scopes of the
// server.
func NewResource(resource, issuer string, scopes ...host.Scope) (*Resource, error) {
	u, err := url.Parse(resource)
	switch {
	case err != nil:
		return nil, err
	case u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.Fragment != "" || u.User != nil || strings.ContainsAny(u.Path, "{}"):
		return nil, fmt.Errorf("%q is no URL of a server", resource)
	}
	return &Resource{url: resource, issuer: issuer, scopes: scopes}, nil
}

// Metadata returns the URL of the description: the path of the resource follows
// the well-known one (RFC 9728, section 3.1).
func (r *Resource) Metadata() string { return metadataOf(r.url) }

// metadataOf returns the URL of the description of a resource, "" for what is no URL.
func metadataOf(resource string) string {
	u, err := url.Parse(resource)
	if err != nil {
		return ""
	}
	u.Path = wellKnown + u.Path
	u.RawQuery = ""
	return u.String()
}

// Paths returns the paths of the description, for an endpoint at path: those of the endpoint
// and of the host, and that of the resource, which a proxy may pass on as it is when the
// server is below a path of a host.
func (r *Resource) Paths(path string) []string {
	paths := []string{wellKnown + path, wellKnown}
	u, _ := url.Parse(r.url) // it was parsed before
	if own := wellKnown + u.Path; !slices.Contains(paths, own) {
		paths = append(paths, own)
	}
	return paths
}

// URL returns the URL of the resource.
func (r *Resource) URL() string { return r.url }

// Issuer returns the URL of the issuer of tokens.
func (r *Resource) Issuer() string { return r.issuer }

// Scopes returns the scopes of the server, separated by spaces (RFC 6749, section 3.3).
func (r *Resource) Scopes() string {
	var all []string
	for _, s := range r.scopes {
		all = append(all, string(s))
	}
	return strings.Join(all, " ")
}

// ServeHTTP serves the description, without authentication: clients read it to find out
// how to authenticate (RFC 9728, section 3).
func (r *Resource) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	header := w.Header()
	if req.Method == http.MethodOptions {
		header.Set("Access-Control-Allow-Origin", "*")
		header.Set("Access-Control-Allow-Methods", "GET, HEAD")
		header.Set("Access-Control-Allow-Headers", "MCP-Protocol-Version")
		w.WriteHeader(http.StatusNoContent)
		return
	}
	if req.Method != http.MethodGet && req.Method != http.MethodHead {
		header.Set("Allow", "GET, HEAD, OPTIONS")
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	header.Set("Content-Type", "application/json")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Access-Control-Allow-Origin", "*") // browsers need it, and the description is public
	header.Set("Cache-Control", "max-age=3600")
	text, err := json.Marshal(map[string]any{
		"resource": r.url, "resource_name": "Triptych", "authorization_servers": []string{r.issuer},
		"scopes_supported": r.scopes, "bearer_methods_supported": []string{"header"},
	})
	if err != nil {
		w.WriteHeader(http.StatusInternalServerError) // never: strings can be encoded
		return
	}
	_, _ = w.Write(text) // the client may have disconnected
}
