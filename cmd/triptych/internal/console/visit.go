package console

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/endpoint"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/rulesclient"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/transport/streamable"
)

// A visit is one request of a visitor who is signed in.
type visit struct {
	c      *Console
	w      http.ResponseWriter
	r      *http.Request
	cookie string
	session
	caller mcp.Caller
	rules  *rulesclient.Client
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

// guard serves a route to those who are signed in and have the right.
func (c *Console) guard(rt route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		cookie, err := r.Cookie(c.cookieName())
		if err != nil {
			c.askToSignIn(w, r)
			return
		}
		s, allowed, ok := c.sessions.find(cookie.Value)
		if !ok {
			c.askToSignIn(w, r)
			return
		}
		v := &visit{c: c, w: w, r: r, cookie: cookie.Value, session: s, caller: noRights}
		if !allowed {
			w.Header().Set("Retry-After", "60")
			v.fail(failed(http.StatusTooManyRequests, "More than %d requests in a minute.", maxRequests))
			return
		}
		caller, refused := c.authenticate(w.Header(), r, s.key)
		if refused != nil {
			v.refuse(refused)
			return
		}
		v.caller = caller
		v.rules = c.clientOf(v)
		if err := v.admit(rt); err != nil {
			v.fail(err)
			return
		}
		if err := rt.serve(v); err != nil {
			v.fail(err)
		}
	})
}

// noRights is the caller of a visit whose key was not looked up yet.
var noRights = mcp.Caller{Principal: mcp.Principal{Scopes: []mcp.Scope{}}}

// refuse answers a request whose key was refused, and ends the session if the key does not
// work any more: it was revoked, has expired, or comes from another address.
func (v *visit) refuse(refused *streamable.Refusal) {
	v.w.Header().Del("WWW-Authenticate") // browsers would ask for a password
	if !endsSession(refused) {
		v.fail(failed(refused.Status, "%s. You are still signed in: try again in a moment.", reason(refused)))
		return
	}
	v.c.sessions.end(v.cookie)
	v.c.setCookie(v.w, "")
	v.c.pages.bare(v.w, refused.Status, "signin", signInPage{Error: reason(refused)})
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

// admit returns why the visitor may not use a route.
func (v *visit) admit(rt route) error {
	switch {
	case !rt.there:
		return failed(http.StatusNotFound, "This server does not have that.")
	case rt.scope != "" && !v.caller.Principal.Allows(rt.scope):
		return failed(http.StatusForbidden, "Your key does not have the scope %s.", rt.scope)
	case v.r.Method == http.MethodGet:
		return nil
	}
	v.r.Body = http.MaxBytesReader(v.w, v.r.Body, maxForm)
	if err := v.r.ParseForm(); err != nil {
		return failed(http.StatusBadRequest, "The form cannot be read: %v.", err)
	}
	if protection.Check(v.r) != nil || !same(v.r.PostFormValue("csrf"), v.csrf) {
		return failed(http.StatusForbidden, "The form is not one of this session. Open the page again and repeat the change.")
	}
	return nil
}

// places returns the navigation of the visitor.
func (v *visit) places() []place {
	var all []place
	for _, p := range navigation {
		i := slices.IndexFunc(v.c.routes(), func(r route) bool { return r.pattern == "GET "+p.Path || r.pattern == "GET "+p.Path+"{$}" })
		rt := v.c.routes()[i]
		if rt.there && (rt.scope == "" || v.caller.Principal.Allows(rt.scope)) {
			p.Here = v.r.URL.Path == p.Path || p.Path != "/" && len(v.r.URL.Path) > len(p.Path) && v.r.URL.Path[:len(p.Path)+1] == p.Path+"/"
			all = append(all, p)
		}
	}
	return all
}

// may reports whether the visitor has a scope; templates ask.
func (v *visit) may(scope mcp.Scope) bool { return v.caller.Principal.Allows(scope) }

// show writes a page.
func (v *visit) show(name, title string, data any) error {
	return v.showStatus(http.StatusOK, name, title, data)
}

func (v *visit) showStatus(status int, name, title string, data any) error {
	return v.c.pages.full(v.w, status, name, frame{
		Title: title, Version: v.c.cfg.Version, Who: v.caller.Principal.ID, CSRF: v.csrf, Places: v.places(), Data: data,
		Done: v.r.URL.Query().Get("done"),
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

// done leads the browser to a page that says what was done.
func (v *visit) done(path, format string, args ...any) error {
	return v.redirect(path + "?done=" + url.QueryEscape(fmt.Sprintf(format, args...)))
}

// clientOf returns a client of the endpoint with the key of the visitor.
func (c *Console) clientOf(v *visit) *rulesclient.Client {
	return rulesclient.New(endpoint.Endpoint{
		URL: "http://" + v.r.Host + "/mcp", Key: v.key, HTTP: &http.Client{Transport: &loopback{c.cfg.Endpoint, v.r}},
	}, c.cfg.Version)
}
