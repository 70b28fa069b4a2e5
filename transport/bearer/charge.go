package bearer

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/transport/quota"
	"github.com/triptych-mcp/triptych/transport/streamable"
)

// Charge takes n requests from the plan of the caller's key and shows what is
// left in the headers.
func (d *Door) Charge(ctx context.Context, header http.Header, caller *mcp.Caller, rev *mcp.Revision, n int) *streamable.Refusal {
	mine, _ := caller.Principal.Account.(account)
	if mine.limits.None() {
		return nil
	}
	usage, err := d.take(ctx, caller.Principal.ID, mine.limits, n)
	show(header, usage)
	switch spent, ok := errors.AsType[*quota.ExceededError](err); {
	case err == nil:
		return nil
	case ok:
		if more, due := d.known.due(caller.Principal.ID, d.cfg.Now()); due {
			d.cfg.Refused(ctx, Refused{
				Key: caller.Principal.ID, Addr: caller.Addr.Addr(), Code: mcp.CodeQuotaExceeded, Reason: err.Error() + more,
			})
		}
		header.Set("Retry-After", strconv.FormatInt(retryAfter(spent.RetryAfter(d.cfg.Now())), 10))
		told := &mcp.QuotaError{Limit: spent.Limit, Used: spent.Used, ResetAt: spent.ResetAt}
		return &streamable.Refusal{Status: http.StatusTooManyRequests, Error: told.Wire(rev)}
	}
	d.cfg.Logger.Error("requests cannot be counted", "err", err)
	header.Set("Retry-After", "1")
	return &streamable.Refusal{
		Status: http.StatusServiceUnavailable,
		Error:  jsonrpc.Errorf(jsonrpc.CodeInternalError, "Internal error").WithDetails("requests cannot be counted now"),
	}
}

// take counts n requests or none of them, or looks when there are none.
func (d *Door) take(ctx context.Context, key string, limits quota.Limits, n int) (quota.Usage, error) {
	if n == 0 {
		return d.cfg.Meter.Peek(ctx, key, limits, d.cfg.Now())
	}
	return d.cfg.Meter.TakeAll(ctx, key, limits, int64(n), d.cfg.Now())
}

// show sets the rate-limit headers.
func show(header http.Header, usage quota.Usage) {
	if limit, remaining, reset, ok := usage.Headers(); ok {
		header["X-Ratelimit-Limit"] = []string{limit}
		header["X-Ratelimit-Remaining"] = []string{remaining}
		header["X-Ratelimit-Reset"] = []string{reset}
	}
}
