package invite_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"html"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/invite"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/transport/bearer"
	"github.com/triptych-mcp/triptych/transport/keys"
	"github.com/triptych-mcp/triptych/transport/quota"
	"github.com/triptych-mcp/triptych/transport/routes"
)

const endpoint = "https://mcp.example/mcp"

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// A fixture is a server with a key for ann.
type fixture struct {
	*httptest.Server
	keys   keys.Store
	record keys.Record

	mu       sync.Mutex
	now      time.Time
	later    time.Duration // that passes after the next look at the clock
	records  []string
	rejected []string
	logged   bytes.Buffer
	broken   bool // the trail
}

func (f *fixture) clock() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.now
	f.now, f.later = now.Add(f.later), 0
	return now
}

// Write receives the log.
func (f *fixture) Write(text []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.logged.Write(text)
}

func open(t *testing.T) *fixture {
	t.Helper()
	f := &fixture{now: noon}
	dir := t.TempDir()
	log := slog.New(slog.NewTextHandler(f, nil))
	store, err := keys.OpenFile(filepath.Join(dir, "keys"), log, f.clock, "rulesets:read")
	if err != nil {
		t.Fatal(err)
	}
	meter, err := quota.OpenLocal(t.Context(), filepath.Join(dir, "quota"), log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(store.Close(), meter.Close()); err != nil {
			t.Error(err)
		}
	})
	f.keys = store
	if f.record, _, err = store.Create(t.Context(), keys.Live, keys.Settings{Name: "ann <b>"}); err != nil {
		t.Fatal(err)
	}
	auth := bearer.New(bearer.Config{
		Ring: store, Meter: meter, Now: f.clock, Logger: log,
		Rejected: func(_ context.Context, rejected bearer.Rejection) {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.rejected = append(f.rejected, string(encode(t, rejected)))
		},
	})
	at, err := url.Parse(endpoint)
	if err != nil {
		t.Fatal(err)
	}
	pages := invite.New(invite.Config{
		Store: store, Auth: auth, Resource: func(*http.Request) *url.URL { return at }, Login: true, AnyHost: true,
		Style: []byte("body {}"), Now: f.clock, Logger: log,
		Record: func(_ context.Context, by host.Caller, method, target string) error {
			f.mu.Lock()
			defer f.mu.Unlock()
			if f.broken {
				return errors.New("the disk is full")
			}
			f.records = append(f.records, method+" "+target+" "+by.Principal.ID)
			return nil
		},
	})
	f.Server = httptest.NewServer(routes.New(routes.Config{Routes: pages.Routes()}))
	t.Cleanup(f.Close)
	return f
}

func encode(t *testing.T, value any) []byte {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// invite returns the path of a new link.
func (f *fixture) invite(t *testing.T, host string) string {
	t.Helper()
	_, token, err := f.keys.Invite(t.Context(), f.record.ID, host, f.clock().Add(24*time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	path, ok := strings.CutPrefix(invite.Link(endpoint, token), "https://mcp.example")
	if !ok {
		t.Fatal(path)
	}
	return path
}

// ask sends a request with headers, in pairs.
func (f *fixture) ask(t *testing.T, method, path string, headers ...string) (status int, body string, header http.Header) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, f.URL+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Error(err)
		return 0, "", http.Header{}
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Error(err)
	}
	return resp.StatusCode, string(text), resp.Header
}

// shownKey returns the key that a page shows.
func (f *fixture) shownKey(t *testing.T, page string) keys.Token {
	t.Helper()
	token, err := keys.ParseToken(regexp.MustCompile(`kdb_live_\w+`).FindString(page))
	if err != nil {
		t.Fatalf("the page has no key: %s", page)
	}
	return token
}

// Programs that look at a link do not use it up. The first POST does, of two at a time as well;
// the key that it shows works, and no other one of that key.
func TestLinkWorksOnce(t *testing.T) {
	f := open(t)
	link := f.invite(t, "cursor")
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodGet} {
		status, body, _ := f.ask(t, method, link, "User-Agent", "Slackbot-LinkExpanding 1.0")
		if status != http.StatusOK || method == http.MethodGet && (!strings.Contains(body, "ann &lt;b&gt;") || !strings.Contains(body, "2026-03-02 12:00 UTC")) {
			t.Fatalf("%s: %d %s", method, status, body)
		}
	}
	var wait sync.WaitGroup
	var mu sync.Mutex
	pages := map[int][]string{}
	for range 6 {
		wait.Go(func() {
			status, body, _ := f.ask(t, http.MethodPost, link)
			mu.Lock()
			defer mu.Unlock()
			pages[status] = append(pages[status], body)
		})
	}
	wait.Wait()
	if len(pages[http.StatusOK]) != 1 {
		t.Fatalf("%d of 6 have shown the key", len(pages[http.StatusOK]))
	}
	token := f.shownKey(t, pages[http.StatusOK][0])
	if got, err := f.keys.Find(t.Context(), token); err != nil || got.ID != f.record.ID {
		t.Errorf("the key: %+v %v", got, err)
	}
	if want := []string{"key/redeem " + f.record.ID + " " + f.record.ID}; !slices.Equal(f.records, want) {
		t.Errorf("records %q, want %q", f.records, want)
	}
	if status, body, _ := f.ask(t, http.MethodGet, link); status != http.StatusGone || !strings.Contains(body, "does not work any more") {
		t.Errorf("a used link: %d %s", status, body)
	}
}

