package servecmd

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"time"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/release"
	"github.com/triptych-mcp/triptych/transport/routes"
)

// cardRoutes are the documents by which hosts find the endpoint without a key: the
// server card at the place that MCP recommends and at the one that scanners look at,
// and the catalog of this host (SEP-2127).
func cardRoutes(p release.Program, scheme string) []routes.Route {
	url := func(r *http.Request) string { return scheme + "://" + r.Host + "/mcp" }
	card := publicDocument(release.CardType, func(r *http.Request) ([]byte, error) { return release.Card(p, url(r)) })
	catalog := publicDocument(release.CatalogType, func(r *http.Request) ([]byte, error) { return release.Catalog(p, r.Host, url(r)) })
	var all []routes.Route
	all = append(all, readable("/mcp/server-card", card)...)
	all = append(all, readable("/.well-known/mcp/server-card.json", card)...)
	return append(all, readable("/.well-known/ai-catalog.json", catalog)...)
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

// publicDocument serves a small public document that pages of every origin may read.
func publicDocument(mediaType string, content func(*http.Request) ([]byte, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Access-Control-Allow-Origin", "*")
		header.Set("Access-Control-Allow-Methods", "GET, HEAD, OPTIONS")
		header.Set("Access-Control-Expose-Headers", "ETag")
		switch r.Method {
		case http.MethodOptions:
			header.Set("Access-Control-Allow-Headers", "If-None-Match")
			w.WriteHeader(http.StatusNoContent)
			return
		case http.MethodGet, http.MethodHead:
		default:
			header.Set("Allow", "GET, HEAD, OPTIONS")
			http.Error(w, "this document can only be read", http.StatusMethodNotAllowed)
			return
		}
		body, err := content(r)
		if err != nil {
			http.Error(w, "the document cannot be made", http.StatusInternalServerError)
			return
		}
		sum := sha256.Sum256(body)
		tag := `"` + hex.EncodeToString(sum[:8]) + `"`
		header.Set("Content-Type", mediaType)
		header.Set("Cache-Control", "public, max-age=3600")
		header.Set("Vary", "Host")
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
