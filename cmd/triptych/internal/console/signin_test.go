package console_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/console"
	"github.com/triptych-mcp/triptych/transport/bearer"
	"github.com/triptych-mcp/triptych/transport/keys"
)

var quiet = slog.New(slog.DiscardHandler)

// mistyped is a key whose last character is another.
func mistyped(key string) string {
	if body, ok := strings.CutSuffix(key, "x"); ok {
		return body + "y"
	}
	return key[:len(key)-1] + "x"
}

func TestSignIn(t *testing.T) {
	f := open(t)
	_, key := f.key(t)
	v := f.visitor(t)
	status, page := v.get(t, "/keys?page=2")
	wants(t, "a page without a session", status, page, http.StatusOK, `name="key"`, `name="next" value="/keys?page=2"`)
	for _, wrong := range []string{"", "kdb_live_wrong", mistyped(key)} {
		status, page := v.post(t, "/signin", url.Values{"key": {wrong}})
		wants(t, "the key "+wrong, status, page, http.StatusUnauthorized, `role="alert"`)
	}
	status, page = v.post(t, "/signin", url.Values{"key": {" " + key + "\n"}, "next": {"/rules"}})
	wants(t, "the right key", status, page, http.StatusOK, "<h1>Rules</h1>")
	status, page = v.submit(t, "/signout", url.Values{})
	wants(t, "signing out", status, page, http.StatusOK, `name="key"`)
	if _, page := v.get(t, "/rules"); strings.Contains(page, "<h1>Rules</h1>") {
		t.Error("signed in after signing out")
	}
}

// The cookie is for this host and no script; over TLS its name says so to browsers.
func TestCookie(t *testing.T) {
	for secure, name := range map[bool]string{false: "triptych", true: "__Host-triptych"} {
		f := open(t, func(cfg *console.Config) { cfg.Secure = secure })
		_, key := f.key(t)
		client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
		resp, err := client.PostForm(f.URL+"/signin", url.Values{"key": {key}, "next": {"//example.com/"}})
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if to := resp.Header.Get("Location"); to != "/" {
			t.Errorf("led to %s, want /", to)
		}
		cookies := resp.Cookies()
		if len(cookies) != 1 {
			t.Fatalf("cookies %v, want one", cookies)
		}
		c := cookies[0]
		if c.Name != name || !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != "/" || c.Secure != secure || strings.Contains(c.Value, key) {
			t.Errorf("cookie %v", c)
		}
	}
}

// A link signs in once, and only within five minutes; looking at it does not use it up.
func TestLink(t *testing.T) {
	now := time.Now()
	f := open(t, func(cfg *console.Config) { cfg.Now = func() time.Time { return now } })
	record, key := f.key(t)
	open := func(link string) (int, string) {
		v := f.visitor(t)
		if status, page := v.get(t, link); status != http.StatusOK || strings.Contains(page, key) {
			t.Fatalf("the link: %d %s", status, page)
		}
		_, code, _ := strings.Cut(link, "code=")
		return v.post(t, "/signin", url.Values{"code": {code}})
	}
	link := f.pages.Link(record.ID, key)
	status, page := open(link)
	wants(t, "the link", status, page, http.StatusOK, "You are signed in as")
	status, page = open(link)
	wants(t, "the link again", status, page, http.StatusUnauthorized, "does not work any more")
	late := f.pages.Link(record.ID, key)
	now = now.Add(5*time.Minute + time.Second)
	status, page = open(late)
	wants(t, "an old link", status, page, http.StatusUnauthorized, "does not work any more")
	status, page = open("/signin?code=GUESSED")
	wants(t, "a guessed link", status, page, http.StatusUnauthorized, "does not work any more")
}

// A program gets a link with a key, and none without.
func TestLinkForPrograms(t *testing.T) {
	f := open(t)
	_, key := f.key(t)
	for header, want := range map[string]int{"Bearer " + key: http.StatusOK, "Bearer kdb_live_x": http.StatusUnauthorized, "": http.StatusUnauthorized} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, f.URL+"/link", nil)
		if err != nil {
			t.Fatal(err)
		}
		if header != "" {
			req.Header.Set("Authorization", header)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close() // it was read
		if got := strings.Contains(string(body), `"/signin?code=`); resp.StatusCode != want || got != (want == http.StatusOK) {
			t.Errorf("%q: %d %s, want %d", header, resp.StatusCode, body, want)
		}
	}
}

