package streamable

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/triptych-mcp/triptych/transport/internal/hostcheck"
	"github.com/triptych-mcp/triptych/transport/peer"
)

// checkHost refuses a Host or an Origin that is not the server's, as a web page sends it
// after DNS rebinding (403). The specification demands the check of Origin
// (basic/transports, security warning); programs send none.
func (h *Handler) checkHost(r *http.Request) *Refusal {
	if peer.IsPassedOn(r.Context()) {
		return nil // another server has checked it
	}
	if !h.hosts.Allows(r.Host) {
		return invalid(http.StatusForbidden, "the host %q is not served here", r.Host)
	}
	origins := r.Header["Origin"]
	if len(origins) == 0 {
		return nil
	}
	if len(origins) > 1 || !h.allowsOrigin(origins[0], r) {
		return invalid(http.StatusForbidden, "the origin %q may not call this server", strings.Join(origins, ", "))
	}
	return nil
}

// allowsOrigin reports whether pages of the origin may call: a listed origin, that
// of the request's own host, and on a loopback listener any with a loopback name.
func (h *Handler) allowsOrigin(origin string, r *http.Request) bool {
	if h.listed(origin) {
		return true
	}
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" {
		return false
	}
	if h.cfg.Loopback {
		return hostcheck.IsLoopback(u.Hostname())
	}
	return strings.EqualFold(u.Host, r.Host)
}

// listed reports whether an origin is one of Config.Origins. Scheme and host of an
// origin are compared without regard to case (RFC 6454, section 4).
func (h *Handler) listed(origin string) bool {
	return slices.ContainsFunc(h.cfg.Origins, func(o string) bool { return strings.EqualFold(o, origin) })
}

// The headers that web pages may send and read, besides those that the Fetch standard
// always allows.
const (
	corsAllowed = "authorization, content-type, accept, mcp-protocol-version, mcp-session-id, last-event-id, mcp-method, mcp-name, x-mcp-toolsets, x-mcp-tools, x-mcp-readonly, traceparent, tracestate, baggage"
	corsExposed = "mcp-session-id, www-authenticate, retry-after, x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset, x-request-id"
)

// cors sets the headers for a listed origin and reports whether the request
// was a preflight, which needs nothing else.
func (h *Handler) cors(header http.Header, r *http.Request) (preflight bool) {
	if len(h.cfg.Origins) == 0 {
		return false
	}
	header.Add("Vary", "Origin")
	origin := r.Header.Get("Origin")
	if !h.listed(origin) {
		return false
	}
	header.Set("Access-Control-Allow-Origin", origin)
	header.Set("Access-Control-Expose-Headers", corsExposed)
	if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	header.Set("Access-Control-Allow-Methods", "POST, GET, DELETE")
	header.Set("Access-Control-Allow-Headers", corsAllowed+h.mirroredNames(r))
	header.Set("Access-Control-Max-Age", "600")
	return true
}

// mirroredNames returns the Mcp-Param headers that a preflight requests. Which exist
// depends on the tool; allowing others does no harm.
func (h *Handler) mirroredNames(r *http.Request) string {
	var names strings.Builder
	for name := range strings.SplitSeq(r.Header.Get("Access-Control-Request-Headers"), ",") {
		name = strings.ToLower(strings.TrimSpace(name))
		if strings.HasPrefix(name, "mcp-param-") && isToken(name) {
			names.WriteString(", " + name)
		}
	}
	return names.String()
}

// isToken reports whether a header name in lower case has only letters, digits, hyphens
// and underscores, so that it can be mirrored.
func isToken(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		return r != '-' && r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z')
	})
}
