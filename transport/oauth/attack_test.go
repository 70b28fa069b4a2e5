package oauth_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/transport/keys"
	"github.com/triptych-mcp/triptych/transport/oauth"
)

// What would lead a browser to a stranger is shown to the person, and leads nowhere.
func TestForeignRedirects(t *testing.T) {
	f := open(t, func(cfg *oauth.Config) { cfg.Redirects = []string{"cursor://anysphere.cursor-mcp/oauth/callback"} })
	client := f.register(t, callback, "https://claude.ai/api/mcp/auth_callback", "cursor://anysphere.cursor-mcp/oauth/callback")
	for _, redirect := range []string{
		"https://evil.example/callback", "https://claude.ai/redirect?to=https://evil.example", "https://claude.ai.evil.example/api/mcp/auth_callback",
		"https://claude.ai@evil.example/api/mcp/auth_callback", "https://claude.ai/api/mcp/auth_callback/../../../x", "https://claude.ai/api/mcp/auth_callback?x=1",
		"//evil.example", "javascript:alert(1)", "data:text/html,x", "http://127.0.0.1.evil.example/callback", "http://127.0.0.1:1@evil.example/callback",
		"http://127.0.0.1\\@evil.example/callback", "http://localhost:33418/callback", "http://127.0.0.1:33418/other", "https://127.0.0.1:33418/callback",
		"http://10.0.0.1/callback", callback + "#x", "cursor://other/oauth/callback", "https://chatgpt.com/connector/oauth/../../x", "",
	} {
		status, body, header := f.get(t, f.one, request(client, set("redirect_uri", redirect)))
		if status != http.StatusBadRequest || header.Get("Location") != "" || strings.Contains(body, "<form") {
			t.Errorf("%q: %d %s", redirect, status, header.Get("Location"))
		}
	}
	for _, redirect := range []string{callback, "http://127.0.0.1:1/callback", "https://claude.ai/api/mcp/auth_callback", "cursor://anysphere.cursor-mcp/oauth/callback"} {
		if status, body, _ := f.get(t, f.one, request(client, set("redirect_uri", redirect))); status != http.StatusOK {
			t.Errorf("%q: %d %s", redirect, status, body)
		}
	}
	if status, body := f.tryRegister(t, "https://evil.example/callback"); status != http.StatusBadRequest || !strings.Contains(body, "invalid_redirect_uri") {
		t.Errorf("registered a foreign redirect: %d %s", status, body)
	}
	for _, id := range []string{"", "other", "reg_AAAA", "reg_" + strings.Repeat("A", 200), client[:len(client)-2] + "AA"} {
		if status, _, header := f.get(t, f.one, request(id)); status != http.StatusBadRequest || header.Get("Location") != "" {
			t.Errorf("the client %q: %d", id, status)
		}
	}
}

// Requests without PKCE by S256, for another resource, or of another type are sent back as
// errors of this issuer.
func TestDowngrades(t *testing.T) {
	f := open(t)
	client := f.register(t, callback)
	for _, tc := range []struct {
		edit func(url.Values)
		want string
	}{
		{set("code_challenge", ""), "invalid_request"},
		{set("code_challenge_method", ""), "invalid_request"},
		{set("code_challenge_method", "plain"), "invalid_request"},
		{set("code_challenge", "short"), "invalid_request"},
		{set("response_type", "token"), "unsupported_response_type"},
		{set("resource", "https://other.example/mcp"), "invalid_target"},
		{func(q url.Values) { q.Add("resource", "https://other.example/mcp") }, "invalid_target"},
	} {
		status, _, header := f.get(t, f.one, request(client, tc.edit))
		to, err := url.Parse(header.Get("Location"))
		if err != nil || status != http.StatusSeeOther || to.Query().Get("error") != tc.want || to.Query().Get("iss") != issuer || to.Query().Has("code") {
			t.Errorf("want %s: %d %s", tc.want, status, to)
		}
	}
	for _, name := range []string{"client_id", "redirect_uri", "state", "code_challenge"} {
		if status, _, header := f.get(t, f.one, request(client, func(q url.Values) { q.Add(name, "other") })); status != http.StatusBadRequest || header.Get("Location") != "" {
			t.Errorf("two of %s: %d", name, status)
		}
	}
}

