package hosts

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Fault is the step at which a login fails, why, and what to do.
type Fault struct{ Step, Reason, Do string }

// Error says which step fails, and why.
func (f *Fault) Error() string { return f.Step + ": " + f.Reason }

// A Walk walks the login of one server, as hosts do, until a person would be asked. It is for one
// goroutine.
type Walk struct {
	URL      string // of the endpoint
	HTTP     *http.Client
	Patience time.Duration // for each request

	server authorizationServer
}

// An authorizationServer is the metadata of one (RFC 8414, section 2).
type authorizationServer struct {
	Issuer       string   `json:"issuer"`
	Authorize    string   `json:"authorization_endpoint"`
	Token        string   `json:"token_endpoint"`
	Registration string   `json:"registration_endpoint"`
	Responses    []string `json:"response_types_supported"`
	Methods      []string `json:"code_challenge_methods_supported"`
	NamesIssuer  bool     `json:"authorization_response_iss_parameter_supported"`
	Documents    bool     `json:"client_id_metadata_document_supported"`
}

// A resource is the metadata of an endpoint (RFC 9728, section 2).
type resource struct {
	Resource string   `json:"resource"`
	Servers  []string `json:"authorization_servers"`
}

// What to do about faults.
const (
	noLoginDo  = "triptych serve --oauth has a login by a page that takes a key; without one, hosts need a key in their configuration"
	metadataDo = "correct the metadata; behind a proxy, name the URL that clients use with --host or --oidc-resource, and pass /.well-known/ on"
	proxyDo    = "look at the proxy in front of the server, which has to pass this path on"
)

// A Found says whether a server has a login.
type Found int

// What [Walk.Find] finds.
const (
	Unreached Found = iota // the server answers neither as with nor as without a login
	NoKey                  // no key is needed
	NoLogin                // keys are needed, and there is no login
	HasLogin
)

// Find follows a request without a key to the authorization server. It must be called before
// [Walk.Play], which needs a login without a fault.
func (w *Walk) Find(ctx context.Context) (Found, *Fault) {
	a, err := w.send(ctx, http.MethodPost, w.URL, "application/json", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"triptych doctor","version":"1"}}}`)
	switch {
	case err == nil && a.status == http.StatusOK:
		return NoKey, nil
	case err != nil || a.status != http.StatusUnauthorized:
		return Unreached, nil
	}
	challenge := metadataParameter.FindStringSubmatch(a.header.Get("WWW-Authenticate"))
	about, fault := w.resource(ctx, challenge)
	if fault != nil && challenge == nil && about.Resource == "" {
		return NoLogin, fault
	}
	if fault != nil {
		return HasLogin, fault
	}
	return HasLogin, w.metadata(ctx, about.Servers[0])
}

// metadataParameter is the parameter of a challenge that names the metadata of the resource (RFC
// 9728, section 5.1).
var metadataParameter = regexp.MustCompile(`(?i)\bresource_metadata="([^"]*)"`)

// resource reads the metadata of the endpoint: where the challenge says, else at the known paths.
func (w *Walk) resource(ctx context.Context, challenge []string) (resource, *Fault) {
	const step = "the metadata of the resource (RFC 9728)"
	at, err := url.Parse(w.URL)
	if err != nil {
		return resource{}, &Fault{step, err.Error(), metadataDo}
	}
	root := at.Scheme + "://" + at.Host + "/.well-known/oauth-protected-resource"
	places := []string{root + at.Path, root}
	if challenge != nil {
		places = []string{challenge[1]}
	}
	var about resource
	var reason string
	for _, place := range places {
		if reason = w.read(ctx, place, &about); reason == "" {
			break
		}
	}
	switch {
	case reason != "" && challenge == nil:
		return about, &Fault{step, "there is none: " + reason, noLoginDo}
	case reason != "":
		return about, &Fault{step, reason, metadataDo}
	case !covers(about.Resource, w.URL):
		return about, &Fault{step, fmt.Sprintf("it is of %s, not of %s", quoted(about.Resource), w.URL), metadataDo}
	case len(about.Servers) == 0:
		return about, &Fault{step, "it names no authorization server", metadataDo}
	}
	return about, nil
}

// covers reports whether a resource is an endpoint or a parent of it, as hosts compare them.
func covers(resource, endpoint string) bool {
	resource, endpoint = strings.TrimSuffix(resource, "/"), strings.TrimSuffix(endpoint, "/")
	return resource != "" && (resource == endpoint || strings.HasPrefix(endpoint, resource+"/"))
}

