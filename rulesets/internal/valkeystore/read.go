package valkeystore

import (
	"context"
	"slices"

	"github.com/redis/go-redis/v9"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// readChunk is the number of whole rulesets that one round trip reads.
const readChunk = 200

// Read implements [ruleset.Store].
func (s *Store) Read(ctx context.Context, names []ruleset.Name, see func(ruleset.Ruleset) error) error {
	ctx, stop := context.WithTimeout(ctx, listTimeout)
	defer stop()
	if names == nil {
		if err := s.refresh(ctx); err != nil {
			return err
		}
		return s.index.ranges(ctx, 0, func(some []string) error {
			all := make([]ruleset.Name, len(some))
			for i, name := range some {
				all[i] = ruleset.Name(name)
			}
			return s.readAll(ctx, all, see)
		})
	}
	return s.readAll(ctx, names, see)
}

func (s *Store) readAll(ctx context.Context, names []ruleset.Name, see func(ruleset.Ruleset) error) error {
	for some := range slices.Chunk(names, readChunk) {
		found, err := s.readSome(ctx, some)
		if err != nil {
			return err
		}
		for _, r := range found {
			if err := see(r); err != nil {
				return err
			}
		}
	}
	return nil
}

// readSome reads rulesets in one round trip. Names without a hash are left out.
func (s *Store) readSome(ctx context.Context, names []ruleset.Name) ([]ruleset.Ruleset, error) {
	cmds := make([]*redis.MapStringStringCmd, len(names))
	_, _ = s.client.Pipelined(ctx, func(p redis.Pipeliner) error { // each has its own error
		for i, name := range names {
			cmds[i] = p.HGetAll(ctx, hashKey(name))
		}
		return nil
	})
	found := make([]ruleset.Ruleset, 0, len(names))
	for i, cmd := range cmds {
		fields, err := cmd.Result()
		if err != nil && !isWrongType(err) {
			return nil, unavailable(err)
		}
		if len(fields) > 0 {
			found = append(found, s.decoder.hash(names[i], fields))
		}
	}
	return found, nil
}
