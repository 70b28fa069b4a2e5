package bearer

import (
	"context"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/transport/quota"
	"github.com/triptych-mcp/triptych/transport/streamable"
)

// An allowance bounds, minute by minute, requests that no quota counts. It is kept in
// memory, for it protects this process.
type allowance struct {
	mu   sync.Mutex
	ends time.Time // of the minute
	used map[string]int64
}

// fewest is the allowance of a key with a small plan, or none.
const fewest = 30

// allowed returns the allowance of a key for a minute: as many requests as it has
// calls, and no fewer than hosts need that start several clients at once. 0 is
// unlimited.
func allowed(limits quota.Limits) int64 {
	if limits.Minute == 0 {
		return 0
	}
	return max(fewest, limits.Minute)
}

// take counts n for a key whose allowance is not used up; n may exceed the rest. With
// n = 0 it only checks.
func (a *allowance) take(key string, n int, limit int64, now time.Time) *quota.ExceededError {
	a.mu.Lock()
	defer a.mu.Unlock()
	if now.Before(a.ends.Add(-time.Minute)) || !now.Before(a.ends) {
		a.ends, a.used = now.Truncate(time.Minute).Add(time.Minute), map[string]int64{}
	}
	if used := a.used[key]; limit > 0 && used >= limit {
		return &quota.ExceededError{Period: quota.Minute, Limit: limit, Used: used, ResetAt: a.ends}
	}
	if n > 0 {
		a.used[key] += int64(n)
	}
	return nil
}

// refuseInvalid refuses to read the body of a key that has sent too many invalid ones.
func (d *Authenticator) refuseInvalid(header http.Header, r *http.Request, caller *mcp.Caller) *streamable.Refusal {
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

// revisionOf returns the revision that the header names, else the baseline.
func revisionOf(r *http.Request) *mcp.Revision {
	if rev := mcp.RevisionNamed(r.Header.Get("Mcp-Protocol-Version")); rev != nil {
		return rev
	}
	return mcp.BaselineRevision()
}

// exceeded refuses a request beyond a limit.
func (d *Authenticator) exceeded(ctx context.Context, header http.Header, caller *mcp.Caller, rev *mcp.Revision, spent *quota.ExceededError) *streamable.Refusal {
	if more, due := d.known.due(caller.Principal.ID, d.cfg.Now()); due {
		d.cfg.Rejected(ctx, Rejection{
			Key: caller.Principal.ID, Addr: caller.Addr.Addr(), Code: mcp.CodeQuotaExceeded, Reason: spent.Error() + more,
		})
	}
	header.Set("Retry-After", strconv.FormatInt(retryAfter(spent.RetryAfter(d.cfg.Now())), 10))
	told := &mcp.QuotaError{Limit: spent.Limit, Used: spent.Used, ResetAt: spent.ResetAt}
	if rev != mcp.BaselineRevision() { // whose document shows all of the data
		told.Details = spent.Error()
	}
	return &streamable.Refusal{Status: http.StatusTooManyRequests, Error: told.Wire(rev), Reported: true}
}
