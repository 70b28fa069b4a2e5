package bearer

import (
	"context"
	"errors"
	"net/http"

	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/transport/quota"
	"github.com/triptych-mcp/triptych/transport/streamable"
)

// Charge takes the calls of a bill from the plan of the caller's key and sets the
// rate-limit headers. It takes all of them or none: a batch is not served in part.
// Handshakes and invalid bodies are free but limited by minute: an invalid body was
// refused already, so the next one is not read. It returns nil when the request may be
// served.
//
// Probes are served while keys or counters cannot be reached, too, so that a host sees
// that the server is there.
func (d *Authenticator) Charge(ctx context.Context, header http.Header, caller *host.Caller, rev *host.Revision, bill streamable.Bill) *streamable.Refusal {
	mine, _ := caller.Principal.Account.(account)
	switch {
	case mine.unverified && bill.Probe:
		return nil
	case mine.unverified:
		header.Set("Retry-After", "1")
		return unavailable("keys cannot be looked up now").refusal(rev)
	case mine.limits.None():
		return nil
	}
	usage, err := d.take(ctx, caller.Principal.ID, mine.limits, bill.Calls)
	setRateLimit(header, usage)
	if err == nil {
		err = d.bound(ctx, caller.Principal.ID, mine.limits, bill)
	}
	switch spent, ok := errors.AsType[*quota.ExceededError](err); {
	case err == nil:
		return nil
	case ok:
		return d.exceeded(ctx, header, caller, rev, spent)
	case bill.Probe:
		return nil // the answer goes without the headers
	}
	d.report(ctx, "counters", err)
	header.Set("Retry-After", "1")
	return unavailable("requests cannot be counted now").refusal(rev)
}

// bound counts handshakes and invalid bodies, which no plan counts. It returns a
// [*quota.ExceededError] when there were too many handshakes in this minute, and no other
// error: counters that cannot be reached are replaced by those of this server.
func (d *Authenticator) bound(ctx context.Context, key string, limits quota.Limits, bill streamable.Bill) error {
	if bill.Broken > 0 {
		_ = d.broken.take(key, bill.Broken, 0, d.cfg.Now()) // refused when the next one comes
	}
	if bill.Handshakes == 0 {
		return nil
	}
	if limit := allowed(limits); d.cfg.Handshakes != nil && limit > 0 {
		_, err := d.cfg.Handshakes.TakeAll(ctx, quota.Handshakes+key, quota.Limits{Minute: limit}, int64(bill.Handshakes), d.cfg.Now())
		if spent, ok := errors.AsType[*quota.ExceededError](err); ok {
			return spent
		}
		if err == nil {
			return nil
		}
		d.report(ctx, "counters", err) // those of this server are bounded at least
	}
	if spent := d.begun.take(key, bill.Handshakes, allowed(limits), d.cfg.Now()); spent != nil {
		return spent
	}
	return nil
}

// take counts n requests or none of them; with n = 0 it returns the usage.
func (d *Authenticator) take(ctx context.Context, key string, limits quota.Limits, n int) (quota.Usage, error) {
	if n == 0 {
		return d.cfg.Meter.Peek(ctx, key, limits, d.cfg.Now())
	}
	return d.cfg.Meter.TakeAll(ctx, key, limits, int64(n), d.cfg.Now())
}

// setRateLimit sets the rate-limit headers, unless the plan has no limit.
func setRateLimit(header http.Header, usage quota.Usage) {
	if limit, remaining, reset, ok := usage.Headers(); ok {
		values := []string{limit, remaining, reset}
		header["X-Ratelimit-Limit"] = values[0:1:1]
		header["X-Ratelimit-Remaining"] = values[1:2:2]
		header["X-Ratelimit-Reset"] = values[2:3:3]
	}
}

// refuseInvalid refuses to read the body of a key that has sent too many invalid ones in
// this minute; it returns nil for all others. Requests without a body pass.
func (d *Authenticator) refuseInvalid(header http.Header, r *http.Request, caller *host.Caller) *streamable.Refusal {
	mine, _ := caller.Principal.Account.(account)
	limit := allowed(mine.limits)
	if limit == 0 || r.Method != http.MethodPost {
		return nil
	}
	spent := d.broken.take(caller.Principal.ID, 0, limit, d.cfg.Now())
	if spent == nil {
		return nil
	}
	if usage, err := d.take(r.Context(), caller.Principal.ID, mine.limits, 0); err == nil {
		setRateLimit(header, usage)
	}
	return d.exceeded(r.Context(), header, caller, revisionOf(r), spent)
}
