package servecmd

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/triptych-mcp/triptych/transport/keys"
	"github.com/triptych-mcp/triptych/transport/streamable"
)

// evictEvery is the interval in which the state of revoked keys is freed.
const evictEvery = 2 * time.Second

// evict frees what the endpoint keeps for keys that were revoked or have
// expired, until ctx is done: a debugged process must not stay stopped
// for a client that can no longer resume it. While keys cannot be looked up nothing
// is freed, and nothing of clients with access tokens, who may bring a new one.
func (s *services) evict(ctx context.Context, endpoint *streamable.Handler, now func() time.Time) error {
	ticker := time.NewTicker(evictEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		principals := slices.DeleteFunc(endpoint.Principals(), func(id string) bool { return !strings.HasPrefix(id, keys.IDPrefix) })
		if len(principals) == 0 {
			continue
		}
		if records, err := s.keys.GetAll(ctx, principals); err == nil {
			for _, id := range departed(principals, records, now()) {
				endpoint.Forget(id)
			}
		}
	}
}

// departed returns the principals whose keys were revoked or have expired.
func departed(principals []string, records []keys.Record, now time.Time) (gone []string) {
	works := map[string]bool{}
	for i := range records {
		works[records[i].ID] = !records[i].Inactive(now)
	}
	for _, id := range principals {
		if strings.HasPrefix(id, keys.IDPrefix) && !works[id] {
			gone = append(gone, id)
		}
	}
	return gone
}
