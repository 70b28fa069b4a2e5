package bearer

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/transport/keys"
	"github.com/triptych-mcp/triptych/transport/quota"
	"github.com/triptych-mcp/triptych/transport/streamable"
)

// A Config holds the stores and settings of an [Authenticator].
type Config struct {
	Ring  keys.Ring
	Meter quota.Meter
	// Handshakes counts handshakes by minute for all servers; nil counts those of this
	// server alone, in memory.
	Handshakes quota.Meter
	// Tokens verifies access tokens of an issuer; nil when there is none.
	Tokens Verifier
	// Metadata is the URL of the protected resource metadata (RFC 9728), ""
	// without an issuer.
	Metadata string
	// Proxies are the addresses whose X-Forwarded-For is believed.
	Proxies []netip.Prefix
	// Rejected is called with every rejection; nil ignores them.
	Rejected func(ctx context.Context, r Rejection)
	// Now is the clock; nil means [time.Now].
	Now func() time.Time
	// Logger receives failures of the stores; nil discards them.
	Logger *slog.Logger
}

// A Verifier verifies access tokens and returns their owners. The error for a bad
// token is an [InvalidTokenError]; another error means that it cannot verify now.
type Verifier interface {
	Verify(ctx context.Context, token string) (Identity, error)
}

// An Identity is the owner of an access token.
type Identity struct {
	ID     string      // stable and unique, no secret
	Scopes []mcp.Scope // never nil, which would mean all
	Plan   quota.Plan
	Limits quota.Limits
	// Expires is the time at which the token expires.
	Expires time.Time
}

// An InvalidTokenError reports a bad access token.
type InvalidTokenError struct {
	Reason  string // for the client
	Expired bool
	Cause   error // for the log; nil when the reason says it all
}

// Error returns the reason, which the client sees; Cause is for the log.
func (e *InvalidTokenError) Error() string { return e.Reason }

// A Rejection is a request that was not served for want of credentials, rights or quota.
type Rejection struct {
	Key    string // its id, "" when there is none
	Addr   netip.Addr
	Code   jsonrpc.Code
	Reason string
}

// An Authenticator implements [streamable.Authenticator]. Make one with [New].
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
	d := &Authenticator{cfg: cfg}
	d.failures.init()
	d.known.init()
	return d
}

// An account is the [mcp.Principal.Account] of an authenticated principal.
type account struct {
	plan    quota.Plan
	limits  quota.Limits
	key     keys.Token // zero for an access token
	expires time.Time  // of the key or the access token; zero is never
	// unverified is set when keys cannot be looked up and the key was good when
	// that was last possible. Only probes are answered then.
	unverified bool
}

// Authenticate finds the principal of a request. A handler that does not ask
// [Authenticator.Charge] refuses those that [IsVerified] rejects.
func (d *Authenticator) Authenticate(header http.Header, r *http.Request) (mcp.Caller, *streamable.Refusal) {
	from := d.client(r)
	who, refused := d.identify(r, from.Addr())
	if refused != nil {
		return mcp.Caller{}, d.refuse(header, r, from.Addr(), refused)
	}
	caller := mcp.Caller{Principal: who, Addr: from}
	if mine, _ := who.Account.(account); mine.unverified {
		return caller, nil // Charge decides
	}
	return caller, d.refuseInvalid(header, r, &caller)
}

// IsVerified reports whether the key of a principal could be looked up. While keys cannot
// be, a key that was good before may only send probes.
func IsVerified(p mcp.Principal) bool {
	mine, _ := p.Account.(account)
	return !mine.unverified
}

// Valid looks the caller's key up again: it may have been revoked, changed or
// expired since. While keys cannot be looked up, it reports true.
func (d *Authenticator) Valid(ctx context.Context, caller *mcp.Caller) bool {
	mine, _ := caller.Principal.Account.(account)
	if mine.key == (keys.Token{}) {
		return d.cfg.Now().Before(mine.expires)
	}
	record, err := d.cfg.Ring.Find(ctx, mine.key)
	if err != nil {
		return !errors.Is(err, keys.ErrUnknown)
	}
	lost := func(scope mcp.Scope) bool { return !slices.Contains(record.Scopes, scope) }
	return record.Check(d.cfg.Now(), caller.Addr.Addr()) == nil && !slices.ContainsFunc(caller.Principal.Scopes, lost)
}

