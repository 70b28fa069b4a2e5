package console_test

import (
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/console"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/transport/keys"
	"github.com/triptych-mcp/triptych/transport/quota"
)

// hostile lists texts that a browser may take for the URL of another site, or for a script.
var hostile = []string{
	"//evil.example", "///evil.example", "/\t/evil.example", "/\n/evil.example", "/\r/evil.example", "\t//evil.example", " //evil.example",
	"/\\evil.example", "\\\\evil.example", "\\/evil.example", "/\x00/evil.example", "/\x0b/evil.example", "/\u00a0/evil.example", "/\u2028/evil.example",
	"https://evil.example", "https:/evil.example", "https:evil.example", "javascript:alert(1)", "data:text/html,x", "evil.example", "@evil.example",
	"/%zz", "", "?a=b", "#a", "./a", "../a", "/a b", "/ä", "//", "/\t", "http://[::1", "/a\r\nSet-Cookie: a=b",
}

// stays reports whether a browser on this site that follows a Location stays here. Browsers
// remove tabs and the ends of lines, and read backslashes as slashes (WHATWG URL, section 4.4).
func stays(location string) bool {
	location = strings.Trim(location, "\x00\x01\x0b\x0c \t\r\n")
	location = strings.NewReplacer("\t", "", "\n", "", "\r", "", "\\", "/").Replace(location)
	return strings.HasPrefix(location, "/") && !strings.HasPrefix(location, "//")
}

// No redirect of the console leads to another site, whatever the URL or a form says.
func TestRedirectsStayHere(t *testing.T) {
	f := open(t)
	_, key := f.key(t, scopes...)
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	locate := func(resp *http.Response, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if _, err := io.Copy(io.Discard, resp.Body); err != nil {
			t.Fatal(err)
		}
		return resp.Header.Get("Location")
	}
	signIn := func(next string) string {
		return locate(client.PostForm(f.URL+"/signin", url.Values{"key": {key}, "next": {next}}))
	}
	for _, next := range []string{"/rules", "/keys?page=2", "/rules/a/diff?from=1&to=2", "/rules/a%20b", "/audit?text=%C3%A4"} {
		if got := signIn(next); got != next {
			t.Errorf("%q leads to %q", next, got)
		}
	}
	for _, next := range hostile {
		if got := signIn(next); got != "/" {
			t.Errorf("%q leads to %q, want /", next, got)
		}
	}
	for _, row := range f.pages.Routes() {
		for _, name := range hostile {
			path := strings.NewReplacer("{name}", url.PathEscape(name), "{id}", url.PathEscape(name), "{rev}", "1", "{$}", url.PathEscape(name)).Replace(row.Path)
			for _, query := range []string{"", "?next=" + url.QueryEscape(name) + "&done=" + url.QueryEscape(name)} {
				req, err := http.NewRequestWithContext(t.Context(), row.Method, f.URL+path+query, http.NoBody)
				if err != nil {
					t.Fatal(err)
				}
				if got := locate(client.Do(req)); got != "" && !stays(got) {
					t.Errorf("%s %s leads to %q", row.Method, path+query, got)
				}
			}
		}
	}
}

// A page says what a form has done once, and shows no text that the URL has.
func TestDone(t *testing.T) {
	f := open(t)
	_, key := f.key(t, scopes...)
	v := f.signedIn(t, key)
	if _, page := v.get(t, "/rules?done=Your+key+was+leaked"); strings.Contains(page, "leaked") {
		t.Error("a page shows the text of the URL")
	}
	status, page := v.submit(t, "/new", url.Values{"name": {"done"}, "description": {"d"}, "markdown": {"# m"}})
	wants(t, "creating", status, page, http.StatusOK, `role="status">Created done.`)
	if _, page := v.get(t, "/rules/done"); strings.Contains(page, "Created done.") {
		t.Error("it is said again")
	}
}

// A link says whose key it signs in with, and who is signed in already.
func TestLinkSaysWhose(t *testing.T) {
	f := open(t)
	one, first := f.key(t)
	two, second := f.key(t)
	v := f.signedIn(t, first)
	status, page := v.get(t, f.pages.Link(two.ID, second))
	wants(t, "a link of another key", status, page, http.StatusOK, two.ID, "You are signed in with the key <strong>"+one.ID)
	_, page = v.get(t, f.pages.Link(one.ID, first))
	if !strings.Contains(page, one.ID) || strings.Contains(page, "that session ends") {
		t.Errorf("a link of the same key: %s", page)
	}
	status, page = v.get(t, "/signin?code=GUESSED")
	wants(t, "a guessed link", status, page, http.StatusOK, "does not work any more")
}

// The files of the pages are served, a list of them is not.
func TestStaticFiles(t *testing.T) {
	f := open(t)
	v := f.visitor(t)
	for path, want := range map[string]int{
		"/static/style.css": 200, "/static/icon.svg": 200, "/static/": 404, "/static": 404, "/static/../templates/frame.html": 404, "/static/frame.html": 404,
	} {
		if status, page := v.get(t, path); status != want {
			t.Errorf("%s: %d %s, want %d", path, status, page, want)
		}
	}
}

