package oauth_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/transport/bearer"
	"github.com/triptych-mcp/triptych/transport/keys"
	"github.com/triptych-mcp/triptych/transport/oauth"
	"github.com/triptych-mcp/triptych/transport/quota"
	"github.com/triptych-mcp/triptych/transport/routes"
)

const (
	issuer   = "https://mcp.example"
	resource = issuer + "/mcp"
	callback = "http://127.0.0.1:33418/callback"
	verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk" // RFC 7636, appendix B
)

var published = []host.Scope{"rulesets:read", "rulesets:write"}

// A fixture is two servers of one store and a browser.
type fixture struct {
	one, two *httptest.Server
	keys     keys.Store // of the first
	key      keys.Token
	record   keys.Record

	mu       sync.Mutex
	now      time.Time
	recorded []string
	cookie   string // of the browser
}

func (f *fixture) clock() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.now
}

// pass lets time pass.
func (f *fixture) pass(d time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.now = f.now.Add(d)
}

func open(t *testing.T, changes ...func(*oauth.Config)) *fixture {
	t.Helper()
	f := &fixture{now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	dir := t.TempDir()
	f.one, f.keys = f.serve(t, dir, "one", changes)
	f.two, _ = f.serve(t, dir, "two", changes)
	var err error
	if f.record, f.key, err = f.keys.Create(t.Context(), keys.Live, keys.Settings{Name: "ann"}); err != nil {
		t.Fatal(err)
	}
	return f
}

// serve starts a server of the store in a folder.
func (f *fixture) serve(t *testing.T, dir, name string, changes []func(*oauth.Config)) (*httptest.Server, keys.Store) {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	store, err := keys.OpenFile(filepath.Join(dir, "keys"), log, f.clock, published...)
	if err != nil {
		t.Fatal(err)
	}
	meter, err := quota.OpenLocal(t.Context(), filepath.Join(dir, "quota "+name), log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(store.Close(), meter.Close()); err != nil {
			t.Error(err)
		}
	})
	auth := bearer.New(bearer.Config{Ring: store, Meter: meter, Now: f.clock, Resource: func(*http.Request) string { return resource }})
	at, err := url.Parse(resource)
	if err != nil {
		t.Fatal(err)
	}
	cfg := oauth.Config{
		Store: store, Auth: auth, Secret: []byte("a secret that the servers of the store share"), AnyHost: true, Scopes: published,
		Resource: func(*http.Request) *url.URL { return at }, Now: f.clock,
		Record: func(_ context.Context, by host.Caller, method, _ string) error {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.recorded = append(f.recorded, method+" "+by.Principal.ID+" "+by.Principal.Client)
			return nil
		},
	}
	for _, change := range changes {
		change(&cfg)
	}
	endpoint := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		caller, refused := auth.Authenticate(w.Header(), r)
		if refused != nil {
			w.WriteHeader(refused.Status)
			return
		}
		_, _ = io.WriteString(w, caller.Principal.ID+" "+caller.Principal.Client) // read by the test
	})
	table := routes.Config{Routes: append(oauth.New(cfg).Routes(), routes.Route{Path: "/mcp", Body: routes.Own, Handler: endpoint})}
	server := httptest.NewServer(routes.New(table))
	t.Cleanup(server.Close)
	return server, store
}

// do sends a request and returns the answer, whose redirect is not followed.
func do(t *testing.T, r *http.Request) (status int, body string, header http.Header) {
	t.Helper()
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text), resp.Header
}

func (f *fixture) get(t *testing.T, server *httptest.Server, path string) (status int, body string, header http.Header) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if f.cookie != "" {
		r.Header.Set("Cookie", f.cookie)
	}
	status, body, header = do(t, r)
	if set := header.Get("Set-Cookie"); set != "" {
		f.cookie, _, _ = strings.Cut(set, ";")
	}
	return status, body, header
}

// post sends a form with the cookie of the browser.
func (f *fixture) post(t *testing.T, server *httptest.Server, path string, form url.Values, edits ...func(*http.Request)) (status int, body string, header http.Header) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+path, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Cookie", f.cookie)
	for _, edit := range edits {
		edit(r)
	}
	return do(t, r)
}

// register registers a client with redirects and returns its id.
func (f *fixture) register(t *testing.T, redirects ...string) string {
	t.Helper()
	status, body := f.tryRegister(t, redirects...)
	var got struct {
		ID string `json:"client_id"`
	}
	if err := json.Unmarshal([]byte(body), &got); err != nil || status != http.StatusCreated {
		t.Fatalf("registration: %d %s", status, body)
	}
	return got.ID
}

