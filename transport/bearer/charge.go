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
		d.cfg.Refused(ctx, Refused{Key: caller.Principal.ID, Addr: caller.Addr.Addr(), Code: mcp.CodeQuotaExceeded, Reason: err.Error()})
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

// take counts n requests, or looks when there are none. Of a batch that is too
// large, none counts unless others take at the same time.
func (d *Door) take(ctx context.Context, key string, limits quota.Limits, n int) (quota.Usage, error) {
	now := d.cfg.Now()
	if n != 1 {
		usage, err := d.cfg.Meter.Peek(ctx, key, limits, now)
		if err != nil || n == 0 {
			return usage, err
		}
		if tight, ok := lacks(usage, n); ok {
			return usage, tight
		}
	}
	var usage quota.Usage
	for range n {
		var err error
		if usage, err = d.cfg.Meter.Take(ctx, key, limits, now); err != nil {
			return usage, err
		}
	}
	return usage, nil
}

// lacks says which window has less than n requests left.
func lacks(u quota.Usage, n int) (*quota.ExceededError, bool) {
	for _, w := range []struct {
		quota.Window
		period quota.Period
	}{{u.Month, quota.Month}, {u.Minute, quota.Minute}} {
		if !w.Unlimited() && w.Remaining() < int64(n) {
			return &quota.ExceededError{Period: w.period, Limit: w.Limit, Used: w.Used, ResetAt: w.Reset}, true
		}
	}
	return nil, false
}

// show sets the rate-limit headers.
func show(header http.Header, usage quota.Usage) {
	if limit, remaining, reset, ok := usage.Headers(); ok {
		header["X-Ratelimit-Limit"] = []string{limit}
		header["X-Ratelimit-Remaining"] = []string{remaining}
		header["X-Ratelimit-Reset"] = []string{reset}
	}
}
