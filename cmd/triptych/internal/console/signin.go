package console

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/transport/bearer"
	"github.com/triptych-mcp/triptych/transport/streamable"
)

// protection refuses forms that other sites send.
var protection = http.NewCrossOriginProtection()

// signInPage is the data of the page for signing in.
type signInPage struct {
	Code, Owner, Next, Error string
	Other                    string // who is signed in already, another than Owner
}

// showSignIn shows the form for signing in. A link that works once only fills it in:
// programs that fetch links to look at them do not use it up.
func (c *Console) showSignIn(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	page := signInPage{Code: query.Get("code"), Next: localPath(query.Get("next"))}
	if page.Code != "" {
		if page.Owner = c.links.owner(page.Code); page.Owner == "" {
			page.Code, page.Error = "", staleLink
		}
	}
	if cookie, err := r.Cookie(c.cookieName()); err == nil && page.Owner != "" {
		if s, _, ok := c.sessions.find(cookie.Value); ok && s.principal != page.Owner {
			page.Other = s.principal
		}
	}
	c.pages.bare(w, http.StatusOK, "signin", page)
}

const staleLink = "This link does not work any more: it works once, and for five minutes."

// signIn begins a session with a key or the code of a link. A code cannot be guessed, and
// wrong keys are delayed by the authenticator.
func (c *Console) signIn(w http.ResponseWriter, r *http.Request) {
	if err := protection.Check(r); err != nil {
		c.pages.bare(w, http.StatusForbidden, "signin", signInPage{Error: "The form was sent by another site."})
		return
	}
	form := r.PostForm
	page := signInPage{Next: localPath(form.Get("next"))}
	key := strings.TrimSpace(form.Get("key"))
	code := form.Get("code")
	if code != "" {
		key = c.links.spend(code)
	}
	caller, refused := c.authenticate(w.Header(), r, key)
	if refused != nil {
		page.Error = staleLink
		if code == "" {
			page.Error = refused.Reason()
		}
		w.Header().Del("WWW-Authenticate") // browsers would ask for a password
		c.pages.bare(w, refused.Status, "signin", page)
		return
	}
	c.setCookie(w, c.sessions.begin(caller.Principal.ID, key))
	http.Redirect(w, r, page.Next, http.StatusSeeOther)
}

// localPath returns the path of a page of the console; "/" for other addresses.
func localPath(path string) string {
	u, err := url.Parse(path)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || u.Opaque != "" || !strings.HasPrefix(path, "/") ||
		strings.HasPrefix(path, "//") || strings.ContainsFunc(path, isMeaningful) || u.String() != path {
		return "/"
	}
	return path
}

// isMeaningful reports whether a character of a path means something else to browsers: they
// remove tabs and the ends of lines, and read a backslash as a slash (WHATWG URL, section 4.4).
func isMeaningful(c rune) bool { return c <= ' ' || c >= 0x7f || c == '\\' }

// authenticate returns the caller with a key, as the endpoint would. It refuses a key that
// cannot be looked up now.
func (c *Console) authenticate(header http.Header, r *http.Request, key string) (host.Caller, *streamable.Refusal) {
	caller, refused := c.cfg.Auth.Authenticate(header, bearer.WithKey(r, key))
	if refused == nil && !bearer.IsVerified(caller.Principal) {
		header.Set("Retry-After", "1")
		return host.Caller{}, &streamable.Refusal{
			Status: http.StatusServiceUnavailable,
			Error:  jsonrpc.Errorf(jsonrpc.CodeInternalError, "Internal error").WithDetails("keys cannot be looked up now"),
		}
	}
	return caller, refused
}

// makeLink returns a link that signs in with the key of the request, for programs.
func (c *Console) makeLink(w http.ResponseWriter, r *http.Request) {
	const want = "a link is made with the header Authorization: Bearer KEY"
	key, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		http.Error(w, want, http.StatusUnauthorized)
		return
	}
	caller, refused := c.authenticate(w.Header(), r, key)
	switch {
	case refused == nil:
	case endsSession(refused):
		http.Error(w, want, http.StatusUnauthorized)
		return
	default:
		http.Error(w, refused.Reason(), refused.Status)
		return
	}
	link := c.Link(caller.Principal.ID, key)
	if link == "" {
		http.Error(w, "too many links wait to be opened", http.StatusTooManyRequests)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]string{"path": link}) // the client may have disconnected
}

// signOut ends the session.
func (c *Console) signOut(v *visit) error {
	c.sessions.end(v.cookie)
	c.setCookie(v.w, "")
	return v.redirect("/signin")
}
