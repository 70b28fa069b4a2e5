package oauth

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// redirects are the URLs that a browser may be sent to besides those of knownRedirects.
type redirects []string

// knownRedirects lists the redirects of hosts that many people use. One that ends in a slash is for all
// URLs with one more segment.
var knownRedirects = []string{
	"https://claude.ai/api/mcp/auth_callback",
	"https://claude.com/api/mcp/auth_callback",
	"https://chatgpt.com/connector_platform_oauth_redirect",
	"https://chatgpt.com/connector/oauth/",
	"https://www.cursor.com/agents/mcp/oauth/callback",
	"https://vscode.dev/redirect",
	"https://insiders.vscode.dev/redirect",
}

// maxRedirect limits the bytes of a redirect.
const maxRedirect = 500

// ValidRedirect reports whether a text is a URL that can be among [Config.Redirects].
func ValidRedirect(text string) bool {
	_, ok := parseRedirect(text)
	return ok
}

// allow reports whether a browser may be sent to a URL: it is of a program on the person's own
// machine, at any port, or on one of the lists.
func (all redirects) allow(text string) bool {
	u, ok := parseRedirect(text)
	return ok && (isLoopback(u) || slices.Contains(all, text) || slices.ContainsFunc(knownRedirects, func(known string) bool {
		rest, ok := strings.CutPrefix(text, known)
		return ok && (rest == "" && !strings.HasSuffix(known, "/") || strings.HasSuffix(known, "/") && isSegment(rest))
	}))
}

// isSegment reports whether a text is a segment of a path in plain characters.
func isSegment(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(c rune) bool {
		return c != '-' && c != '_' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z')
	})
}

// parseRedirect parses a URL that browsers and this program read alike: without user,
// fragment, backslash, blank or other character that has to be escaped.
func parseRedirect(text string) (*url.URL, bool) {
	strange := func(c rune) bool { return c <= ' ' || c >= 0x7f || strings.ContainsRune("\\\"<>^`{|}#", c) }
	if len(text) > maxRedirect || strings.ContainsFunc(text, strange) {
		return nil, false
	}
	u, err := url.Parse(text)
	if err != nil || u.User != nil || u.Opaque != "" || u.Scheme == "" || u.Scheme == "javascript" || u.Scheme == "data" {
		return nil, false
	}
	return u, true
}

// isLoopback reports whether a redirect is of a program on the machine of the browser (RFC
// 8252, section 7.3).
func isLoopback(u *url.URL) bool {
	if u.Scheme != "http" {
		return false
	}
	addr, err := netip.ParseAddr(u.Hostname())
	return u.Hostname() == "localhost" || err == nil && addr.IsLoopback() && !addr.Is4In6()
}

// matches reports whether a redirect is one of those of a client: the same text, or of
// loopback at any port.
func matches(registered []string, text string) bool {
	return slices.ContainsFunc(registered, func(one string) bool {
		return one == text || withoutPort(one) != "" && withoutPort(one) == withoutPort(text)
	})
}

// withoutPort returns a redirect of loopback without its port, "" for another.
func withoutPort(text string) string {
	u, ok := parseRedirect(text)
	if !ok || !isLoopback(u) {
		return ""
	}
	return u.Hostname() + " " + u.RequestURI()
}

// with returns a redirect with more parameters.
func with(redirect string, more url.Values) string {
	u, err := url.Parse(redirect)
	if err != nil {
		return redirect // never: it was parsed before
	}
	if u.RawQuery != "" {
		u.RawQuery += "&"
	}
	u.RawQuery += more.Encode()
	return u.String()
}