// metadata reads the metadata of an authorization server and checks what all hosts need.
func (w *Walk) metadata(ctx context.Context, issuer string) *Fault {
	const step = "the metadata of the login (RFC 8414)"
	at, err := url.Parse(issuer)
	if err != nil || at.Host == "" {
		return &Fault{step, quoted(issuer) + " is no URL of an issuer", metadataDo}
	}
	root, path := at.Scheme+"://"+at.Host, strings.TrimSuffix(at.Path, "/")
	var reason string
	for _, place := range []string{
		root + "/.well-known/oauth-authorization-server" + path, root + "/.well-known/openid-configuration" + path, root + path + "/.well-known/openid-configuration",
	} {
		if reason = w.read(ctx, place, &w.server); reason == "" {
			break
		}
	}
	if reason != "" {
		return &Fault{step, reason, metadataDo}
	}
	s := &w.server
	for _, need := range []struct {
		lacks  bool
		reason string
	}{
		{strings.TrimSuffix(s.Issuer, "/") != strings.TrimSuffix(issuer, "/"), fmt.Sprintf("its issuer is %s, not %s", quoted(s.Issuer), issuer)},
		{!isSecure(s.Authorize), "authorization_endpoint is no https URL"},
		{!isSecure(s.Token), "token_endpoint is no https URL"},
		{!slices.Contains(s.Methods, "S256"), "code_challenge_methods_supported does not name S256"},
		{s.Responses != nil && !slices.Contains(s.Responses, "code"), "response_types_supported does not name code"},
		{!s.Documents && s.Registration == "", "clients can neither register nor name a metadata document"},
	} {
		if need.lacks {
			return &Fault{step, need.reason, metadataDo}
		}
	}
	return nil
}

// isSecure reports whether a URL is one that hosts send secrets to.
func isSecure(text string) bool {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		return false
	}
	addr, err := netip.ParseAddr(u.Hostname())
	return u.Scheme == "https" || u.Scheme == "http" && (u.Hostname() == "localhost" || err == nil && addr.IsLoopback())
}

// Play goes the way of a host to the page that asks the person. by says how the host names itself.
func (w *Walk) Play(ctx context.Context, l *Login) (by string, fault *Fault) {
	client, by := l.Document, "by its metadata document"
	if client == "" || !w.server.Documents {
		by = "by registration"
		if client, fault = w.register(ctx, l); fault != nil {
			return by, fault
		}
	}
	return by, w.authorize(ctx, l, client, by)
}

// register registers the host as a client (RFC 7591).
func (w *Walk) register(ctx context.Context, l *Login) (client string, fault *Fault) {
	const step = "the registration (RFC 7591)"
	if w.server.Registration == "" {
		return "", &Fault{step, "the server has none, and the host has no metadata document", "let clients register"}
	}
	body, err := json.Marshal(map[string]any{
		"client_name": l.Title, "redirect_uris": []string{l.Redirect}, "token_endpoint_auth_method": "none",
		"grant_types": []string{"authorization_code", "refresh_token"}, "response_types": []string{"code"},
	})
	if err != nil {
		return "", &Fault{step, err.Error(), ""}
	}
	a, err := w.send(ctx, http.MethodPost, w.server.Registration, "application/json", string(body))
	if err != nil {
		return "", &Fault{step, excerpt([]byte(cause(err).Error())), proxyDo}
	}
	var got struct {
		ID string `json:"client_id"`
	}
	if json.Unmarshal(a.body, &got) != nil || got.ID == "" || a.status/100 != 2 {
		return "", &Fault{step, refusal(a), "allow the redirect " + l.Redirect + "; triptych serve --oauth-redirect does"}
	}
	return got.ID, nil
}

// The request for the page. Its verifier is that of RFC 7636, appendix B: no code is made for it.
const (
	walkVerifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
	walkState    = "triptych-doctor"
)

// authorize opens the page, and asks for what no server has to see how errors come back.
func (w *Walk) authorize(ctx context.Context, l *Login, client, by string) *Fault {
	step := "the page of the login, " + by
	sum := sha256.Sum256([]byte(walkVerifier))
	query := url.Values{
		"response_type": {"code"}, "client_id": {client}, "redirect_uri": {l.Redirect}, "state": {walkState}, "resource": {w.URL},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}, "code_challenge_method": {"S256"},
	}
	a, err := w.send(ctx, http.MethodGet, withQuery(w.server.Authorize, query), "", "")
	if err != nil {
		return &Fault{step, excerpt([]byte(cause(err).Error())), proxyDo}
	}
	to := a.header.Get("Location")
	switch {
	case a.status/100 == 3 && strings.HasPrefix(to, l.Redirect):
		return &Fault{step, "it sends the browser back with an error: " + sentBack(to), "look at the server's log"}
	case a.status/100 != 2 && a.status/100 != 3:
		return &Fault{step, refusal(a), "let the server reach " + cmp.Or(l.Document, "the client") + ", or allow the redirect " + l.Redirect}
	}
	if !w.server.NamesIssuer {
		return nil
	}
	query.Set("response_type", "none of a server")
	if a, err = w.send(ctx, http.MethodGet, withQuery(w.server.Authorize, query), "", ""); err != nil {
		return nil
	}
	if to := a.header.Get("Location"); strings.HasPrefix(to, l.Redirect) {
		return w.checkAnswer(to)
	}
	return nil
}

