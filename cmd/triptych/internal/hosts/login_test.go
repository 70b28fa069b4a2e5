package hosts_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/hosts"
)

// An issuer is a server with a login, one part of which a test can spoil.
type issuer struct {
	challenge, resource, server string // {URL} stands for its URL
	registration, page, answer  string
	token                       string
	status                      map[string]int // by path, 200 unless there
}

func goodIssuer() *issuer {
	return &issuer{
		challenge: `Bearer resource_metadata="{URL}/resource"`,
		resource:  `{"resource":"{URL}/mcp","authorization_servers":["{URL}"]}`,
		server: `{"issuer":"{URL}","authorization_endpoint":"{URL}/authorize","token_endpoint":"{URL}/token","registration_endpoint":"{URL}/register",` +
			`"response_types_supported":["code"],"code_challenge_methods_supported":["S256"],"authorization_response_iss_parameter_supported":true}`,
		registration: `{"client_id":"a client"}`,
		page:         `<html><head><title>No</title></head><body>Sign in</body></html>`,
		answer:       "?error=unsupported_response_type&state=triptych-doctor&iss={URL}",
		token:        `{"error":"invalid_grant"}`,
		status:       map[string]int{"/mcp": 401, "/register": 201, "/token": 400},
	}
}

func (i *issuer) serve(t *testing.T) string {
	t.Helper()
	var at string
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fill := func(text string) string { return strings.ReplaceAll(text, "{URL}", at) }
		if q := r.URL.Query(); r.URL.Path == "/authorize" && i.status["/authorize"] == 0 && q.Get("response_type") != "code" {
			http.Redirect(w, r, q.Get("redirect_uri")+fill(i.answer), http.StatusFound)
			return
		}
		texts := map[string]string{
			"/resource": i.resource, "/.well-known/oauth-protected-resource/mcp": i.resource, "/.well-known/oauth-authorization-server": i.server,
			"/register": i.registration, "/authorize": i.page, "/token": i.token, "/mcp": "{}",
		}
		text, ok := texts[r.URL.Path]
		if !ok || text == "" {
			http.NotFound(w, r)
			return
		}
		if r.URL.Path == "/mcp" {
			w.Header().Set("WWW-Authenticate", fill(i.challenge))
		}
		if status := i.status[r.URL.Path]; status != 0 {
			w.WriteHeader(status)
		}
		_, _ = w.Write([]byte(fill(text))) // the walk reads it
	}))
	t.Cleanup(web.Close)
	at = web.URL
	return at
}

// walked goes the way of Cursor, which registers, and returns the first fault.
func walked(t *testing.T, at string) (hosts.Found, *hosts.Fault) {
	t.Helper()
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	walk := hosts.Walk{URL: at + "/mcp", HTTP: client, Patience: 10 * time.Second}
	found, fault := walk.Find(t.Context())
	if found != hosts.HasLogin || fault != nil {
		return found, fault
	}
	for i := range hosts.Logins {
		if by, fault := walk.Play(t.Context(), &hosts.Logins[i]); fault != nil || by != "by registration" {
			return found, fault
		}
	}
	return found, walk.Exchange(t.Context())
}

