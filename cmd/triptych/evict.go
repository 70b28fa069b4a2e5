package main

import (
	"context"
	"strings"
	"time"

	"github.com/triptych-mcp/triptych/transport/keys"
	"github.com/triptych-mcp/triptych/transport/streamable"
)

// evictEvery is how soon what is kept for a key goes when the key has gone.
const evictEvery = 2 * time.Second

// evict frees what the endpoint keeps for keys that were revoked or have
// expired, until ctx is done: a debugged process shall not stand still for
// somebody who cannot let it go. While keys cannot be looked up nobody loses
// anything. Those who come with access tokens may bring a new one.
func (h *house) evict(ctx context.Context, endpoint *streamable.Handler, now func() time.Time) error {
	ticker := time.NewTicker(evictEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		guests := endpoint.Principals()
		if len(guests) == 0 {
			continue
		}
		if records, err := h.keys.List(ctx); err == nil {
			for _, id := range departed(guests, records, now()) {
				endpoint.Forget(id)
			}
		}
	}
}

// departed are the guests who came with a key that opens nothing any more.
func departed(guests []string, records []keys.Record, now time.Time) (gone []string) {
	works := map[string]bool{}
	for i := range records {
		works[records[i].ID] = !records[i].Over(now)
	}
	for _, id := range guests {
		if strings.HasPrefix(id, keys.IDPrefix) && !works[id] {
			gone = append(gone, id)
		}
	}
	return gone
}