// checkAnswer checks the issuer (RFC 9207) and the state of what is sent back.
func (w *Walk) checkAnswer(to string) *Fault {
	const step = "the answer of the page (RFC 9207)"
	u, err := url.Parse(to)
	if err != nil {
		return &Fault{step, "it leads to no URL", metadataDo}
	}
	switch q := u.Query(); {
	case q.Get("iss") != w.server.Issuer:
		return &Fault{step, fmt.Sprintf("iss is %s, not the issuer %s", quoted(q.Get("iss")), w.server.Issuer), "a proxy may change it; hosts refuse answers of another issuer"}
	case q.Get("state") != walkState:
		return &Fault{step, "the state is another than the host has sent", "look at the server and the proxy"}
	}
	return nil
}

// Exchange tries a code that does not exist: hosts need the error in JSON. It is tried once for
// all hosts, since servers slow down clients that guess.
func (w *Walk) Exchange(ctx context.Context) *Fault {
	const step = "the endpoint of tokens"
	form := url.Values{
		"grant_type": {"authorization_code"}, "code": {"no-code"}, "client_id": {"triptych-doctor"}, "redirect_uri": {"http://localhost/callback"},
		"code_verifier": {walkVerifier}, "resource": {w.URL},
	}
	a, err := w.send(ctx, http.MethodPost, w.server.Token, "application/x-www-form-urlencoded", form.Encode())
	if err != nil {
		return &Fault{step, excerpt([]byte(cause(err).Error())), proxyDo}
	}
	var got struct {
		Error string `json:"error"`
	}
	if json.Unmarshal(a.body, &got) != nil || got.Error == "" || a.status/100 != 4 {
		return &Fault{step, fmt.Sprintf("a code that does not exist is answered with %d and no error as RFC 6749 has it: %s", a.status, excerpt(a.body)), proxyDo}
	}
	return nil
}

// read reads a document, or says what is wrong with it.
func (w *Walk) read(ctx context.Context, from string, into any) (reason string) {
	a, err := w.send(ctx, http.MethodGet, from, "", "")
	switch {
	case err != nil:
		return from + ": " + excerpt([]byte(cause(err).Error()))
	case a.status != http.StatusOK:
		return from + ": " + refusal(a)
	case json.Unmarshal(a.body, into) != nil:
		return from + " is not JSON: " + excerpt(a.body)
	}
	return ""
}

// send sends a request and reads the answer.
func (w *Walk) send(ctx context.Context, method, to, kind, body string) (answered, error) {
	ctx, cancel := context.WithTimeout(ctx, w.Patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, to, strings.NewReader(body))
	if err != nil {
		return answered{}, err
	}
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	req.Header.Set("Accept", "application/json, text/event-stream, text/html")
	resp, err := w.HTTP.Do(req)
	if err != nil {
		return answered{}, err
	}
	defer func() { _ = resp.Body.Close() }() // read as far as it matters
	text, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	return answered{resp.StatusCode, resp.Header, text}, err
}

// withQuery returns a URL with more parameters.
func withQuery(to string, more url.Values) string {
	if strings.Contains(to, "?") {
		return to + "&" + more.Encode()
	}
	return to + "?" + more.Encode()
}

// sentBack returns the error that a redirect has.
func sentBack(to string) string {
	u, err := url.Parse(to)
	if err != nil {
		return "it is no URL"
	}
	return excerpt([]byte(u.Query().Get("error") + " " + u.Query().Get("error_description")))
}

// quoted returns the beginning of a text of a server in quotation marks.
func quoted(text string) string {
	if text == "" {
		return `""`
	}
	return strconv.Quote(excerpt([]byte(text)))
}

// markup matches what a page has besides its text.
var markup = regexp.MustCompile(`(?s)<(head|style|script).*?</(head|style|script)>|<[^>]*>`)

// refusal returns the status of an answer and what it says.
func refusal(a answered) string {
	var said struct {
		Error       string `json:"error"`
		Description string `json:"error_description"`
	}
	text := markup.ReplaceAll(a.body, []byte(" "))
	if json.Unmarshal(a.body, &said) == nil && said.Error != "" {
		text = []byte(said.Error + " " + said.Description)
	}
	return fmt.Sprintf("status %d, %s", a.status, excerpt(text))
}