// A principal has 20 sessions and 5 links; its own oldest one makes room, and the others
// stay as they are.
func TestShareOfOnePrincipal(t *testing.T) {
	now := time.Now()
	f := open(t, func(cfg *console.Config) { cfg.Now = func() time.Time { return now } })
	signedIn := func(v *visitor) bool {
		_, page := v.get(t, "/")
		return strings.Contains(page, "You are signed in as")
	}
	works := func(link string) bool {
		_, code, _ := strings.Cut(link, "code=")
		status, _ := f.visitor(t).post(t, "/signin", url.Values{"code": {code}})
		return status == http.StatusOK
	}
	mine, key := f.key(t)
	record, others := f.key(t)
	other, link := f.signedIn(t, others), f.pages.Link(record.ID, others)
	var visitors []*visitor
	for range 21 {
		now = now.Add(time.Second)
		visitors = append(visitors, f.signedIn(t, key))
	}
	for i, v := range visitors {
		if got := signedIn(v); got != (i > 0) {
			t.Errorf("session %d of 21: %v, want the last 20 to go on", i+1, got)
		}
	}
	var paths []string
	for range 101 { // more than all may have
		now = now.Add(time.Second)
		paths = append(paths, f.pages.Link(mine.ID, key))
	}
	for i, path := range paths[95:] {
		if got := works(path); got != (i > 0) {
			t.Errorf("link %d of 101: %v, want the last 5 to work", i+96, got)
		}
	}
	if !signedIn(other) || !works(link) {
		t.Error("the session or the link of another principal has ended")
	}
}

// Forms of other sites, of other sessions, and without the token change nothing.
func TestForgedForms(t *testing.T) {
	f := open(t)
	_, key := f.key(t)
	v := f.signedIn(t, key)
	form := url.Values{"name": {"forged"}, "markdown": {"x"}, "description": {"x"}}
	status, page := v.post(t, "/new", form)
	wants(t, "a form without the token", status, page, http.StatusForbidden, "not one of this session")
	_, other := f.signedIn(t, key).get(t, "/")
	form.Set("csrf", csrfField.FindStringSubmatch(other)[1])
	status, page = v.post(t, "/new", form)
	wants(t, "a form of another session", status, page, http.StatusForbidden, "not one of this session")

	_, own := v.get(t, "/")
	form.Set("csrf", csrfField.FindStringSubmatch(own)[1])
	for _, path := range []string{"/new", "/signin"} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, f.URL+path, strings.NewReader(form.Encode()))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Sec-Fetch-Site", "cross-site")
		resp, err := v.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close() // the status says it
		if resp.StatusCode != http.StatusForbidden {
			t.Errorf("%s from another site: %d, want 403", path, resp.StatusCode)
		}
	}
	if status, _ := v.get(t, "/rules/forged"); status != http.StatusNotFound {
		t.Errorf("the ruleset is there: %d", status)
	}
}

// A session ends with its key, after half an hour without a request, and after half a
// day.
func TestSessionEnds(t *testing.T) {
	now := time.Now()
	f := open(t, func(cfg *console.Config) { cfg.Now = func() time.Time { return now } })
	signedIn := func(v *visitor) bool {
		_, page := v.get(t, "/")
		return strings.Contains(page, "You are signed in as")
	}
	record, key := f.key(t)
	v := f.signedIn(t, key)
	now = now.Add(29 * time.Minute)
	if !signedIn(v) {
		t.Error("ended after 29 minutes")
	}
	now = now.Add(31 * time.Minute)
	if signedIn(v) {
		t.Error("goes on after 31 minutes without a request")
	}
	v = f.signedIn(t, key)
	for range 25 {
		now = now.Add(29 * time.Minute)
		signedIn(v)
	}
	if signedIn(v) {
		t.Error("goes on after 12 hours")
	}
	v = f.signedIn(t, key)
	if _, err := f.store.Revoke(t.Context(), record.ID); err != nil {
		t.Fatal(err)
	}
	if status, page := v.get(t, "/"); status != http.StatusUnauthorized || !strings.Contains(page, `name="key"`) {
		t.Errorf("with a revoked key: %d %s", status, page)
	}
}