// A key that may administrate keys hands out, changes, rotates and revokes at most what it has
// itself, in every dimension.
func TestLimitedAdministrator(t *testing.T) {
	f := open(t)
	end := time.Now().Add(48 * time.Hour).UTC()
	make := func(s keys.Settings) (keys.Record, string) {
		t.Helper()
		if s.Scopes == nil {
			s.Scopes = []host.Scope{"rulesets:read", console.AdminScope}
		}
		r, token, err := f.store.Create(t.Context(), keys.Live, s)
		if err != nil {
			t.Fatal(err)
		}
		return r, token.Reveal()
	}
	here := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	limited := keys.Settings{Plan: quota.Team, Expires: end, Allow: here}
	own, key := make(limited)
	v := f.signedIn(t, key)
	day := end.Add(-time.Nanosecond).Format(time.DateOnly)
	form := func(name, value string) url.Values {
		form := url.Values{"plan": {"team"}, "scope": {"rulesets:read"}, "expires": {day}, "allow": {"127.0.0.1"}}
		if name != "" {
			form.Set(name, value)
		}
		return form
	}
	status, page := v.submit(t, "/keys", form("", ""))
	wants(t, "a key like its own", status, page, http.StatusOK, "kdb_live_")
	for name, value := range map[string]string{
		"plan": "enterprise", "expires": "", "allow": "", "scope": "rulesets:write",
	} {
		status, page := v.submit(t, "/keys", form(name, value))
		wants(t, "a new key with more "+name, status, page, http.StatusUnprocessableEntity, "our own key")
		status, page = v.submit(t, "/keys/"+own.ID, form(name, value))
		wants(t, "its own key with more "+name, status, page, http.StatusUnprocessableEntity, "our own key")
	}
	for what, s := range map[string]keys.Settings{
		"plan":      {Plan: quota.Enterprise, Expires: end, Allow: here},
		"expiry":    {Plan: quota.Team, Allow: here},
		"addresses": {Plan: quota.Team, Expires: end},
		"scope":     {Plan: quota.Team, Expires: end, Allow: here, Scopes: []host.Scope{"rulesets:write"}},
	} {
		other, _ := make(s)
		for path, form := range map[string]url.Values{"": form("", ""), "/rotate": {"grace": {"0s"}}, "/revoke": {}} {
			status, page := v.submit(t, "/keys/"+other.ID+path, form)
			wants(t, path+" of a key with more "+what, status, page, http.StatusForbidden, "more rights than yours")
		}
	}
	lesser, _ := make(keys.Settings{Plan: quota.Free, Expires: end, Allow: here})
	status, page = v.submit(t, "/keys/"+lesser.ID+"/revoke", url.Values{})
	wants(t, "revoking a key with less", status, page, http.StatusOK, "Revoked.")
}

// Exports, searches, previews, verification and findings cost a call of the quota.
func TestPagesAreCharged(t *testing.T) {
	f := open(t)
	for _, tc := range []struct {
		path string
		form url.Values // of a POST
	}{
		{"/audit", nil},
		{"/audit?text=a", nil},
		{"/audit/export", nil},
		{"/audit/verify", url.Values{}},
		{"/lint", nil},
		{"/speeds", nil},
		{"/new", url.Values{"do": {"preview"}, "markdown": {"# m"}}},
	} {
		record, token, err := f.store.Create(t.Context(), keys.Live, keys.Settings{Plan: quota.Enterprise, Own: quota.Limits{Minute: 50, Month: 50}})
		if err != nil {
			t.Fatal(err)
		}
		v := f.signedIn(t, token.Reveal())
		used := func() int64 {
			usage, err := f.meter.Peek(t.Context(), record.ID, record.Limits(), time.Now())
			if err != nil {
				t.Fatal(err)
			}
			return usage.Month.Used
		}
		before := used()
		status, page := 0, ""
		if tc.form == nil {
			status, page = v.get(t, tc.path)
		} else {
			status, page = v.submit(t, tc.path, tc.form)
		}
		if status != http.StatusOK || used() <= before {
			t.Errorf("%s: %d, %d calls charged: %s", tc.path, status, used()-before, page)
		}
		if _, err := f.meter.TakeAll(t.Context(), record.ID, record.Limits(), 50-used(), time.Now()); err != nil {
			t.Fatal(err)
		}
		if tc.form == nil {
			status, _ = v.get(t, tc.path)
		} else {
			status, _ = v.submit(t, tc.path, tc.form)
		}
		if status != http.StatusTooManyRequests {
			t.Errorf("%s without calls left: %d, want 429", tc.path, status)
		}
	}
}

// A text that cannot be rendered within the bounds is shown as it is, with the reason; of a
// large one, the beginning.
func TestTextsAsTheyAre(t *testing.T) {
	f := open(t)
	_, key := f.key(t, scopes...)
	v := f.signedIn(t, key)
	for text, want := range map[string]string{
		"# Title": "<h1>Title</h1>",
		strings.Repeat("a|", 200) + "\n" + strings.Repeat("-|", 200) + "\n" + strings.Repeat("|b\n", 300): "The text is shown as it is: its tables have more than 10000 cells.",
		strings.Repeat("<b> ", 100_000): "it has more than 256 KiB. These are the first 256 KiB of 390;",
	} {
		status, page := v.submit(t, "/new", url.Values{"do": {"preview"}, "markdown": {text}})
		wants(t, "a preview", status, page[:min(len(page), 4000)], http.StatusOK, want)
		if strings.Contains(page, "<b>") {
			t.Error("the text is not escaped")
		}
	}
}
