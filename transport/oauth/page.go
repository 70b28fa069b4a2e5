package oauth

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"crypto/subtle"
	_ "embed" // for the page
	"html/template"
	"net/http"
	"net/netip"
	"strings"

	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/transport/keys"
)

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// A page is the data of the page.
type page struct {
	Error  string
	Sealed string       // the request; "" if there is nothing to answer
	Key    *keys.Record // to be allowed; nil asks for one

	Issuer, Client, From, To, Plan string
	Name, Style, Action            string
}

// show writes the page for a request.
func (s *Server) show(w http.ResponseWriter, r *http.Request, status int, to *request, p page) {
	p.Client, p.From = cmp.Or(to.Name, "A program that does not say its name"), to.Host
	p.To, p.Issuer = destination(to.Redirect), to.Issuer
	p.Action = to.Issuer + authorizePath
	if p.Key != nil {
		p.Plan, p.Name = p.Key.Plan.Title(), cmp.Or(p.Key.Name, p.Key.ID)
	}
	SetHeaders(w.Header(), source(to.Redirect))
	s.write(w, r, status, p)
}

// fail writes the page with an error alone.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, status int, err error) {
	text := err.Error()
	if e, ok := err.(*oauthError); ok { //nolint:errorlint // they are not wrapped
		text, status = e.description, cmp.Or(e.status, status)
	}
	SetHeaders(w.Header(), "")
	s.write(w, r, status, page{Error: text})
}

// write runs the template in memory first: half a page would look like a whole one.
func (s *Server) write(w http.ResponseWriter, r *http.Request, status int, p page) {
	p.Style = s.issuer(r) + stylePath
	var text bytes.Buffer
	if err := pageTemplate.Execute(&text, p); err != nil {
		s.cfg.Logger.ErrorContext(r.Context(), "a page failed", "err", err)
		http.Error(w, "the page cannot be made", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(text.Bytes()) // the browser may have disconnected
}

// refusePage answers what the table of routes refuses.
func refusePage(w http.ResponseWriter, _ *http.Request, status int, reason string) {
	SetHeaders(w.Header(), "")
	http.Error(w, reason, status)
}

// style serves the style sheet.
func (s *Server) style(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/css; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "max-age=3600")
	_, _ = w.Write(s.cfg.Style) // the browser may have disconnected
}

// SetHeaders sets the headers of a page for people: no cache, no scripts, no frames, and forms only to this server,
// whose answer may lead to one other source, "" for none.
func SetHeaders(header http.Header, source string) {
	header.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action "+strings.TrimSpace("'self' "+source))
	header.Set("X-Frame-Options", "DENY")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer") // a code must not be in one
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	header.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
	header.Set("Cache-Control", "no-store")
}

// source returns the source of a redirect as a content security policy has it: browsers apply
// form-action to redirects, too.
func source(redirect string) string {
	u, ok := parseRedirect(redirect)
	if !ok {
		return ""
	}
	if u.Scheme != "http" && u.Scheme != "https" || strings.ContainsAny(u.Host, "[;, ") { // a policy cannot name IPv6 addresses
		return u.Scheme + ":"
	}
	return u.Scheme + "://" + u.Host
}

// destination says where a redirect leads.
func destination(redirect string) string {
	u, ok := parseRedirect(redirect)
	switch {
	case !ok:
		return ""
	case isLoopback(u):
		return "a program on your computer (" + u.Host + ")"
	case u.Scheme != "https":
		return "the program on your computer that opens " + u.Scheme + ":"
	}
	return u.Host
}

// protection refuses forms that other sites send.
var protection = http.NewCrossOriginProtection()

// cookieName is the name of the cookie that binds forms to a browser. Its prefix makes browsers
// refuse it from other hosts and without TLS.
func (s *Server) cookieName(r *http.Request) string {
	if strings.HasPrefix(s.issuer(r), "https:") {
		return "__Host-triptych-login"
	}
	return "triptych-login"
}

// nonce returns the value of the browser's cookie, which it sets if there is none: several
// pages of a browser share it.
func (s *Server) nonce(w http.ResponseWriter, r *http.Request) string {
	if cookie, err := r.Cookie(s.cookieName(r)); err == nil && len(cookie.Value) == nonceLen {
		return cookie.Value
	}
	value := (rand.Text() + rand.Text())[:nonceLen]
	http.SetCookie(w, &http.Cookie{
		Name: s.cookieName(r), Value: value, Path: "/", HttpOnly: true, Secure: strings.HasPrefix(s.issuer(r), "https:"),
		SameSite: http.SameSiteLaxMode, // a link of another site opens the page
		MaxAge:   int(signInTime.Seconds()) * 2,
	})
	return value
}

const nonceLen = 40

// same compares two secrets in constant time.
func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// byClient returns the caller of a record about a grant.
func byClient(r *http.Request, key string, g *keys.Grant) host.Caller {
	from, _ := netip.ParseAddrPort(r.RemoteAddr) // the zero value says unknown
	return host.Caller{Principal: host.Principal{ID: key, Scopes: []host.Scope{}, Client: cmp.Or(g.Name, g.Client)}, Addr: from}
}
