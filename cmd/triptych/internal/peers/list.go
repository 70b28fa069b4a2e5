package peers

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/triptych-mcp/triptych/transport/streamable"
)

// A Running is a server that is registered in the store.
type Running struct {
	Name, URL string
	Load      Load          // nothing, if a version wrote the entry that does not count
	Seen      time.Duration // the time since the server showed that it runs
	Self      bool          // it is the server that asks
	// Sessions has the sessions at another server that were used last, 200 at most.
	Sessions []streamable.SessionInfo
}

// Servers returns the servers of the store, by name. Those that were killed are among them
// for an hour.
func (r *Registry) Servers(ctx context.Context) ([]Running, error) {
	ctx, stop := context.WithTimeout(ctx, storeWait)
	defer stop()
	tags, err := r.client.ZRange(ctx, r.prefix+serversKey, 0, maxSeen-1).Result()
	if err != nil {
		return nil, err
	}
	var all []Running
	for _, tag := range tags {
		found, err := r.read(ctx, tag)
		if err != nil {
			return nil, err
		}
		if found.err != nil {
			continue
		}
		one := Running{Name: found.server.Name, URL: found.server.URL, Load: found.load, Seen: found.age, Self: tag == r.tag}
		if !one.Self {
			if one.Sessions, err = r.readSessions(ctx, tag); err != nil {
				return nil, err
			}
		}
		all = append(all, one)
	}
	slices.SortFunc(all, func(a, b Running) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Seen, b.Seen)) })
	return all, nil
}
