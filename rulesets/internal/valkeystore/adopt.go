package valkeystore

import (
	"context"
	"errors"
	"slices"

	"github.com/redis/go-redis/v9"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// Recorded implements [ruleset.Archive].
func (s *Store) Recorded(ctx context.Context) ([]ruleset.Name, error) {
	names, err := s.recordedNames(ctx)
	if err != nil {
		return nil, err
	}
	metas, _, err := s.List(ctx, ruleset.Page{})
	for _, m := range metas {
		names = append(names, m.Name)
	}
	slices.Sort(names)
	return slices.Compact(names), err
}

// AdoptFile implements [ruleset.Archive].
func (s *Store) AdoptFile(ctx context.Context, name ruleset.Name, data []byte) error {
	ctx, stop := context.WithTimeout(ctx, opTimeout)
	defer stop()
	if err := s.client.HSet(ctx, s.key.files(name), ruleset.FileOf("", data).SHA256.String(), data).Err(); err != nil {
		return unavailable(err)
	}
	return nil
}

// Adopt implements [ruleset.Archive], by one transaction.
func (s *Store) Adopt(ctx context.Context, c ruleset.Copy) error {
	ctx, stop := context.WithTimeout(ctx, batchTimeout)
	defer stop()
	names := []ruleset.Name{c.Name}
	var refused error
	err := s.client.Watch(ctx, func(tx *redis.Tx) error {
		b := &batch{store: s, now: s.now(), held: map[ruleset.Name]*held{}}
		if refused = b.read(ctx, tx, names, nil); refused != nil {
			return nil
		}
		if h := b.held[c.Name]; h.foreign || len(h.fields) > 0 || len(h.records) > 0 {
			refused = &ruleset.ExistsError{Name: c.Name}
			return nil
		}
		if refused = s.checkAdopted(ctx, tx, c); refused != nil {
			return nil
		}
		_, err := tx.TxPipelined(ctx, func(p redis.Pipeliner) error {
			b.queue(ctx, p, c.Effect())
			return nil
		})
		if err == nil {
			s.afterBatch(ctx, []*ruleset.Effect{c.Effect()})
		}
		return err
	}, hashKey(c.Name), s.key.history(c.Name), s.key.labels(c.Name))
	switch {
	case refused != nil:
		return refused
	case errors.Is(err, redis.TxFailedErr):
		return &ruleset.ExistsError{Name: c.Name} // it was made meanwhile
	case err != nil:
		return unavailable(err)
	}
	return nil
}

// checkAdopted returns a [*ruleset.NoFileError] if a file of a copy was not adopted.
func (s *Store) checkAdopted(ctx context.Context, tx *redis.Tx, c ruleset.Copy) error {
	for _, f := range c.Files() {
		there, err := tx.HExists(ctx, s.key.files(c.Name), f.SHA256.String()).Result()
		if err != nil {
			return unavailable(err)
		}
		if !there {
			return &ruleset.NoFileError{Name: c.Name, Path: f.Path}
		}
	}
	return nil
}
