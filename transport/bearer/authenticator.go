package bearer

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/transport/keys"
	"github.com/triptych-mcp/triptych/transport/quota"
	"github.com/triptych-mcp/triptych/transport/streamable"
)

// A Config holds the stores and settings of an [Authenticator]. Ring and Meter are
// required.
type Config struct {
	Ring  keys.Ring
	Meter quota.Meter
	// Handshakes counts handshakes by minute for all servers; nil counts those of this
	// server alone, in memory.
	Handshakes quota.Meter
	// Get returns the record of the key with an id that an identity of Tokens names; it must
	// be set where they do.
	Get func(ctx context.Context, id string) (keys.Record, error)
	// Tokens verifies access tokens of an issuer; nil when there is none.
	Tokens Verifier
	// Metadata is the URL of the protected resource metadata (RFC 9728), ""
	// without an issuer.
	Metadata string
	// Resource returns the URL of the endpoint as the sender of a request has it, for which
	// access tokens of grants must have been made; nil takes no such tokens. Where Metadata is
	// "", a challenge names the metadata of this resource.
	Resource func(r *http.Request) string
	// Scopes lists the scopes for which a client without a token should ask the issuer,
	// separated by spaces; "" names none.
	Scopes string
	// Proxies are the addresses whose X-Forwarded-For is believed.
	Proxies []netip.Prefix
	// Rejected is called with every rejection; nil ignores them.
	Rejected func(ctx context.Context, r Rejection)
	// Refused is called with the cause of every refusal, also of those that are too many to be
	// a rejection each; nil ignores them.
	Refused func(Cause, jsonrpc.Code)
	// Now is the clock; nil means [time.Now].
	Now func() time.Time
	// Logger receives failures of the stores; nil discards them.
	Logger *slog.Logger
}

// A Rejection is a request that was not served for want of credentials, rights or quota.
type Rejection struct {
	Key    string // its id, "" when there is none
	Addr   netip.Addr
	Code   jsonrpc.Code
	Reason string
}

// A Cause is one of the few reasons for which requests are refused, for metrics.
type Cause string

// The causes.
const (
	CauseMissing     Cause = "missing_key"   // no Authorization header
	CauseMalformed   Cause = "malformed_key" // neither a key nor an access token
	CauseUnknown     Cause = "unknown_key"   // no key of this server
	CauseRevoked     Cause = "revoked"
	CauseToken       Cause = "invalid_token" // an access token
	CauseExpired     Cause = "expired"       // a key or an access token
	CauseAddress     Cause = "address"       // the key may not be used from there
	CauseGuessing    Cause = "guessing"      // too many wrong keys from one address
	CauseQuota       Cause = "quota"         // of a plan, of handshakes or of invalid bodies
	CauseUnavailable Cause = "unavailable"   // keys or tokens cannot be looked up
)

// Causes returns the causes with the codes of their errors, for metrics that exist from the
// start.
func Causes() map[Cause]jsonrpc.Code {
	return map[Cause]jsonrpc.Code{
		CauseMissing: host.CodeAuthentication, CauseMalformed: host.CodeAuthentication, CauseUnknown: host.CodeAuthentication,
		CauseRevoked: host.CodeAuthentication, CauseToken: host.CodeAuthentication, CauseExpired: host.CodeExpired,
		CauseAddress: host.CodePermissionDenied, CauseGuessing: host.CodeQuotaExceeded, CauseQuota: host.CodeQuotaExceeded,
		CauseUnavailable: jsonrpc.CodeInternalError,
	}
}

// An Authenticator implements [streamable.Authenticator]. Make one with [New]. What it
// remembers (failures, refusals, handshakes) is bounded in size and lost at a restart.
type Authenticator struct {
	cfg      Config
	failures throttle
	known    tally     // refusals of known keys
	begun    allowance // handshakes
	broken   allowance // bodies that were refused
}

var _ streamable.Authenticator = (*Authenticator)(nil)

// New returns an authenticator. It starts nothing.
func New(cfg Config) *Authenticator {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Rejected == nil {
		cfg.Rejected = func(context.Context, Rejection) {}
	}
	if cfg.Refused == nil {
		cfg.Refused = func(Cause, jsonrpc.Code) {}
	}
	d := &Authenticator{cfg: cfg}
	d.failures.init()
	d.known.init()
	return d
}

// An account is the [host.Principal.Account] of an authenticated principal. It is a value
// that nothing changes: a later request of the same key has its own, from a new look-up.
type account struct {
	plan    quota.Plan
	limits  quota.Limits
	key     keys.Token // zero for an access token
	rule    string     // the id of the key that the owner of an access token has by a rule
	expires time.Time  // of the key or the access token; zero is never
	// unverified is set when keys cannot be looked up and the key was good when
	// that was last possible. Only probes are answered then.
	unverified bool
}

// IsVerified reports whether the key of a principal could be looked up. While keys cannot
// be, a key that was good before may only send probes. It is true of principals of other
// authenticators.
func IsVerified(p host.Principal) bool {
	mine, _ := p.Account.(account)
	return !mine.unverified
}

// A Standing is the plan of a key or access token, and its expiry.
type Standing struct {
	Plan    quota.Plan
	Limits  quota.Limits
	Expires time.Time // zero is never
}

// StandingOf returns the standing of a principal from an [Authenticator]; ok is false
// for others.
func StandingOf(p host.Principal) (s Standing, ok bool) {
	mine, ok := p.Account.(account)
	return Standing{Plan: mine.plan, Limits: mine.limits, Expires: mine.expires}, ok
}

// report logs that a store or the issuer failed. A request that was cancelled by its
// client is no failure: its context ends the look-up.
func (d *Authenticator) report(ctx context.Context, what string, err error) {
	level := slog.LevelError
	if ctx.Err() != nil {
		level = slog.LevelDebug
	}
	d.cfg.Logger.Log(ctx, level, "out of reach", "what", what, "err", err)
}

// client returns the address of the client. If a proxy connected, that is the last
// address in X-Forwarded-For that is not a proxy's: all before it come from the client,
// who may write what it likes. A part that is no address ends the search, with the last
// good one.
func (d *Authenticator) client(r *http.Request) netip.AddrPort {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.AddrPort{}
	}
	peer = netip.AddrPortFrom(peer.Addr().Unmap(), peer.Port())
	if !d.isProxy(peer.Addr()) {
		return peer
	}
	hops := strings.Split(strings.Join(r.Header["X-Forwarded-For"], ","), ",")
	from := peer
	for _, hop := range slices.Backward(hops) {
		addr, err := netip.ParseAddr(strings.TrimSpace(hop))
		if err != nil {
			return from
		}
		from = netip.AddrPortFrom(addr.Unmap(), 0)
		if !d.isProxy(from.Addr()) {
			return from
		}
	}
	return from
}

// isProxy reports whether an address is that of a proxy whose Forwarded headers are
// believed.
func (d *Authenticator) isProxy(addr netip.Addr) bool {
	for _, p := range d.cfg.Proxies {
		if p.Contains(addr.WithZone("")) {
			return true
		}
	}
	return false
}