// Links end by time, by another link, and with the key; the page says what to do.
func TestLinksEnd(t *testing.T) {
	for name, change := range map[string]func(f *fixture) error{
		"expired": func(f *fixture) error { f.mu.Lock(); f.now = noon.Add(24 * time.Hour); f.mu.Unlock(); return nil },
		"revoked": func(f *fixture) error { _, err := f.keys.Revoke(t.Context(), f.record.ID); return err },
		"another": func(f *fixture) error { f.invite(t, ""); return nil },
	} {
		f := open(t)
		link := f.invite(t, "")
		if err := change(f); err != nil {
			t.Fatal(err)
		}
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			if status, body, _ := f.ask(t, method, link); status != http.StatusGone || !strings.Contains(body, "triptych key invite") || strings.Contains(body, "kdb_live_") {
				t.Errorf("%s: %s: %d %s", name, method, status, body)
			}
		}
	}
	f := open(t)
	if status, body, _ := f.ask(t, http.MethodGet, f.invite(t, "")[:40]); status != http.StatusNotFound || !strings.Contains(body, "not whole") {
		t.Errorf("a link that is cut off: %d %s", status, body)
	}
}

// A link that ends while its page is made is shown as it was found.
func TestLinkEndsMeanwhile(t *testing.T) {
	f := open(t)
	link := f.invite(t, "")
	f.mu.Lock()
	f.later = 24 * time.Hour
	f.mu.Unlock()
	if status, body, _ := f.ask(t, http.MethodGet, link); status != http.StatusOK || !strings.Contains(body, "2026-03-02 12:00 UTC") {
		t.Errorf("%d %s", status, body)
	}
}

// No other site can press the button or show the page, and the link is in no cache, no referrer,
// no log and no record.
func TestLinksAreKept(t *testing.T) {
	f := open(t)
	link := f.invite(t, "claude")
	for _, header := range [][]string{{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}, {"Origin", "https://evil.example"}, {"Origin", "null"}} {
		if status, body, _ := f.ask(t, http.MethodPost, link, header...); status != http.StatusForbidden || strings.Contains(body, "kdb_live_") {
			t.Errorf("%v: %d %s", header, status, body)
		}
	}
	_, cut, _ := f.ask(t, http.MethodGet, link[:len(link)-1])
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPost} { // shown, used, used again
		_, body, header := f.ask(t, method, link)
		for name, want := range map[string]string{
			"Cache-Control": "no-store", "Referrer-Policy": "no-referrer", "X-Frame-Options": "DENY", "X-Content-Type-Options": "nosniff",
			"Content-Security-Policy": "default-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'",
		} {
			if got := header.Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", method, name, got, want)
			}
		}
		if secret := strings.TrimPrefix(link, invite.Path); strings.Contains(body, secret) || strings.Contains(body, "<script") {
			t.Errorf("the page has the link or a script: %s", body)
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	seen := f.logged.String() + strings.Join(f.rejected, "") + strings.Join(f.records, "") + cut
	if strings.Contains(seen, "kdb_join_") || len(f.rejected) == 0 {
		t.Errorf("the log and the records are %s", seen)
	}
}

