package peers

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/triptych-mcp/triptych/transport/peer"
)

// serversKey is the sorted set of the tags of all servers, by the time of their last entry.
const serversKey = "triptych:servers"

// A Load counts what clients have open at a server.
type Load struct {
	Sessions  int64 `json:"sessions"`
	Streams   int64 `json:"streams"`
	Debugging int64 `json:"debugging"` // debugger sessions
}

// An entry is the text of a server about itself, as JSON.
type entry struct {
	peer.Server
	Load
}

// A Running is a server that is registered in the store.
type Running struct {
	Name, URL string
	Load      Load          // nothing, if a version wrote the entry that does not count
	Seen      time.Duration // the time since the server showed that it runs
	Self      bool          // it is the server that asks
}

// SetLoad sets the function that counts what clients have open. It is called before Run.
func (r *Registry) SetLoad(load func() Load) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.load = load
}

// index adds the tag of this server to the set of all, from which tags go whose entries
// have expired.
func (r *Registry) index(ctx context.Context) error {
	now := time.Now()
	both := r.client.Pipeline()
	both.ZAdd(ctx, r.prefix+serversKey, redis.Z{Score: float64(now.Unix()), Member: r.tag})
	both.ZRemRangeByScore(ctx, r.prefix+serversKey, "-inf", "("+strconv.FormatInt(now.Add(-2*serverLife).Unix(), 10))
	_, err := both.Exec(ctx)
	return err
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
		if found.err == nil {
			all = append(all, Running{Name: found.server.Name, URL: found.server.URL, Load: found.load, Seen: found.age, Self: tag == r.tag})
		}
	}
	slices.SortFunc(all, func(a, b Running) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Seen, b.Seen)) })
	return all, nil
}
