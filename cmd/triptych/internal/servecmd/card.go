package servecmd

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/registry"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/release"
	"github.com/triptych-mcp/triptych/transport/routes"
)

// cardRoutes are the documents by which hosts find the endpoint without a key: the
// server card at the place that MCP recommends and at the one that scanners look at,
// and the catalog of this host (SEP-2127).
func (s *server) cardRoutes(p release.Program) []routes.Route {
	card := publicDocument(release.CardType, time.Hour, always(func(r *http.Request) ([]byte, error) { return release.Card(p, s.address(r).String()) }))
	catalog := publicDocument(release.CatalogType, time.Hour, always(func(r *http.Request) ([]byte, error) {
		at := s.address(r)
		return release.Catalog(p, at.Host, at.String())
	}))
	all := slices.Concat(readable("/mcp/server-card", card), readable("/.well-known/mcp/server-card.json", card), readable("/.well-known/ai-catalog.json", catalog))
	return s.forOurHosts(all)
}

// forOurHosts lets rows be served to requests that name a host of ours, where those are known.
func (s *server) forOurHosts(rows []routes.Route) []routes.Route {
	for i := range rows {
		rows[i].KnownHosts = s.flags.loopback() || len(s.flags.hosts) > 0
	}
	return rows
}

// registryRoutes are the registry of the servers that an organization allows, with --registry.
func (s *server) registryRoutes(p release.Program) ([]routes.Route, error) {
	if s.flags.registry == "" {
		return nil, nil
	}
	own := func(r *http.Request) ([]byte, error) {
		return release.ServerJSON(p, nil, release.Endpoint(s.address(r).String()))
	}
	list, err := registry.Open(s.flags.registry, own, s.env.Logger)
	if err != nil {
		return nil, cmderr.UsageErrorf("--registry: %v", err)
	}
	answers := publicDocument("application/json", time.Minute, list.Answer)
	return s.forOurHosts(slices.Concat(readable(registry.Path, answers), readable(registry.Path+"/{server...}", answers))), nil
}

// address returns the URL of the endpoint: that of --oidc-resource, else that of the first
// --host, else the address that the client has connected to. Nothing that the client has sent
// is in it.
func (s *server) address(r *http.Request) *url.URL {
	if s.tokens.address != nil {
		return s.tokens.address
	}
	at := &url.URL{Scheme: s.flags.scheme(), Path: "/mcp"}
	_, port, _ := net.SplitHostPort(s.flags.listen) // without one, there is no port to tell
	if local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok {
		if _, bound, err := net.SplitHostPort(local.String()); err == nil {
			at.Host, port = local.String(), bound
		}
	}
	switch {
	case len(s.flags.hosts) > 0 && len(s.proxies) > 0:
		at.Host = s.flags.hosts[0] // at the port of the proxy
	case len(s.flags.hosts) > 0:
		at.Host = net.JoinHostPort(s.flags.hosts[0], port)
	}
	if port == "443" && at.Scheme == "https" {
		at.Host = strings.TrimSuffix(at.Host, ":443")
	}
	return at
}

// readable returns the rows of a public document, which pages may read.
func readable(path string, document http.Handler) []routes.Route {
	return []routes.Route{
		{Method: http.MethodGet, Path: path, Time: documentTime, Handler: document},
		{Method: http.MethodOptions, Path: path, Time: documentTime, Handler: document},
	}
}

// documentTime bounds the making of a public document.
const documentTime = 5 * time.Second

// always makes a document that is there.
func always(content func(*http.Request) ([]byte, error)) func(*http.Request) (int, []byte, error) {
	return func(r *http.Request) (int, []byte, error) {
		text, err := content(r)
		return http.StatusOK, text, err
	}
}

// publicDocument serves a small public document, with its status, that pages of every origin may
// read and keep for a time.
func publicDocument(mediaType string, fresh time.Duration, content func(*http.Request) (int, []byte, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Access-Control-Allow-Origin", "*")
		header.Set("Access-Control-Allow-Methods", "GET, HEAD, OPTIONS")
		header.Set("Access-Control-Expose-Headers", "ETag")
		switch r.Method {
		case http.MethodOptions:
			header.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, If-None-Match, MCP-Protocol-Version") // a host may send its key everywhere
			w.WriteHeader(http.StatusNoContent)
			return
		case http.MethodGet, http.MethodHead:
		default:
			header.Set("Allow", "GET, HEAD, OPTIONS")
			http.Error(w, "this document can only be read", http.StatusMethodNotAllowed)
			return
		}
		status, body, err := content(r)
		if err != nil {
			http.Error(w, "the document cannot be made", http.StatusInternalServerError)
			return
		}
		sum := sha256.Sum256(body)
		tag := `"` + hex.EncodeToString(sum[:8]) + `"`
		header.Set("Content-Type", mediaType)
		if status != http.StatusOK {
			w.WriteHeader(status)
			_, _ = w.Write(body)
			return
		}
		header.Set("Cache-Control", fmt.Sprintf("public, max-age=%.0f", fresh.Seconds()))
		header.Set("ETag", tag)
		if r.Header.Get("If-None-Match") == tag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		if r.Method == http.MethodGet {
			_, _ = w.Write(body) // a client that has gone needs no answer
		}
	})
}
