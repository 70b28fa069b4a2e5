package snapshots_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/rulesclient"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/snapshots"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/rulesets"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
	"github.com/triptych-mcp/triptych/transport/httpclient"
	"github.com/triptych-mcp/triptych/transport/streamable"
)

// counting counts the requests that it lets in.
type counting struct {
	streamable.Authenticator
	charged atomic.Int64
}

func (c *counting) Charge(context.Context, http.Header, *host.Caller, *host.Revision, streamable.Bill) *streamable.Refusal {
	c.charged.Add(1)
	return nil
}

type server struct {
	url  string
	key  counting
	sent atomic.Int64 // snapshots with a body
}

func serve(t *testing.T) *server {
	t.Helper()
	table, err := new(rulesets.Config).Open(t.Context(), host.Env{Store: "memory:", Now: time.Now, Getenv: func(string) string { return "" }})
	if err != nil {
		t.Fatal(err)
	}
	served, err := mcp.New(mcp.Config{Name: "test", Version: "1"}, table)
	if err != nil {
		t.Fatal(err)
	}
	s := &server{key: counting{Authenticator: streamable.Key("secret")}}
	handler := streamable.New(streamable.Config{Server: served, Auth: &s.key, Loopback: true})
	routes := http.NewServeMux()
	routes.Handle("/mcp", handler)
	routes.Handle("/mcp/rulesets", snapshots.Handler(handler))
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		counted := &statusWriter{ResponseWriter: w}
		routes.ServeHTTP(counted, r)
		if r.Method == http.MethodGet && counted.status == http.StatusOK {
			s.sent.Add(1)
		}
	}))
	t.Cleanup(web.Close)
	s.url = web.URL + "/mcp"
	return s
}

type statusWriter struct {
	http.ResponseWriter
	status int
}

func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// A client that has a snapshot gets the texts again only after a change; what is in its
// file does not matter unless it is the document.
func TestSnapshotsAreRevalidated(t *testing.T) {
	s, ctx := serve(t), t.Context()
	c := rulesclient.New(httpclient.Endpoint{URL: s.url, Key: "secret", HTTP: http.DefaultClient}, "1")
	file := filepath.Join(t.TempDir(), "sub", "all.json")
	expect := func(want string, sent int64) {
		t.Helper()
		before := s.sent.Load()
		all, err := c.Snapshot(ctx, "", file)
		got := ""
		for _, r := range all.Rulesets {
			got += string(r.Name) + r.Markdown + " "
		}
		if err != nil || got != want || s.sent.Load()-before != sent {
			t.Errorf("got %q, %v, with %d documents sent; want %q, %d", got, err, s.sent.Load()-before, want, sent)
		}
	}
	create := func(name ruleset.Name) {
		if _, err := c.Create(ctx, ruleset.Draft{Name: name, Description: "d", Markdown: "1"}); err != nil {
			t.Fatal(err)
		}
	}
	expect("", 1)
	create("a")
	expect("a1 ", 1)
	expect("a1 ", 0)
	text := "2" // within the second in which it was created
	if _, err := c.Update(ctx, "a", ruleset.Patch{Markdown: &text}); err != nil {
		t.Fatal(err)
	}
	expect("a2 ", 1)
	if err := os.WriteFile(file, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	expect("a2 ", 1)
	expect("a2 ", 0)
	if _, err := c.MoveLabel(ctx, "a", ruleset.LabelMove{Label: "production", To: 1}); err != nil {
		t.Fatal(err)
	}
	create("b")
	all, err := c.Snapshot(ctx, "production", "")
	if err != nil || len(all.Rulesets) != 1 || all.Rulesets[0].Markdown != "1" || len(all.Unlabelled) != 1 {
		t.Errorf("at the label: %+v, %v", all, err)
	}
}

// A snapshot is a call as any other: with a key, and charged.
func TestSnapshotsTakeAKey(t *testing.T) {
	s := serve(t)
	stranger := rulesclient.New(httpclient.Endpoint{URL: s.url, HTTP: http.DefaultClient}, "1")
	if _, err := stranger.Snapshot(t.Context(), "", ""); !errors.Is(err, rulesclient.ErrNoSnapshot) {
		t.Errorf("without a key: %v", err)
	}
	ask := func(method, key, query string) *http.Response {
		req, err := http.NewRequestWithContext(t.Context(), method, s.url+"/rulesets"+query, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+key)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		if err := resp.Body.Close(); err != nil {
			t.Fatal(err)
		}
		return resp
	}
	for _, tt := range []struct {
		method, key, query string
		want               int
	}{
		{"GET", "wrong", "", 401}, {"GET", "secret", "", 200}, {"HEAD", "secret", "", 200}, {"POST", "secret", "", 405}, {"GET", "secret", "?label=No", 404},
	} {
		if got := ask(tt.method, tt.key, tt.query); got.StatusCode != tt.want {
			t.Errorf("%v: %d", tt, got.StatusCode)
		}
	}
	if got := s.key.charged.Load(); got != 3 {
		t.Errorf("%d requests were charged, want 3", got)
	}
}
