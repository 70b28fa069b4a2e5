package snapshots

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"time"

	"github.com/triptych-mcp/triptych/mcp/host"
)

// Handler serves snapshots that it reads from the MCP endpoint of the same server.
func Handler(endpoint http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "the rulesets can only be read here; the MCP endpoint changes them", http.StatusMethodNotAllowed)
			return
		}
		answer := recorder{header: http.Header{}, status: http.StatusOK}
		endpoint.ServeHTTP(&answer, question(r))
		document, ok := answer.document()
		for name, values := range answer.header {
			if name != "Content-Length" {
				w.Header()[name] = values
			}
		}
		if !ok {
			answer.pass(w)
			return
		}
		sum := sha256.Sum256(document)
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "private, no-cache")
		w.Header().Set("ETag", `"`+hex.EncodeToString(sum[:])+`"`)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(document))
	})
}

// question returns the request for the resource that has all rulesets.
func question(r *http.Request) *http.Request {
	revisions := host.Revisions()
	newest := revisions[len(revisions)-1].Name
	uri := "ruleset://*"
	if label := r.URL.Query().Get("label"); label != "" {
		uri += "@" + label
	}
	body, _ := json.Marshal(map[string]any{ // texts only
		"jsonrpc": "2.0", "id": 1, "method": "resources/read",
		"params": map[string]any{"uri": uri, "_meta": map[string]any{
			"io.modelcontextprotocol/protocolVersion":    newest,
			"io.modelcontextprotocol/clientCapabilities": struct{}{},
			"io.modelcontextprotocol/clientInfo":         map[string]string{"name": "snapshot", "version": "1"},
		}},
	})
	q := r.Clone(r.Context())
	q.Method, q.Body, q.ContentLength = http.MethodPost, io.NopCloser(bytes.NewReader(body)), int64(len(body))
	for _, name := range []string{"If-None-Match", "Range", "If-Range", "Content-Length"} {
		q.Header.Del(name)
	}
	q.Header.Set("Content-Type", "application/json")
	q.Header.Set("Accept", "application/json, text/event-stream")
	q.Header.Set("Mcp-Protocol-Version", newest)
	q.Header.Set("Mcp-Method", "resources/read")
	q.Header.Set("Mcp-Name", uri)
	return q
}

// A recorder is the response of the MCP endpoint.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (a *recorder) Header() http.Header         { return a.header }
func (a *recorder) WriteHeader(status int)      { a.status = status }
func (a *recorder) Write(p []byte) (int, error) { return a.body.Write(p) }

// document returns the text of the resource; ok is false for a refusal or an error.
func (a *recorder) document() (text []byte, ok bool) {
	var answer struct {
		Result struct {
			Contents []struct {
				Text string `json:"text"`
			} `json:"contents"`
		} `json:"result"`
	}
	if a.status != http.StatusOK || json.Unmarshal(a.body.Bytes(), &answer) != nil || len(answer.Result.Contents) != 1 {
		return nil, false
	}
	return []byte(answer.Result.Contents[0].Text), true
}

// pass answers with the refusal or the error of the endpoint.
func (a *recorder) pass(w http.ResponseWriter) {
	if a.status == http.StatusOK {
		a.status = http.StatusNotFound // no such label, or more rulesets than a snapshot has
	}
	w.WriteHeader(a.status)
	_, _ = w.Write(a.body.Bytes()) // a client that has gone needs no answer
}