// After some links that do not work, an address has to wait, and to wait alone: as after wrong keys.
func TestAttemptsAreBounded(t *testing.T) {
	f := open(t)
	good := f.invite(t, "")
	var wait sync.WaitGroup
	statuses := make([]int, 40)
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	for i := range statuses {
		wait.Go(func() {
			r, err := http.NewRequestWithContext(ctx, http.MethodGet, f.URL+invite.Path+keys.NewToken(keys.Invitation).Reveal(), nil)
			if err != nil {
				return
			}
			if resp, err := http.DefaultTransport.RoundTrip(r); err == nil {
				statuses[i] = resp.StatusCode
				_ = resp.Body.Close()
			}
		})
	}
	wait.Wait()
	if !slices.Contains(statuses, http.StatusTooManyRequests) {
		t.Errorf("40 guesses at a time: %v", statuses)
	}
	if status, _, _ := f.ask(t, http.MethodPost, good); status != http.StatusOK {
		t.Errorf("the right link: %d", status)
	}
}

// A program that accepts JSON gets the key as JSON, and why it does not.
func TestRedeemedByAProgram(t *testing.T) {
	f := open(t)
	link := f.invite(t, "")
	status, body, _ := f.ask(t, http.MethodPost, link, "Accept", "application/json")
	var got invite.Redeemed
	if err := json.Unmarshal([]byte(body), &got); err != nil || status != http.StatusOK || got.URL != endpoint || got.ID != f.record.ID {
		t.Fatalf("%d %s", status, body)
	}
	f.shownKey(t, got.Key)
	if status, body, _ := f.ask(t, http.MethodPost, link, "Accept", "application/json"); status != http.StatusGone || !strings.HasPrefix(body, `{"error":"This link`) {
		t.Errorf("again: %d %s", status, body)
	}
	f.broken = true
	if status, body, _ := f.ask(t, http.MethodPost, f.invite(t, "")); status != http.StatusServiceUnavailable || strings.Contains(body, "kdb_live_") {
		t.Errorf("without a record: %d %s", status, body)
	}
}

// The buttons lead where the hosts say, with the endpoint in them; the host of the invitation
// comes first.
func TestWays(t *testing.T) {
	f := open(t)
	_, body, _ := f.ask(t, http.MethodPost, f.invite(t, "vscode"), "User-Agent", "Mozilla/5.0 (Windows NT 10.0)")
	key := f.shownKey(t, body).Reveal()
	if !regexp.MustCompile(`(?s)<h2>VS Code</h2>.*<h2>Other programs</h2>.*Claude on the web.*ChatGPT.*Cursor`).MatchString(body) {
		t.Error("the order is another")
	}
	links := map[string]string{}
	for _, m := range regexp.MustCompile(`class="button main" href="([^"]+)" rel="noreferrer">([^<]+)<`).FindAllStringSubmatch(body, -1) {
		links[m[2]] = html.UnescapeString(m[1])
	}
	claude, err := url.Parse(links["Add to Claude"])
	if q := claude.Query(); err != nil || claude.Host != "claude.ai" || q.Get("modal") != "add-custom-connector" || q.Get("connectorUrl") != endpoint {
		t.Errorf("Claude: %s", claude)
	}
	cursor, err := url.Parse(links["Add to Cursor"])
	if err != nil || cursor.Scheme+"://"+cursor.Host+cursor.Path != "cursor://anysphere.cursor-deeplink/mcp/install" {
		t.Fatalf("Cursor: %s", cursor)
	}
	text, err := base64.StdEncoding.DecodeString(cursor.Query().Get("config"))
	var config struct {
		URL     string            `json:"url"`
		Headers map[string]string `json:"headers"`
	}
	if err != nil || json.Unmarshal(text, &config) != nil || config.URL != endpoint || config.Headers["Authorization"] != "Bearer "+key {
		t.Errorf("Cursor: %s", text)
	}
	plain, err := url.PathUnescape(strings.TrimPrefix(links["Add to VS Code"], "vscode:mcp/install?"))
	if err != nil || json.Unmarshal([]byte(plain), &config) != nil || config.URL != endpoint || config.Headers["Authorization"] != "Bearer ${input:triptych_key}" || strings.Contains(plain, key) {
		t.Errorf("VS Code: %s", plain)
	}
	if !strings.Contains(body, `<code>%APPDATA%/Code/User/mcp.json</code>`) {
		t.Error("the page does not name the user's file")
	}
}