func (f *fixture) tryRegister(t *testing.T, redirects ...string) (status int, body string) {
	t.Helper()
	text, err := json.Marshal(map[string]any{"client_name": "An editor", "redirect_uris": redirects, "token_endpoint_auth_method": "none"})
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, f.one.URL+"/oauth/register", strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	status, body, _ = do(t, r)
	return status, body
}

// request returns the path of an authorization request; edits change its parameters.
func request(client string, edits ...func(url.Values)) string {
	sum := sha256.Sum256([]byte(verifier))
	query := url.Values{
		"response_type": {"code"}, "client_id": {client}, "redirect_uri": {callback}, "state": {"xyz & more"},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}, "code_challenge_method": {"S256"}, "resource": {resource},
	}
	for _, edit := range edits {
		edit(query)
	}
	return "/oauth/authorize?" + query.Encode()
}

// set sets a parameter, or removes it if value is "".
func set(name, value string) func(url.Values) {
	return func(query url.Values) {
		if query.Del(name); value != "" {
			query.Set(name, value)
		}
	}
}

// sealed returns the value of a hidden field of a page.
func sealed(t *testing.T, name, page string) string {
	t.Helper()
	found := regexp.MustCompile(`name="` + name + `" value="([^"]+)"`).FindStringSubmatch(page)
	if found == nil {
		t.Fatalf("the page has no field %s: %s", name, page)
	}
	return found[1]
}

// shown opens the page and pastes the key; it returns the page that asks.
func (f *fixture) shown(t *testing.T, path string) string {
	t.Helper()
	status, body, _ := f.get(t, f.one, path)
	if status != http.StatusOK {
		t.Fatalf("the page: %d %s", status, body)
	}
	status, body, _ = f.post(t, f.two, "/oauth/authorize", url.Values{"request": {sealed(t, "request", body)}, "key": {f.key.Reveal()}})
	if status != http.StatusOK {
		t.Fatalf("the key: %d %s", status, body)
	}
	return body
}

// allow goes through the page and returns the code.
func (f *fixture) allow(t *testing.T, client string, edits ...func(url.Values)) string {
	t.Helper()
	page := f.shown(t, request(client, edits...))
	status, body, header := f.post(t, f.one, "/oauth/authorize", url.Values{"choice": {sealed(t, "choice", page)}, "do": {"allow"}})
	to, err := url.Parse(header.Get("Location"))
	if err != nil || status != http.StatusSeeOther || to.Query().Get("code") == "" {
		t.Fatalf("allowed: %d %s %s", status, header.Get("Location"), body)
	}
	if q := to.Query(); q.Get("state") != "xyz & more" || q.Get("iss") != issuer {
		t.Errorf("the answer is %v", q)
	}
	return to.Query().Get("code")
}

// tokens are an answer of the endpoint of tokens.
type tokens struct {
	Access  string `json:"access_token"`
	Type    string `json:"token_type"`
	Expires int    `json:"expires_in"`
	Refresh string `json:"refresh_token"`
	Scope   string `json:"scope"`
	Error   string `json:"error"`
	Reason  string `json:"error_description"`
}

// ask asks a server for tokens.
func (f *fixture) ask(t *testing.T, server *httptest.Server, form url.Values, edits ...func(*http.Request)) (got tokens, status int) {
	t.Helper()
	status, body, _ := f.post(t, server, "/oauth/token", form, edits...)
	if err := json.Unmarshal([]byte(body), &got); err != nil {
		t.Fatalf("%d %s", status, body)
	}
	return got, status
}

func exchange(client, code string, edits ...func(url.Values)) url.Values {
	form := url.Values{
		"grant_type": {"authorization_code"}, "code": {code}, "client_id": {client}, "redirect_uri": {callback},
		"code_verifier": {verifier}, "resource": {resource},
	}
	for _, edit := range edits {
		edit(form)
	}
	return form
}

func refresh(client, token string) url.Values {
	return url.Values{"grant_type": {"refresh_token"}, "refresh_token": {token}, "client_id": {client}}
}

// login returns the tokens of a new login.
func (f *fixture) login(t *testing.T, client string) tokens {
	t.Helper()
	got, status := f.ask(t, f.one, exchange(client, f.allow(t, client)))
	if status != http.StatusOK {
		t.Fatalf("the code: %d %+v", status, got)
	}
	return got
}

// call sends a request with a token and returns the status and the caller.
func (f *fixture) call(t *testing.T, server *httptest.Server, token string) (status int, caller string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/mcp", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	status, caller, _ = do(t, r)
	return status, caller
}
