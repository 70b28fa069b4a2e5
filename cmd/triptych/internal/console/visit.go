package console

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/rulesclient"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/transport/httpclient"
	"github.com/triptych-mcp/triptych/transport/routes"
	"github.com/triptych-mcp/triptych/transport/streamable"
)

// A visit is one request of a visitor who is signed in.
type visit struct {
	c      *Console
	w      http.ResponseWriter
	r      *http.Request
	cookie string
	session
	caller host.Caller
	rules  *rulesclient.Client
	health []Fact // nil until it was asked for
}

// A statusError is an error with the HTTP status that it is answered with.
type statusError struct {
	status int
	text   string
}

func (e *statusError) Error() string { return e.text }

func failed(status int, format string, args ...any) error {
	return &statusError{status, fmt.Sprintf(format, args...)}
}

// visitKey is the context key of a visit.
type visitKey struct{}

// routeOf returns the row of a page.
func (c *Console) routeOf(p page) routes.Route {
	method, path, _ := strings.Cut(p.pattern, " ")
	r := routes.Route{Method: method, Path: path, Time: p.time, Cost: p.cost, Callers: c, Scope: p.scope}
	if method == http.MethodPost {
		r.Body, r.MaxBody = routes.Form, cmp.Or(p.body, maxForm)
	}
	r.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v, _ := r.Context().Value(visitKey{}).(*visit) // Authenticate has put it there
		v.r = r
		if err := v.checkForm(); err != nil {
			v.fail(err)
		} else if err := p.serve(v); err != nil {
			v.fail(err)
		}
	})
	return r
}

// Authenticate finds the session and the caller of a request. It implements the Callers of
// package routes.
func (c *Console) Authenticate(w http.ResponseWriter, r *http.Request) (*host.Caller, *http.Request) {
	setHeaders(w.Header())
	cookie, err := r.Cookie(c.cookieName())
	if err != nil {
		c.askToSignIn(w, r)
		return nil, r
	}
	s, allowed, ok := c.sessions.find(cookie.Value)
	if !ok {
		c.askToSignIn(w, r)
		return nil, r
	}
	v := &visit{c: c, w: w, cookie: cookie.Value, session: s, caller: noRights}
	v.r = r.WithContext(context.WithValue(r.Context(), visitKey{}, v))
	if !allowed {
		w.Header().Set("Retry-After", "60")
		v.fail(failed(http.StatusTooManyRequests, "More than %d requests in a minute.", maxRequests))
		return nil, r
	}
	caller, refused := c.authenticate(w.Header(), r, s.key)
	if refused != nil {
		v.refuse(refused)
		return nil, r
	}
	v.caller = caller
	v.rules = c.clientOf(v)
	return &v.caller, v.r
}

// Charge charges calls to the quota of the visitor's key.
func (c *Console) Charge(w http.ResponseWriter, r *http.Request, caller *host.Caller, calls int) bool {
	refused := c.cfg.Auth.Charge(r.Context(), w.Header(), caller, host.BaselineRevision(), streamable.Bill{Calls: calls})
	if refused == nil {
		return true
	}
	v, _ := r.Context().Value(visitKey{}).(*visit) // Authenticate has put it there
	v.refuse(refused)
	return false
}

// refuse answers what the table of routes refuses.
func (c *Console) refuse(w http.ResponseWriter, r *http.Request, status int, reason string) {
	if v, ok := r.Context().Value(visitKey{}).(*visit); ok {
		v.fail(failed(status, "%s", reason))
		return
	}
	setHeaders(w.Header())
	http.Error(w, reason, status)
}

// noRights is the caller of a visit whose key was not looked up yet.
var noRights = host.Caller{Principal: host.Principal{Scopes: []host.Scope{}}}

// refuse answers a request whose key was refused, and ends the session if the key does not
// work any more: it was revoked, has expired, or comes from another address.
func (v *visit) refuse(refused *streamable.Refusal) {
	v.w.Header().Del("WWW-Authenticate") // browsers would ask for a password
	if !endsSession(refused) {
		v.fail(failed(refused.Status, "%s. You are still signed in: try again in a moment.", refused.Reason()))
		return
	}
	v.c.sessions.end(v.cookie)
	v.c.setCookie(v.w, "")
	v.c.pages.bare(v.w, refused.Status, "signin", signInPage{Error: refused.Reason()})
}

