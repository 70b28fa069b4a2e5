package bearer

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/netip"
	"strconv"
	"time"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/transport/keys"
	"github.com/triptych-mcp/triptych/transport/quota"
	"github.com/triptych-mcp/triptych/transport/streamable"
)

// A denial is the reason to refuse a request. Its key is "" when none was recognized.
type denial struct {
	cause    Cause
	key      string
	status   int
	code     jsonrpc.Code
	message  string
	details  string
	guess    bool // the client may be guessing keys
	silent   bool // the request has no credentials
	retrying bool // it may work later
}

// unauthenticated is the denial of a request without a valid key (401). It counts as an
// attempt to guess one.
func unauthenticated(cause Cause, details string) *denial {
	return &denial{
		cause: cause, status: http.StatusUnauthorized, code: host.CodeAuthentication, message: "Authentication failed",
		details: details, guess: true,
	}
}

// unavailable is the denial of a request whose key cannot be looked up now (503, RFC
// 9110, section 15.6.4). It has a Retry-After and counts as no attempt to guess.
func unavailable(details string) *denial {
	return &denial{
		cause: CauseUnavailable, status: http.StatusServiceUnavailable, code: jsonrpc.CodeInternalError, message: "Internal error",
		details: details, retrying: true,
	}
}

// denied returns the denial of a known key: 403 from a wrong address, 401 when it has
// expired. A client that has it does not guess, so it is not delayed.
func denied(key string, err error) *denial {
	refused := unauthenticated(CauseRevoked, err.Error())
	switch _, foreign := errors.AsType[*keys.AddressError](err); {
	case foreign:
		refused = &denial{cause: CauseAddress, status: http.StatusForbidden, code: host.CodePermissionDenied, message: "Permission denied", details: err.Error()}
	case errors.Is(err, keys.ErrExpired):
		refused.cause, refused.code, refused.message = CauseExpired, host.CodeExpired, "License expired"
	}
	if errors.Is(err, errOtherResource) {
		refused.cause = CauseToken
	}
	refused.key, refused.guess = key, false
	return refused
}

// refuse records a denial and returns its answer, after a delay for a client that
// guesses. Rejections of one key are recorded once a second at most, with the number of
// those between.
func (d *Authenticator) refuse(header http.Header, r *http.Request, from netip.Addr, why *denial) *streamable.Refusal {
	if why.guess && !d.failures.hold(r.Context(), from, d.cfg.Now()) {
		return d.tooManyGuesses(header, r) // not recorded: that could fill the disk
	}
	d.cfg.Refused(why.cause, why.code)
	if more, due := d.known.due(why.key, d.cfg.Now()); due || why.key == "" {
		d.cfg.Rejected(r.Context(), Rejection{Key: why.key, Addr: from, Code: why.code, Reason: why.details + more})
	}
	if why.status == http.StatusUnauthorized {
		header["Www-Authenticate"] = []string{d.challenge(r, why)}
	}
	if why.retrying {
		header.Set("Retry-After", "1")
	}
	refused := why.refusal(revisionOf(r))
	refused.Reported = true
	return refused
}

// refusal returns what a client of the revision gets.
func (why *denial) refusal(rev *host.Revision) *streamable.Refusal {
	err := jsonrpc.Errorf(why.code, "%s", why.message).WithDetails("%s", why.details)
	return &streamable.Refusal{Status: why.status, Error: host.Explained(rev, err)}
}

// guessAgain is the Retry-After of a client that guesses too fast.
const guessAgain = 10 * time.Second

// tooManyGuesses refuses a wrong key as an exceeded rate, without a delay and without a
// record: as many answers to its address as may wait are being delayed already.
func (d *Authenticator) tooManyGuesses(header http.Header, r *http.Request) *streamable.Refusal {
	d.cfg.Refused(CauseGuessing, host.CodeQuotaExceeded)
	header.Set("Retry-After", strconv.Itoa(int(guessAgain.Seconds())))
	told := &host.QuotaError{
		Limit: maxWaiting, Used: maxWaiting, ResetAt: d.cfg.Now().Add(guessAgain),
		Details: "too many failed attempts from this address",
	}
	return &streamable.Refusal{Status: http.StatusTooManyRequests, Error: told.Wire(revisionOf(r)), Reported: true}
}

// realm begins the challenge of a 401 (RFC 6750, section 3).
const realm = `Bearer realm="triptych"`

// challenge returns the value of WWW-Authenticate, which a 401 must have (RFC 9110,
// section 11.6.1). Without credentials it has no error (RFC 6750, section 3.1).
func (d *Authenticator) challenge(r *http.Request, why *denial) string {
	text := realm
	if !why.silent {
		text += `, error="invalid_token"`
	}
	text += d.metadata(r)
	if d.cfg.Scopes != "" {
		text += `, scope="` + d.cfg.Scopes + `"` // basic/authorization, protected resource metadata
	}
	return text
}

// metadata returns the parameter of a challenge that tells clients where the metadata
// of the resource are (RFC 9728, section 5.1), "" if there are none, or if they depend on
// the request and that is nil.
func (d *Authenticator) metadata(r *http.Request) string {
	at := d.cfg.Metadata
	if at == "" && d.cfg.Resource != nil && r != nil {
		at = metadataOf(d.cfg.Resource(r))
	}
	if at == "" {
		return ""
	}
	return `, resource_metadata="` + at + `"`
}

// Forbid adds the challenge of a 403 to its header: it names the scope that is missing
// (RFC 6750, section 3.1), so that a client can ask for a token that has it.
func (d *Authenticator) Forbid(header http.Header, err *jsonrpc.Error) {
	text := realm + `, error="insufficient_scope"`
	if scope := host.MissingScope(err); scope != "" {
		text += `, scope="` + string(scope) + `"`
	}
	header["Www-Authenticate"] = []string{text + d.metadata(nil)}
}

// exceeded returns the refusal of a request beyond a limit (429, RFC 6585, section 4) and
// sets Retry-After. Clients that negotiated a revision are told which limit it was.
func (d *Authenticator) exceeded(ctx context.Context, header http.Header, caller *host.Caller, rev *host.Revision, spent *quota.ExceededError) *streamable.Refusal {
	d.cfg.Refused(CauseQuota, host.CodeQuotaExceeded)
	if more, due := d.known.due(caller.Principal.ID, d.cfg.Now()); due {
		d.cfg.Rejected(ctx, Rejection{
			Key: caller.Principal.ID, Addr: caller.Addr.Addr(), Code: host.CodeQuotaExceeded, Reason: spent.Error() + more,
		})
	}
	header.Set("Retry-After", strconv.FormatInt(retryAfter(spent.RetryAfter(d.cfg.Now())), 10))
	told := &host.QuotaError{Limit: spent.Limit, Used: spent.Used, ResetAt: spent.ResetAt}
	if rev != host.BaselineRevision() { // whose document shows all of the data
		told.Details = spent.Error()
	}
	return &streamable.Refusal{Status: http.StatusTooManyRequests, Error: told.Wire(rev), Reported: true}
}

// retryAfter returns a Retry-After of at least a second.
func retryAfter(seconds int64) int64 { return cmp.Or(max(seconds, 0), 1) }

// revisionOf returns the revision that the header names, else the baseline. It serves
// refusals before the body is read, which may name another.
func revisionOf(r *http.Request) *host.Revision {
	if rev := host.RevisionNamed(r.Header.Get("Mcp-Protocol-Version")); rev != nil {
		return rev
	}
	return host.BaselineRevision()
}
