package bearer

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/transport/keys"
	"github.com/triptych-mcp/triptych/transport/streamable"
)

// Authenticate finds the principal of a request, or returns why it is refused; headers of
// the answer are set in header. It may block, up to the delay for a guess and the
// time-out of the stores, but no longer than the request's context. A handler that does
// not ask [Authenticator.Charge] refuses those that [IsVerified] rejects.
func (d *Authenticator) Authenticate(header http.Header, r *http.Request) (host.Caller, *streamable.Refusal) {
	from := d.client(r)
	who, refused := d.identify(r, from.Addr())
	if refused != nil {
		return host.Caller{}, d.refuse(header, r, from.Addr(), refused)
	}
	caller := host.Caller{Principal: who, Addr: from}
	if mine, _ := who.Account.(account); mine.unverified {
		return caller, nil // Charge decides
	}
	return caller, d.refuseInvalid(header, r, &caller)
}

// Valid looks the caller's key up again: it may have been revoked, changed or expired
// since. It reports false, too, when the key has lost a scope that the caller has, or may
// no longer be used from its address. While keys cannot be looked up, it reports true:
// the stream goes on. An access token is valid until it expires.
func (d *Authenticator) Valid(ctx context.Context, caller *host.Caller) bool {
	mine, _ := caller.Principal.Account.(account)
	var record keys.Record
	var err error
	switch {
	case mine.key != (keys.Token{}):
		record, err = d.cfg.Ring.Find(ctx, mine.key)
	case !d.cfg.Now().Before(mine.expires):
		return false
	case mine.rule == "":
		return true
	default:
		record, err = d.cfg.Get(ctx, mine.rule)
	}
	if err != nil {
		return !isGone(err)
	}
	lost := func(scope host.Scope) bool { return !slices.Contains(record.Scopes, scope) }
	return record.Check(d.cfg.Now(), caller.Addr.Addr()) == nil && !slices.ContainsFunc(caller.Principal.Scopes, lost)
}

// identify returns the principal of the Authorization header. Keys and access tokens have
// different forms, so a credential is tried in one way only.
func (d *Authenticator) identify(r *http.Request, from netip.Addr) (host.Principal, *denial) {
	token, refused := credentials(r.Header)
	if refused != nil {
		return host.Principal{}, refused
	}
	parsed, err := keys.ParseToken(token)
	switch {
	case err == nil && (parsed.Kind().IsKey() || parsed.Kind() == keys.Access): // others open nothing
		return d.byKey(r, parsed, from)
	case d.cfg.Tokens != nil && strings.Count(token, ".") == 2:
		return d.byToken(r.Context(), token, from)
	}
	return host.Principal{}, unauthenticated(CauseMalformed, "the key is not one of ours, mistyped or cut off")
}

// credentials returns the token of the only Authorization header (RFC 6750, section 2.1).
// The scheme has no case (RFC 9110, section 11.1). A token in the body or the URL (RFC
// 6750, sections 2.2 and 2.3) is not looked for: those reach logs.
func credentials(header http.Header) (string, *denial) {
	values := header["Authorization"]
	if len(values) == 0 {
		d := unauthenticated(CauseMissing, "the header Authorization: Bearer KEY is missing")
		d.silent = true
		return "", d
	}
	scheme, token, ok := strings.Cut(values[0], " ")
	if len(values) > 1 || !ok || !strings.EqualFold(scheme, "Bearer") {
		return "", unauthenticated(CauseMalformed, "the header Authorization must be one, with Bearer and the key")
	}
	return strings.TrimSpace(token), nil
}

// byKey returns the principal of a key. While keys cannot be looked up, a POST with a key
// that was good before is passed on unverified: it may be a probe, which
// [Authenticator.Charge] lets through, alone of all requests. Expiry and addresses are
// checked all the same.
func (d *Authenticator) byKey(r *http.Request, token keys.Token, from netip.Addr) (host.Principal, *denial) {
	record, err := d.cfg.Ring.Find(r.Context(), token)
	if errors.Is(err, keys.ErrUnknown) {
		return host.Principal{}, unauthenticated(CauseUnknown, "the key is unknown")
	}
	if err != nil {
		d.report(r.Context(), "keys", err)
		if r.Method != http.MethodPost || record.ID == "" {
			return host.Principal{}, unavailable("keys cannot be looked up now")
		}
	}
	unverified := err != nil
	if err := record.Check(d.cfg.Now(), from); err != nil {
		return host.Principal{}, denied(record.ID, err)
	}
	who := record.Principal()
	if record.Through != nil {
		if d.cfg.Resource == nil || record.Through.Resource != d.cfg.Resource(r) {
			return host.Principal{}, denied(record.ID, errOtherResource)
		}
		who.Client = cmp.Or(record.Through.Name, record.Through.Client)
	}
	who.Account = account{plan: record.Plan, limits: record.Limits(), key: token, expires: record.Expires, unverified: unverified}
	return who, nil
}

// isGone reports whether an error says that there is no such key.
func isGone(err error) bool {
	_, missing := errors.AsType[*keys.NotFoundError](err)
	return missing || errors.Is(err, keys.ErrUnknown)
}

// byRule returns the principal of an access token whose owner has a key by a rule: the key's,
// used by the owner.
func (d *Authenticator) byRule(ctx context.Context, who Identity, from netip.Addr) (host.Principal, *denial) {
	record, err := d.cfg.Get(ctx, who.Key)
	if isGone(err) {
		return host.Principal{}, denied(who.Key, errNoKey)
	}
	if err != nil {
		d.report(ctx, "keys", err)
		return host.Principal{}, unavailable("keys cannot be looked up now")
	}
	if err := record.Check(d.cfg.Now(), from); err != nil {
		return host.Principal{}, denied(record.ID, err)
	}
	p := record.Principal()
	p.Client = who.ID
	p.Account = account{plan: record.Plan, limits: record.Limits(), rule: record.ID, expires: who.Expires}
	return p, nil
}

// errNoKey is the reason to refuse a person whose rule names a key that does not exist.
var errNoKey = errors.New("the rule for your group names a key that does not exist")

// errOtherResource is the reason to refuse an access token of another server.
var errOtherResource = errors.New("the access token was made for another server")

// byToken returns the principal of an access token, which the issuer's keys verify. An
// expired one is no attempt to guess.
func (d *Authenticator) byToken(ctx context.Context, token string, from netip.Addr) (host.Principal, *denial) {
	who, err := d.cfg.Tokens.Verify(ctx, token)
	if bad, ok := errors.AsType[*InvalidTokenError](err); ok {
		if bad.Cause != nil {
			d.cfg.Logger.DebugContext(ctx, "access token refused", "err", bad.Cause)
		}
		refused := unauthenticated(CauseToken, bad.Reason)
		if bad.Expired {
			refused.cause, refused.code, refused.message, refused.guess = CauseExpired, host.CodeExpired, "License expired", false
		}
		return host.Principal{}, refused
	}
	if err != nil {
		d.report(ctx, "the issuer of access tokens", err)
		return host.Principal{}, unavailable("access tokens cannot be verified now")
	}
	if who.Key != "" {
		return d.byRule(ctx, who, from)
	}
	return host.Principal{ID: who.ID, Scopes: who.Scopes, Account: account{plan: who.Plan, limits: who.Limits, expires: who.Expires}}, nil
}