// endsSession reports whether a refusal is about the key. Others pass: a store that is
// away, or too many requests.
func endsSession(refused *streamable.Refusal) bool {
	return refused.Status == http.StatusUnauthorized || refused.Status == http.StatusForbidden
}

// askToSignIn shows the page for signing in, which leads back.
func (c *Console) askToSignIn(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet {
		c.pages.bare(w, http.StatusUnauthorized, "signin", signInPage{Error: "You were signed out, and nothing was changed."})
		return
	}
	http.Redirect(w, r, "/signin?next="+url.QueryEscape(r.URL.RequestURI()), http.StatusSeeOther)
}

// checkForm returns an error for a form that is not one of the session.
func (v *visit) checkForm() error {
	if v.r.Method != http.MethodPost {
		return nil
	}
	if protection.Check(v.r) != nil || !same(v.field("csrf"), v.csrf) {
		return failed(http.StatusForbidden, "The form is not one of this session. Open the page again and repeat the change.")
	}
	return nil
}

// field returns a field of the form, "" if it is missing.
func (v *visit) field(name string) string { return v.r.PostForm.Get(name) }

// query returns a parameter of the URL, "" if it is missing.
func (v *visit) query(name string) string { return v.r.URL.Query().Get(name) }

// places returns the navigation of the visitor.
func (v *visit) places() []place {
	var all []place
	for _, p := range navigation {
		i := slices.IndexFunc(v.c.rows, func(r routes.Route) bool { return r.Pattern() == "GET "+p.Path || r.Pattern() == "GET "+p.Path+"{$}" })
		if i < 0 || p.Path == "/proposals" && !v.mayReview() {
			continue
		}
		if scope := v.c.rows[i].Scope; scope == "" || v.caller.Principal.Allows(scope) {
			p.Here = v.r.URL.Path == p.Path || p.Path != "/" && strings.HasPrefix(v.r.URL.Path, p.Path+"/")
			all = append(all, p)
		}
	}
	return all
}

// may reports whether the visitor has a scope; templates ask.
func (v *visit) may(scope host.Scope) bool { return v.caller.Principal.Allows(scope) }

// who returns the name of the visitor's key, its id if it has none.
func (v *visit) who() string {
	id := v.caller.Principal.ID
	return cmp.Or(v.keyNames([]string{id})[id], id)
}

// mayReview reports whether the visitor may see proposals.
func (v *visit) mayReview() bool {
	return v.may(readRules) && (v.may(proposeRules) || v.may(writeRules))
}

// show writes a page.
func (v *visit) show(name, title string, data any) error {
	return v.showStatus(http.StatusOK, name, title, data)
}

func (v *visit) showStatus(status int, name, title string, data any) error {
	return v.c.pages.full(v.w, status, name, frame{
		Title: title, Version: v.c.cfg.Version, Who: v.who(), WhoID: v.caller.Principal.ID, CSRF: v.csrf, Places: v.places(), Data: data,
		Done: v.c.sessions.takeDone(v.cookie),
	})
}

// fail writes the page of an error.
func (v *visit) fail(err error) {
	status := statusOf(err)
	if status == http.StatusInternalServerError {
		v.c.cfg.Logger.Warn("a page failed", "path", v.r.URL.Path, "err", err)
	}
	if shown := v.showStatus(status, "error", http.StatusText(status), err.Error()); shown != nil {
		v.c.cfg.Logger.Warn("a page could not be written", "path", v.r.URL.Path, "err", shown)
	}
}

// statusOf returns the HTTP status for an error.
func statusOf(err error) int {
	if e, ok := errors.AsType[*statusError](err); ok {
		return e.status
	}
	return ruleStatus(err)
}

// redirect leads the browser to a page after a form.
func (v *visit) redirect(path string) error {
	http.Redirect(v.w, v.r, path, http.StatusSeeOther)
	return nil
}

// done leads the browser to a page that says what was done. The text waits in the session: in
// the URL, everybody could choose it.
func (v *visit) done(path, format string, args ...any) error {
	v.c.sessions.setDone(v.cookie, fmt.Sprintf(format, args...))
	return v.redirect(path)
}

// clientOf returns a client of the endpoint with the key of the visitor.
func (c *Console) clientOf(v *visit) *rulesclient.Client {
	return rulesclient.New(httpclient.Endpoint{
		URL: "http://" + v.r.Host + "/mcp", Key: v.key, HTTP: httpclient.Client(&loopback{c.cfg.Endpoint, v.r}),
	}, c.cfg.Version)
}
