package valkeystore

import (
	"context"

	"github.com/redis/go-redis/v9"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// Names implements [ruleset.Store]. It asks the sorted set of the names, which is made
// of the index again when the two differ in size: servers of an earlier version do not
// know it.
func (s *Store) Names(ctx context.Context, prefix string, limit int) ([]ruleset.Name, int, error) {
	ctx, stop := context.WithTimeout(ctx, listTimeout)
	defer stop()
	found, err := s.namesWith(ctx, prefix, limit)
	if err == nil && !found.complete {
		if err := s.refresh(ctx); err != nil {
			return nil, 0, err
		}
		found.same = false
	}
	if err == nil && !found.same {
		if err := s.client.ZUnionStore(ctx, s.key.names(), &redis.ZStore{Keys: []string{s.key.index()}, Weights: []float64{0}}).Err(); err != nil {
			return nil, 0, unavailable(err)
		}
		found, err = s.namesWith(ctx, prefix, limit)
	}
	if err != nil {
		return nil, 0, unavailable(err)
	}
	names := make([]ruleset.Name, len(found.names))
	for i, name := range found.names {
		names[i] = ruleset.Name(name)
	}
	return names, found.total, nil
}

// foundNames are the names that begin with a prefix.
type foundNames struct {
	names    []string
	total    int
	complete bool // whether the index was complete once
	same     bool // whether the index has as many names
}

// namesWith asks for names in one round trip.
func (s *Store) namesWith(ctx context.Context, prefix string, limit int) (foundNames, error) {
	var names *redis.StringSliceCmd
	var total, ready, inNames, inIndex *redis.IntCmd
	from, to := "["+prefix, "["+prefix+"\xff" // names are ASCII
	_, err := s.client.Pipelined(ctx, func(p redis.Pipeliner) error {
		names = p.ZRangeByLex(ctx, s.key.names(), &redis.ZRangeBy{Min: from, Max: to, Count: int64(limit)})
		total, ready = p.ZLexCount(ctx, s.key.names(), from, to), p.Exists(ctx, s.key.ready())
		inNames, inIndex = p.ZCard(ctx, s.key.names()), p.ZCard(ctx, s.key.index())
		return nil
	})
	return foundNames{names.Val(), int(total.Val()), ready.Val() == 1, inNames.Val() == inIndex.Val()}, err
}
