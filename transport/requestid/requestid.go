// Package requestid gives every HTTP request an id, by which an operator finds it in the
// logs of this server and of the proxy in front.
//
//	handler := requestid.Handler(endpoint, proxies)
//	id := requestid.FromContext(r.Context()) // anywhere below
//
// The id is in the header X-Request-Id of the answer. It is the one that a proxy has sent
// in the same header, if the proxy is a trusted one and the id is harmless in a log; a
// client cannot choose it.
package requestid

import (
	"context"
	"crypto/rand"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// Header is the header of the id, in requests and in answers.
const Header = "X-Request-Id"

// maxLength bounds the length of an id from a proxy, in bytes. Those of proxies in wide
// use have 32 to 58.
const maxLength = 128

// contextKey is the key of the id in a context.
type contextKey struct{}

// NewContext returns a context with the id.
func NewContext(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, contextKey{}, id)
}

// FromContext returns the id of the request of a context, "" if it has none.
func FromContext(ctx context.Context) string {
	id, _ := ctx.Value(contextKey{}).(string)
	return id
}

// Handler returns a handler that gives each request an id before next serves it. A request
// whose context has an id already keeps it; otherwise it has that of the header if it
// comes from one of the proxies, or a new one.
func Handler(next http.Handler, proxies []netip.Prefix) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := FromContext(r.Context())
		if id == "" {
			if isFrom(r, proxies) {
				id = FromHeader(r.Header)
			}
			if id == "" {
				id = rand.Text()
			}
			r = r.WithContext(NewContext(r.Context(), id))
		}
		w.Header()[Header] = []string{id}
		next.ServeHTTP(w, r)
	})
}

// FromHeader returns the id in a header, "" if there is none, more than one, or one that
// could disturb a log: only letters, digits and the characters of base64, UUIDs and
// traces are allowed.
func FromHeader(header http.Header) string {
	values := header[Header]
	if len(values) != 1 || len(values[0]) > maxLength || strings.ContainsFunc(values[0], isUnsafe) {
		return ""
	}
	return values[0]
}

// isUnsafe reports whether a character must not be part of an id.
func isUnsafe(c rune) bool {
	isAlphanumeric := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
	return !isAlphanumeric && !strings.ContainsRune("-_.:+/=@", c)
}

// isFrom reports whether the connection of a request comes from one of the ranges.
func isFrom(r *http.Request, ranges []netip.Prefix) bool {
	if len(ranges) == 0 {
		return false
	}
	from, err := netip.ParseAddrPort(r.RemoteAddr)
	addr := from.Addr().Unmap().WithZone("")
	return err == nil && slices.ContainsFunc(ranges, func(p netip.Prefix) bool { return p.Contains(addr) })
}
