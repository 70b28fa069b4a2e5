package peers

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/redis/go-redis/v9"

	"github.com/triptych-mcp/triptych/transport/streamable"
)

const (
	// listPrefix and the tag of a server name the list of its sessions.
	listPrefix = "triptych:server-sessions:"
	// listLife is the time for which a list stays that is not written again.
	listLife = 3 * showEvery
	// maxListed limits the sessions in a list.
	maxListed = 200
)

// SetSessions sets the function that returns the sessions of clients at this server, for the
// pages of the others. It is called before Run.
func (r *Registry) SetSessions(sessions func() []streamable.SessionInfo) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sessions = sessions
}

// showSessions writes the sessions of this server that were used last. Without sessions, it
// writes nothing and the last list expires.
func (r *Registry) showSessions(ctx context.Context) error {
	r.mu.Lock()
	sessions := r.sessions
	r.mu.Unlock()
	if sessions == nil {
		return nil
	}
	all := sessions()
	if len(all) == 0 {
		return nil
	}
	slices.SortFunc(all, func(a, b streamable.SessionInfo) int {
		return cmp.Or(b.Used.Compare(a.Used), cmp.Compare(a.ID, b.ID))
	})
	text, err := json.Marshal(all[:min(len(all), maxListed)])
	if err != nil {
		return err
	}
	return r.client.Set(ctx, r.prefix+listPrefix+r.tag, text, listLife).Err()
}

// readSessions returns the sessions at another server, as it last wrote them.
func (r *Registry) readSessions(ctx context.Context, tag string) (all []streamable.SessionInfo, err error) {
	text, err := r.client.Get(ctx, r.prefix+listPrefix+tag).Bytes()
	if errors.Is(err, redis.Nil) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return all, json.Unmarshal(text, &all)
}
