package bearer

import (
	"sync"
	"time"

	"github.com/triptych-mcp/triptych/transport/quota"
)

// An allowance bounds, minute by minute, requests that no quota counts. It is kept in
// memory, for it protects this process. Its zero value is ready; its methods may be
// called from any goroutine.
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