// A code works once, for its client, its redirect, its verifier and its resource. Used again,
// it ends what it has begun.
func TestCodes(t *testing.T) {
	f := open(t)
	client, other := f.register(t, callback), f.register(t, "http://127.0.0.1/other", callback)
	for name, edit := range map[string]func(url.Values){
		"client": set("client_id", other), "redirect": set("redirect_uri", "http://127.0.0.1/other"), "verifier": set("code_verifier", verifier+"x"),
		"no verifier": set("code_verifier", ""), "resource": set("resource", "https://other.example/mcp"), "no client": set("client_id", ""),
	} {
		code := f.allow(t, client)
		if got, status := f.ask(t, f.one, exchange(client, code, edit)); status != http.StatusBadRequest || got.Access != "" {
			t.Errorf("another %s: %d %+v", name, status, got)
		}
		if _, status := f.ask(t, f.one, exchange(client, code)); status != http.StatusBadRequest {
			t.Errorf("a code works after an attempt with another %s", name)
		}
	}
	code := f.allow(t, client)
	got, status := f.ask(t, f.one, exchange(client, code))
	if status != http.StatusOK {
		t.Fatalf("%d %+v", status, got)
	}
	if again, status := f.ask(t, f.two, exchange(client, code)); status != http.StatusBadRequest || again.Error != "invalid_grant" {
		t.Errorf("a code twice: %d %+v", status, again)
	}
	if _, status := f.ask(t, f.one, refresh(client, got.Refresh)); status != http.StatusBadRequest {
		t.Error("the tokens of a code that was used twice go on")
	}
	if status, _ := f.call(t, f.two, got.Access); status != http.StatusUnauthorized {
		t.Errorf("the access token of a code that was used twice: %d", status)
	}
	code = f.allow(t, client)
	f.pass(61e9)
	if _, status := f.ask(t, f.one, exchange(client, code)); status != http.StatusBadRequest {
		t.Error("a code works after a minute")
	}
}

// A refresh token that comes again ends the login, of two at once as well. Those of other
// clients do nothing.
func TestRefreshReplay(t *testing.T) {
	f := open(t)
	client := f.register(t, callback)
	first := f.login(t, client)
	if _, status := f.ask(t, f.one, refresh(f.register(t, callback), first.Refresh)); status != http.StatusBadRequest {
		t.Error("another client refreshes")
	}
	second, status := f.ask(t, f.one, refresh(client, first.Refresh))
	if status != http.StatusOK {
		t.Fatalf("%d %+v", status, second)
	}
	if status, _ := f.call(t, f.one, first.Access); status != http.StatusOK {
		t.Errorf("a refresh ends the access token that is in use: %d", status)
	}
	if _, status := f.ask(t, f.two, refresh(client, first.Refresh)); status != http.StatusBadRequest {
		t.Error("a refresh token works twice")
	}
	for _, token := range []string{first.Access, second.Access} {
		if status, _ := f.call(t, f.two, token); status != http.StatusUnauthorized {
			t.Errorf("an access token works after a replay: %d", status)
		}
	}
	if _, status := f.ask(t, f.one, refresh(client, second.Refresh)); status != http.StatusBadRequest {
		t.Error("the newest refresh token works after a replay")
	}
	if last := f.recorded[len(f.recorded)-1]; last != "oauth/replay "+f.record.ID+" An editor" {
		t.Errorf("recorded %q", last)
	}

	third := f.login(t, client)
	var done sync.WaitGroup
	statuses := make([]int, 2)
	for i, server := range []string{f.one.URL, f.two.URL} {
		done.Go(func() {
			resp, err := http.PostForm(server+"/oauth/token", refresh(client, third.Refresh))
			if err == nil {
				statuses[i] = resp.StatusCode
				_ = resp.Body.Close()
			}
		})
	}
	done.Wait()
	if statuses[0]+statuses[1] != http.StatusOK+http.StatusBadRequest {
		t.Errorf("two refreshes at once: %v", statuses)
	}
}

// Tokens of one kind are not taken for another.
func TestOtherKinds(t *testing.T) {
	f := open(t)
	client := f.register(t, callback)
	code := f.allow(t, client)
	family, _, _ := strings.Cut(code, ".")
	for _, token := range []string{code, family} {
		if status, _ := f.call(t, f.one, token); status != http.StatusUnauthorized {
			t.Errorf("a code opens the endpoint: %d", status)
		}
	}
	if _, status := f.ask(t, f.one, refresh(client, code)); status != http.StatusBadRequest {
		t.Error("a code refreshes")
	}
	got := f.login(t, client)
	family, _, _ = strings.Cut(got.Refresh, ".")
	for _, token := range []string{got.Refresh, family} {
		if status, _ := f.call(t, f.one, token); status != http.StatusUnauthorized {
			t.Errorf("a refresh token opens the endpoint: %d", status)
		}
	}
	_, body, _ := f.get(t, f.one, request(client))
	for _, token := range []string{got.Access, got.Refresh, family} { // a client must not make itself another login
		if status, _, _ := f.post(t, f.one, "/oauth/authorize", url.Values{"request": {sealed(t, "request", body)}, "key": {token}}); status != http.StatusUnauthorized {
			t.Errorf("a page takes %.9s: %d", token, status)
		}
	}
}