// While keys cannot be looked up a session is neither served nor ended, and none begins.
func TestStoreOfKeysIsAway(t *testing.T) {
	ring := new(awayRing)
	f := open(t, func(cfg *console.Config) { cfg.Auth = bearer.New(bearer.Config{Ring: ring, Logger: quiet}) })
	ring.Ring = f.store
	_, key := f.key(t)
	v := f.signedIn(t, key)
	_, page := v.get(t, "/")
	form := url.Values{"csrf": {csrfField.FindStringSubmatch(page)[1]}, "plan": {"enterprise"}, "scope": {"rulesets:read"}}
	ring.away.Store(true)
	status, page := v.get(t, "/")
	wants(t, "a page", status, page, http.StatusServiceUnavailable, "You are still signed in")
	status, page = v.post(t, "/keys", form)
	wants(t, "a form", status, page, http.StatusServiceUnavailable, "You are still signed in")
	status, page = f.visitor(t).post(t, "/signin", url.Values{"key": {key}})
	wants(t, "signing in", status, page, http.StatusServiceUnavailable, "keys cannot be looked up now")
	if all, err := f.store.List(t.Context()); err != nil || len(all) != 1 {
		t.Errorf("%d keys, %v, want the one of the visitor", len(all), err)
	}
	ring.away.Store(false)
	status, page = v.get(t, "/")
	wants(t, "a page after it", status, page, http.StatusOK, "You are signed in as")
}

// An awayRing finds keys, and says that it could not look them up while it is away.
type awayRing struct {
	keys.Ring
	away atomic.Bool
}

func (r *awayRing) Find(ctx context.Context, token keys.Token) (keys.Record, error) {
	record, err := r.Ring.Find(ctx, token)
	if r.away.Load() {
		err = keys.ErrUnavailable
	}
	return record, err
}

// A session may make 300 requests a minute.
func TestRateLimit(t *testing.T) {
	now := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	f := open(t, func(cfg *console.Config) { cfg.Now = func() time.Time { return now } })
	_, key := f.key(t)
	v := f.signedIn(t, key) // the first request
	for i := range 299 {
		if status, _ := v.get(t, "/"); status != http.StatusOK {
			t.Fatalf("request %d: %d", i+2, status)
		}
	}
	if status, _ := v.get(t, "/"); status != http.StatusTooManyRequests {
		t.Errorf("request 301: %d, want 429", status)
	}
	now = now.Add(time.Minute)
	if status, _ := v.get(t, "/"); status != http.StatusOK {
		t.Errorf("a minute later: %d", status)
	}
}

// Every answer forbids scripts and everything from elsewhere.
func TestHeaders(t *testing.T) {
	f := open(t)
	_, key := f.key(t)
	v := f.signedIn(t, key)
	for _, path := range []string{"/", "/signin", "/static/style.css", "/nothing", "/rules/nothing", "/proposals", "/proposals/1", "/proposals/x"} {
		resp, err := v.Get(f.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close() // the headers matter
		policy := resp.Header.Get("Content-Security-Policy")
		for _, want := range []string{"default-src 'none'", "frame-ancestors 'none'", "form-action 'self'", "base-uri 'none'"} {
			if !strings.Contains(policy, want) {
				t.Errorf("%s: the policy %q lacks %q", path, policy, want)
			}
		}
		if strings.Contains(policy, "script-src") || strings.Contains(policy, "unsafe") {
			t.Errorf("%s: the policy %q permits scripts", path, policy)
		}
		if got := resp.Header.Get("X-Content-Type-Options"); got != "nosniff" {
			t.Errorf("%s: X-Content-Type-Options %q", path, got)
		}
	}
}