// A login without a fault has none, and one with a fault has that one, with something to do.
func TestWalk(t *testing.T) {
	for name, tc := range map[string]struct {
		spoil func(i *issuer)
		found hosts.Found
		want  string // in the fault; "" for none
	}{
		"whole":               {func(*issuer) {}, hosts.HasLogin, ""},
		"no challenge":        {func(i *issuer) { i.challenge = "Bearer" }, hosts.HasLogin, ""},
		"no login":            {func(i *issuer) { i.challenge, i.resource = "Bearer", "" }, hosts.NoLogin, "there is none"},
		"open":                {func(i *issuer) { i.status["/mcp"] = 200 }, hosts.NoKey, ""},
		"broken":              {func(i *issuer) { i.status["/mcp"] = 502 }, hosts.Unreached, ""},
		"no resource":         {func(i *issuer) { i.resource = "" }, hosts.HasLogin, "RFC 9728): {URL}/resource: status 404"},
		"a page for resource": {func(i *issuer) { i.resource = "<html>" }, hosts.HasLogin, "is not JSON"},
		"another resource": {func(i *issuer) {
			i.resource = `{"resource":"https://other.example/mcp","authorization_servers":["{URL}"]}`
		}, hosts.HasLogin, `it is of "https://other.example/mcp"`},
		"a longer resource": {func(i *issuer) { i.resource = `{"resource":"{URL}/mc","authorization_servers":["{URL}"]}` }, hosts.HasLogin, "it is of"},
		"no servers":        {func(i *issuer) { i.resource = `{"resource":"{URL}"}` }, hosts.HasLogin, "names no authorization server"},
		"no metadata":       {func(i *issuer) { i.server = "" }, hosts.HasLogin, "RFC 8414"},
		"another issuer": {func(i *issuer) {
			i.server = strings.Replace(i.server, `"issuer":"{URL}"`, `"issuer":"https://other.example"`, 1)
		}, hosts.HasLogin, `its issuer is "https://other.example"`},
		"no S256":         {func(i *issuer) { i.server = strings.Replace(i.server, "S256", "plain", 1) }, hosts.HasLogin, "does not name S256"},
		"no code":         {func(i *issuer) { i.server = strings.Replace(i.server, `["code"]`, `["token"]`, 1) }, hosts.HasLogin, "does not name code"},
		"in the clear":    {func(i *issuer) { i.server = strings.Replace(i.server, "{URL}/token", "http://other.example/token", 1) }, hosts.HasLogin, "token_endpoint is no https URL"},
		"no registration": {func(i *issuer) { i.server = strings.Replace(i.server, "registration_endpoint", "x", 1) }, hosts.HasLogin, "neither register nor"},
		"refused registration": {func(i *issuer) {
			i.registration, i.status["/register"] = `{"error":"invalid_redirect_uri","error_description":"not here"}`, 400
		}, hosts.HasLogin, "RFC 7591): status 400, invalid_redirect_uri not here"},
		"refused page":     {func(i *issuer) { i.page, i.status["/authorize"] = "<p>Unknown <b>client</b></p>", 400 }, hosts.HasLogin, "status 400, Unknown client"},
		"another iss":      {func(i *issuer) { i.answer = "?error=x&state=triptych-doctor&iss=https://other.example" }, hosts.HasLogin, `iss is "https://other.example"`},
		"no iss":           {func(i *issuer) { i.answer = "?error=x&state=triptych-doctor" }, hosts.HasLogin, `iss is ""`},
		"no state":         {func(i *issuer) { i.answer = "?error=x&iss={URL}" }, hosts.HasLogin, "the state is another"},
		"a page of tokens": {func(i *issuer) { i.token = "<html>Forbidden" }, hosts.HasLogin, "tokens: a code that does not exist is answered with 400"},
		"a token":          {func(i *issuer) { i.token, i.status["/token"] = `{"access_token":"x"}`, 200 }, hosts.HasLogin, "answered with 200"},
	} {
		i := goodIssuer()
		tc.spoil(i)
		at := i.serve(t)
		found, fault := walked(t, at)
		want := strings.ReplaceAll(tc.want, "{URL}", at)
		switch {
		case found != tc.found:
			t.Errorf("%s: found %d, want %d", name, found, tc.found)
		case (fault == nil) != (want == ""), fault != nil && !strings.Contains(fault.Error(), want):
			t.Errorf("%s: %v, want %q", name, fault, want)
		case fault != nil && fault.Do == "":
			t.Errorf("%s: nothing to do about %v", name, fault)
		}
	}
}

// A server that takes documents gets the URL of the host's, and the redirect that is in it.
func TestWalkByDocument(t *testing.T) {
	i := goodIssuer()
	i.server = strings.Replace(i.server, `{"issuer"`, `{"client_id_metadata_document_supported":true,"issuer"`, 1)
	if !json.Valid([]byte(i.server)) {
		t.Fatal(i.server)
	}
	walk := hosts.Walk{URL: i.serve(t) + "/mcp", HTTP: http.DefaultClient, Patience: 10 * time.Second}
	if found, fault := walk.Find(t.Context()); found != hosts.HasLogin || fault != nil {
		t.Fatal(found, fault)
	}
	walk.HTTP = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for i := range hosts.Logins {
		l := &hosts.Logins[i]
		by, fault := walk.Play(t.Context(), l)
		if fault != nil || (by == "by its metadata document") != (l.Document != "") {
			t.Errorf("%s: %s, %v", l.Title, by, fault)
		}
	}
}