// A Standing is the plan of a key or access token, and its expiry.
type Standing struct {
	Plan    quota.Plan
	Limits  quota.Limits
	Expires time.Time // zero is never
}

// StandingOf returns the standing of a principal from an [Authenticator]; ok is false
// for others.
func StandingOf(p mcp.Principal) (s Standing, ok bool) {
	mine, ok := p.Account.(account)
	return Standing{Plan: mine.plan, Limits: mine.limits, Expires: mine.expires}, ok
}

// A denial is the reason to refuse a request.
type denial struct {
	key      string
	status   int
	code     jsonrpc.Code
	message  string
	details  string
	guess    bool // the client may be guessing keys
	silent   bool // the request has no credentials
	retrying bool // it may work later
}

// identify returns the principal of the Authorization header.
func (d *Authenticator) identify(r *http.Request, from netip.Addr) (mcp.Principal, *denial) {
	token, refused := credentials(r.Header)
	if refused != nil {
		return mcp.Principal{}, refused
	}
	parsed, err := keys.ParseToken(token)
	switch {
	case err == nil:
		return d.byKey(r, parsed, from)
	case d.cfg.Tokens != nil && strings.Count(token, ".") == 2:
		return d.byToken(r.Context(), token)
	}
	return mcp.Principal{}, unauthenticated("the key is not one of ours, mistyped or cut off")
}

// credentials returns the token of the only Authorization header
// (RFC 6750, section 2.1).
func credentials(header http.Header) (string, *denial) {
	values := header["Authorization"]
	if len(values) == 0 {
		d := unauthenticated("the header Authorization: Bearer KEY is missing")
		d.silent = true
		return "", d
	}
	scheme, token, ok := strings.Cut(values[0], " ")
	if len(values) > 1 || !ok || !strings.EqualFold(scheme, "Bearer") {
		return "", unauthenticated("the header Authorization must be one, with Bearer and the key")
	}
	return strings.TrimSpace(token), nil
}

// unauthenticated is the denial of a request without a valid key (401). It counts as an
// attempt to guess one.
func unauthenticated(details string) *denial {
	return &denial{
		status: http.StatusUnauthorized, code: mcp.CodeAuthentication, message: "Authentication failed",
		details: details, guess: true,
	}
}

// unavailable is the denial of a request whose key cannot be looked up now (503).
func unavailable(details string) *denial {
	return &denial{
		status: http.StatusServiceUnavailable, code: jsonrpc.CodeInternalError, message: "Internal error",
		details: details, retrying: true,
	}
}

// byKey returns the principal of a key. While keys cannot be looked up, a POST
// with a key that was good before is passed on unverified: it may be a probe,
// which [Authenticator.Charge] lets through, alone of all requests.
func (d *Authenticator) byKey(r *http.Request, token keys.Token, from netip.Addr) (mcp.Principal, *denial) {
	record, err := d.cfg.Ring.Find(r.Context(), token)
	if errors.Is(err, keys.ErrUnknown) {
		return mcp.Principal{}, unauthenticated("the key is unknown")
	}
	if err != nil {
		d.report(r.Context(), "keys", err)
		if r.Method != http.MethodPost || record.ID == "" {
			return mcp.Principal{}, unavailable("keys cannot be looked up now")
		}
	}
	unverified := err != nil
	if err := record.Check(d.cfg.Now(), from); err != nil {
		return mcp.Principal{}, denied(record.ID, err)
	}
	who := record.Principal()
	who.Account = account{plan: record.Plan, limits: record.Limits(), key: token, expires: record.Expires, unverified: unverified}
	return who, nil
}

// denied returns the denial of a known key.
func denied(key string, err error) *denial {
	refused := unauthenticated(err.Error())
	switch _, foreign := errors.AsType[*keys.AddressError](err); {
	case foreign:
		refused = &denial{status: http.StatusForbidden, code: mcp.CodePermissionDenied, message: "Permission denied", details: err.Error()}
	case errors.Is(err, keys.ErrExpired):
		refused.code, refused.message = mcp.CodeExpired, "License expired"
	}
	refused.key, refused.guess = key, false
	return refused
}

