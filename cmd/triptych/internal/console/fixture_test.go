package console_test

import (
	"context"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/aoc"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/console"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/markdown"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/rulesets"
	"github.com/triptych-mcp/triptych/transport/audit"
	"github.com/triptych-mcp/triptych/transport/bearer"
	"github.com/triptych-mcp/triptych/transport/keys"
	"github.com/triptych-mcp/triptych/transport/quota"
	"github.com/triptych-mcp/triptych/transport/routes"
	"github.com/triptych-mcp/triptych/transport/streamable"
)

// scopes lists the scopes that a key of the fixture may have.
var scopes = []host.Scope{"rulesets:read", "rulesets:propose", "rulesets:write", "rulesets:admin", "aoc:read", "audit:read", console.AdminScope}

// A fixture is a console with all that it shows.
type fixture struct {
	*httptest.Server
	pages *console.Console
	store keys.Store
	trail *audit.Log
	meter quota.Meter
	book  *aoc.Book
	by    *string // whose change of a key was the last

	endpoint string // the URL of the MCP endpoint, without its path
}

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == markdown.WorkerCommand {
		os.Exit(markdown.WorkerMain())
	}
	os.Exit(m.Run())
}

// open starts a console; configure changes its configuration.
func open(t *testing.T, configure ...func(*console.Config)) *fixture {
	t.Helper()
	data := t.TempDir()
	table, err := new(rulesets.Config).Open(t.Context(), host.Env{Logger: quiet, Now: time.Now, Data: data, Store: "memory:", Getenv: func(string) string { return "" }})
	if err != nil {
		t.Fatal(err)
	}
	server, err := mcp.New(mcp.Config{Name: "test", Version: "1"}, table)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() }) // nothing is running
	store, err := keys.OpenFile(data+"/keys", quiet, time.Now, scopes...)
	if err != nil {
		t.Fatal(err)
	}
	meter, err := quota.OpenLocal(t.Context(), data+"/quota", quiet)
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{store: store, meter: meter, trail: audit.New(audit.Config{Dir: data + "/audit"}), book: aoc.Open(data + "/aoc"), by: new(string)}
	t.Cleanup(func() {
		for _, closer := range []io.Closer{f.trail, meter, store} {
			if err := closer.Close(); err != nil {
				t.Error(err)
			}
		}
	})
	authenticator := bearer.New(bearer.Config{Ring: store, Meter: meter, Logger: quiet})
	endpoint := streamable.New(streamable.Config{Server: server, Auth: authenticator, Loopback: true, Logger: quiet})
	t.Cleanup(func() { endpoint.Shutdown(context.Background()) })
	mcpServer := httptest.NewServer(endpoint)
	t.Cleanup(mcpServer.Close)
	f.endpoint = mcpServer.URL
	cfg := console.Config{
		Version: "1.2.3", Endpoint: endpoint, Auth: authenticator, Scopes: scopes, Meter: meter, Trail: verifier{f.trail}, Book: f.book,
		Keys: func(by host.Caller) keys.Store {
			*f.by = by.Principal.ID
			return store
		},
		Exported: func(r audit.Record) any { return map[string]any{"seq": r.Seq, "target": r.Target} },
		Sessions: endpoint.SessionInfos,
	}
	if worker, ok := markdown.Self(); ok {
		cfg.Render = markdown.New(worker).Render
	}
	for _, change := range configure {
		change(&cfg)
	}
	f.pages = console.New(cfg)
	f.Server = httptest.NewServer(routes.New(routes.Config{Routes: f.pages.Routes(), Bodies: endpoint.BodyHold, Answers: endpoint.AnswerHold}))
	t.Cleanup(f.Close)
	return f
}

// A verifier is a trail that is verified with its own key.
type verifier struct{ *audit.Log }

func (v verifier) Verify(ctx context.Context) (audit.Report, error) { return v.Log.Verify(ctx) }

// key makes a key with scopes, all if there are none.
func (f *fixture) key(t *testing.T, with ...host.Scope) (keys.Record, string) {
	t.Helper()
	r, token, err := f.store.Create(t.Context(), keys.Live, keys.Settings{Name: "fixture", Plan: quota.Enterprise, Scopes: with})
	if err != nil {
		t.Fatal(err)
	}
	return r, token.Reveal()
}

// A visitor is a browser.
type visitor struct {
	*http.Client
	f *fixture
}

// visitor returns a browser that is not signed in.
func (f *fixture) visitor(t *testing.T) *visitor {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &visitor{&http.Client{Jar: jar}, f}
}

// signedIn returns a browser that is signed in with a key.
func (f *fixture) signedIn(t *testing.T, key string) *visitor {
	t.Helper()
	v := f.visitor(t)
	if status, page := v.post(t, "/signin", url.Values{"key": {key}}); status != http.StatusOK || !strings.Contains(page, "You are signed in as") {
		t.Fatalf("signing in: %d %s", status, page)
	}
	return v
}

// get opens a page.
func (v *visitor) get(t *testing.T, path string) (status int, page string) {
	t.Helper()
	resp, err := v.Get(v.f.URL + path)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

// post sends a form as it is.
func (v *visitor) post(t *testing.T, path string, form url.Values) (status int, page string) {
	t.Helper()
	resp, err := v.PostForm(v.f.URL+path, form)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

var csrfField = regexp.MustCompile(`name="csrf" value="([A-Z0-9]+)"`)

// submit sends a form with the token of the session.
func (v *visitor) submit(t *testing.T, path string, form url.Values) (status int, page string) {
	t.Helper()
	_, page = v.get(t, "/")
	found := csrfField.FindStringSubmatch(page)
	if found == nil {
		t.Fatalf("no token in %s", page)
	}
	form.Set("csrf", found[1])
	return v.post(t, path, form)
}

// wants checks a page.
func wants(t *testing.T, what string, status int, page string, wantStatus int, texts ...string) {
	t.Helper()
	if status != wantStatus {
		t.Errorf("%s: status %d, want %d: %s", what, status, wantStatus, page)
	}
	for _, text := range texts {
		if !strings.Contains(page, text) {
			t.Errorf("%s lacks %q: %s", what, text, page)
		}
	}
}
