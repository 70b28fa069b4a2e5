package streamable

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"net/netip"
	"strings"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp/host"
)

// Open returns an authenticator that lets everybody in, with every right and no limits:
// behind a proxy that authenticates, or on a loopback address for the programs of one machine.
func Open() Authenticator { return open{} }

// Key returns an authenticator that lets in who sends the key as a bearer token (RFC 6750,
// section 2.1), with every right and no limits; an empty key lets no client in. Package bearer
// has one for many keys, with scopes, plans and protection against guessing.
func Key(key string) Authenticator { return oneKey{digest: sha256.Sum256([]byte(key)), set: key != ""} }

// An open authenticator takes every request for one of the process's own user.
type open struct{}

// Authenticate implements [Authenticator].
func (open) Authenticate(_ http.Header, r *http.Request) (host.Caller, *Refusal) {
	from, _ := netip.ParseAddrPort(r.RemoteAddr) // a test's request may have none
	return host.Caller{Principal: host.Local(), Addr: from}, nil
}

// Charge implements [Authenticator].
func (open) Charge(context.Context, http.Header, *host.Caller, *host.Revision, Bill) *Refusal {
	return nil
}

// Valid implements [Authenticator].
func (open) Valid(context.Context, *host.Caller) bool { return true }

// Forbid implements [Authenticator]. No client lacks a scope.
func (open) Forbid(http.Header, *jsonrpc.Error) {}

// A oneKey is open to those who have a key, by its hash, which takes equally long to compare
// with every other.
type oneKey struct {
	open
	digest [sha256.Size]byte
	set    bool
}

// Authenticate implements [Authenticator].
func (k oneKey) Authenticate(header http.Header, r *http.Request) (host.Caller, *Refusal) {
	digest := sha256.Sum256([]byte(bearerToken(r.Header)))
	if k.set && subtle.ConstantTimeCompare(digest[:], k.digest[:]) == 1 {
		return k.open.Authenticate(header, r)
	}
	header.Set("WWW-Authenticate", "Bearer")
	return host.Caller{}, &Refusal{
		Status: http.StatusUnauthorized,
		Error:  jsonrpc.Errorf(host.CodeAuthentication, "Authentication failed").WithDetails("send Authorization: Bearer KEY"),
	}
}

// bearerToken returns the token of the only Authorization header, or "". The scheme has no
// case (RFC 9110, section 11.1).
func bearerToken(header http.Header) string {
	values := header["Authorization"]
	if len(values) != 1 {
		return ""
	}
	scheme, token, _ := strings.Cut(values[0], " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}