// Forms of other sites, of other browsers and for other purposes do nothing.
func TestForgedForms(t *testing.T) {
	f := open(t)
	client := f.register(t, callback)
	page := f.shown(t, request(client))
	choice := url.Values{"choice": {sealed(t, "choice", page)}, "do": {"allow"}}
	_, body, _ := f.get(t, f.one, request(client))
	asked := sealed(t, "request", body)
	for name, tc := range map[string]struct {
		form url.Values
		edit func(*http.Request)
	}{
		"another site":          {choice, func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }},
		"another origin":        {choice, func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }},
		"no cookie":             {choice, func(r *http.Request) { r.Header.Del("Cookie") }},
		"another browser":       {choice, func(r *http.Request) { r.Header.Set("Cookie", "__Host-triptych-login="+strings.Repeat("A", 40)) }},
		"a request as a choice": {url.Values{"choice": {asked}, "do": {"allow"}}, func(*http.Request) {}},
		"nothing":               {url.Values{"choice": {""}, "do": {"allow"}}, func(*http.Request) {}},
		"a key of an attacker": {
			url.Values{"request": {asked}, "key": {f.key.Reveal()}}, func(r *http.Request) { r.Header.Del("Cookie") },
		},
	} {
		if status, _, header := f.post(t, f.one, "/oauth/authorize", tc.form, tc.edit); status != http.StatusForbidden || header.Get("Location") != "" {
			t.Errorf("%s: %d %s", name, status, header.Get("Location"))
		}
	}
	f.pass(6 * 60e9)
	if status, _, _ := f.post(t, f.one, "/oauth/authorize", choice); status != http.StatusForbidden {
		t.Errorf("an old page allows: %d", status)
	}
}

// 10,000 registrations store nothing, and each goes on to work.
func TestManyRegistrations(t *testing.T) {
	f := open(t)
	first := f.register(t, callback)
	for range 10_000 {
		f.register(t, callback)
	}
	if got := f.login(t, first); got.Access == "" {
		t.Error("the first client is forgotten")
	}
	if status, _ := f.tryRegister(t, strings.Split(strings.Repeat(callback+" ", 11), " ")...); status != http.StatusBadRequest {
		t.Errorf("a client with many redirects: %d", status)
	}
	if status, _ := f.tryRegister(t, "http://127.0.0.1/"+strings.Repeat("a", 20_000)); status != http.StatusRequestEntityTooLarge {
		t.Errorf("a large registration: %d", status)
	}
}

// A key has a bounded number of clients; the one not used for longest makes room.
func TestManyLogins(t *testing.T) {
	f := open(t)
	client := f.register(t, callback)
	first := f.login(t, client)
	for range keys.MaxGrants {
		f.pass(1e9)
		f.login(t, client)
	}
	record, err := f.keys.Get(t.Context(), f.record.ID)
	if err != nil || len(record.Grants) != keys.MaxGrants {
		t.Errorf("%d grants, %v", len(record.Grants), err)
	}
	if status, _ := f.call(t, f.one, first.Access); status != http.StatusUnauthorized {
		t.Errorf("the first client is still there: %d", status)
	}
}

// The link of an invitation signs in once: when the client is allowed, not before. The key stays
// as it is.
func TestInvitationSignsInOnce(t *testing.T) {
	f := open(t)
	client := f.register(t, callback)
	_, invitation, err := f.keys.Invite(t.Context(), f.record.ID, "", f.clock().Add(24*time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	paste := func() (status int, body string) {
		_, body, _ = f.get(t, f.one, request(client))
		status, body, _ = f.post(t, f.one, "/oauth/authorize", url.Values{
			"request": {sealed(t, "request", body)}, "key": {" " + issuer + "/invite/" + invitation.Reveal() + "\n"},
		})
		return status, body
	}
	var pages []string
	for range 2 {
		status, body := paste()
		if status != http.StatusOK || strings.Contains(body, invitation.Reveal()) {
			t.Fatalf("the link: %d %s", status, body)
		}
		pages = append(pages, body)
	}
	answer := func(page, do string) int {
		status, _, _ := f.post(t, f.one, "/oauth/authorize", url.Values{"choice": {sealed(t, "choice", page)}, "do": {do}})
		return status
	}
	if got := []int{answer(pages[0], "refuse"), answer(pages[0], "allow"), answer(pages[0], "allow"), answer(pages[1], "allow")}; !slices.Equal(got, []int{303, 303, 503, 503}) {
		t.Errorf("refused, allowed, allowed again, on another page: %v", got)
	}
	if status, body := paste(); status != http.StatusUnauthorized || !strings.Contains(body, "this link was used") {
		t.Errorf("a used link: %d %s", status, body)
	}
	if status, _ := f.call(t, f.two, f.key.Reveal()); status != http.StatusOK {
		t.Errorf("the key itself: %d", status)
	}
	if status, _ := f.call(t, f.two, invitation.Reveal()); status != http.StatusUnauthorized {
		t.Errorf("a link as a key: %d", status)
	}
}