// byToken returns the principal of an access token, which the issuer's keys verify. An
// expired one is no attempt to guess.
func (d *Authenticator) byToken(ctx context.Context, token string) (mcp.Principal, *denial) {
	who, err := d.cfg.Tokens.Verify(ctx, token)
	if bad, ok := errors.AsType[*InvalidTokenError](err); ok {
		if bad.Cause != nil {
			d.cfg.Logger.DebugContext(ctx, "access token refused", "err", bad.Cause)
		}
		refused := unauthenticated(bad.Reason)
		if bad.Expired {
			refused.code, refused.message, refused.guess = mcp.CodeExpired, "License expired", false
		}
		return mcp.Principal{}, refused
	}
	if err != nil {
		d.report(ctx, "the issuer of access tokens", err)
		return mcp.Principal{}, unavailable("access tokens cannot be verified now")
	}
	return mcp.Principal{ID: who.ID, Scopes: who.Scopes, Account: account{plan: who.Plan, limits: who.Limits, expires: who.Expires}}, nil
}

// report logs that a store or the issuer failed. A request that was cancelled by its
// client is no failure.
func (d *Authenticator) report(ctx context.Context, what string, err error) {
	level := slog.LevelError
	if ctx.Err() != nil {
		level = slog.LevelDebug
	}
	d.cfg.Logger.Log(ctx, level, "out of reach", "what", what, "err", err)
}

// refuse records a denial and returns its answer, after a delay for a client that
// guesses.
func (d *Authenticator) refuse(header http.Header, r *http.Request, from netip.Addr, why *denial) *streamable.Refusal {
	if why.guess && !d.failures.hold(r.Context(), from, d.cfg.Now()) {
		return d.tooManyGuesses(header, r) // not recorded: that could fill the disk
	}
	if more, due := d.known.due(why.key, d.cfg.Now()); due || why.key == "" {
		d.cfg.Rejected(r.Context(), Rejection{Key: why.key, Addr: from, Code: why.code, Reason: why.details + more})
	}
	if why.status == http.StatusUnauthorized {
		header["Www-Authenticate"] = []string{d.challenge(why)}
	}
	if why.retrying {
		header.Set("Retry-After", "1")
	}
	refused := why.refusal()
	refused.Reported = true
	return refused
}

// refusal returns what the client gets.
func (why *denial) refusal() *streamable.Refusal {
	return &streamable.Refusal{Status: why.status, Error: jsonrpc.Errorf(why.code, "%s", why.message).WithDetails("%s", why.details)}
}

// guessAgain is the Retry-After of a client that guesses too fast.
const guessAgain = 10 * time.Second

// tooManyGuesses refuses a key without looking it up, as an exceeded rate.
func (d *Authenticator) tooManyGuesses(header http.Header, r *http.Request) *streamable.Refusal {
	header.Set("Retry-After", strconv.Itoa(int(guessAgain.Seconds())))
	told := &mcp.QuotaError{
		Limit: maxWaiting, Used: maxWaiting, ResetAt: d.cfg.Now().Add(guessAgain),
		Details: "too many failed attempts from this address",
	}
	return &streamable.Refusal{Status: http.StatusTooManyRequests, Error: told.Wire(revisionOf(r)), Reported: true}
}

// realm begins the challenge of a 401 (RFC 6750, section 3).
const realm = `Bearer realm="triptych"`

// challenge returns the value of WWW-Authenticate (RFC 6750, section 3): without
// credentials it has no error.
func (d *Authenticator) challenge(why *denial) string {
	text := realm
	if !why.silent {
		text += `, error="invalid_token"`
	}
	return text + d.metadata()
}

// metadata returns the parameter of a challenge that tells clients where the metadata
// of the resource are (RFC 9728, section 5.1), "" if there are none.
func (d *Authenticator) metadata() string {
	if d.cfg.Metadata == "" {
		return ""
	}
	return `, resource_metadata="` + d.cfg.Metadata + `"`
}

// Forbid names the scope that is missing (RFC 6750, section 3.1).
func (d *Authenticator) Forbid(header http.Header, err *jsonrpc.Error) {
	text := realm + `, error="insufficient_scope"`
	if scope := mcp.MissingScope(err); scope != "" {
		text += `, scope="` + string(scope) + `"`
	}
	header["Www-Authenticate"] = []string{text + d.metadata()}
}

// client returns the address of the client. If a proxy connected, that is the last
// address in X-Forwarded-For that is not a proxy's.
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

// retryAfter returns a Retry-After of at least a second.
func retryAfter(seconds int64) int64 { return cmp.Or(max(seconds, 0), 1) }
