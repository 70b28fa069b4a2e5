package valkeystore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/redis/go-redis/v9"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// Prune implements [ruleset.Pruner]. It scans for histories, and replaces each by one
// transaction.
func (s *Store) Prune(ctx context.Context, r ruleset.Retention, dry bool) (pruned ruleset.Pruned, err error) {
	names, err := s.recordedNames(ctx)
	if err != nil {
		return pruned, err
	}
	for _, name := range names {
		if err := s.pruneOne(ctx, name, r, dry, &pruned); err != nil {
			return pruned, err
		}
	}
	return pruned, nil
}

// recordedNames returns the names of all rulesets that have a history, deleted ones too.
func (s *Store) recordedNames(ctx context.Context) ([]ruleset.Name, error) {
	return s.namesOfKeys(ctx, historyPrefix)
}

// namesOfKeys scans for the keys of rulesets that begin so, and returns the names.
func (s *Store) namesOfKeys(ctx context.Context, kind string) ([]ruleset.Name, error) {
	before := s.key.prefix + kind + "{" + hashPrefix // no character of it is special in a pattern
	var mu sync.Mutex                                // the nodes of a cluster are visited at once
	var names []ruleset.Name
	visit := func(ctx context.Context, node redis.Cmdable) error {
		for cursor := uint64(0); ; {
			keys, next, err := node.Scan(ctx, cursor, before+"*", chunk).Result()
			if err != nil {
				return unavailable(err)
			}
			mu.Lock()
			for _, key := range keys {
				word := strings.TrimSuffix(strings.TrimPrefix(key, before), "}")
				if name, err := ruleset.ParseName(word); err == nil {
					names = append(names, name)
				}
			}
			mu.Unlock()
			if cursor = next; cursor == 0 {
				return nil
			}
		}
	}
	var err error
	if c, ok := s.client.(*redis.ClusterClient); ok {
		err = c.ForEachMaster(ctx, func(ctx context.Context, node *redis.Client) error { return visit(ctx, node) })
	} else {
		err = visit(ctx, s.client)
	}
	slices.Sort(names)
	return slices.Compact(names), err // a scan may see a key twice
}

// pruneOne replaces the history of a ruleset, again if others changed it meanwhile.
func (s *Store) pruneOne(ctx context.Context, name ruleset.Name, r ruleset.Retention, dry bool, pruned *ruleset.Pruned) error {
	for range batchTries {
		removed, size := 0, 0
		err := s.client.Watch(ctx, func(tx *redis.Tx) error {
			lines, err := tx.LRange(ctx, s.key.history(name), 0, -1).Result()
			if err != nil {
				return err
			}
			moveLines, err := tx.LRange(ctx, s.key.labels(name), 0, -1).Result()
			if err != nil {
				return err
			}
			var kept []any
			var left []record
			if kept, left, removed, size, err = s.keep(name, r, lines, moveLines); err != nil || removed == 0 {
				return err
			}
			unused, ofFiles, err := s.unusedFiles(ctx, tx, name, left)
			if size += int(ofFiles); err != nil || dry {
				return err
			}
			_, err = tx.TxPipelined(ctx, func(p redis.Pipeliner) error {
				p.Del(ctx, s.key.history(name))
				p.RPush(ctx, s.key.history(name), kept...)
				if len(unused) > 0 {
					p.HDel(ctx, s.key.files(name), unused...)
				}
				return nil
			})
			return err
		}, s.key.history(name), s.key.labels(name), s.key.files(name))
		if errors.Is(err, redis.TxFailedErr) {
			continue
		}
		if err != nil {
			return unavailable(err)
		}
		pruned.Add(removed, int64(size))
		return nil
	}
	return unavailable(fmt.Errorf("others change %s all the time", name))
}

// keep returns the lines of a history that are kept, their records, and the number and size
// of the others.
func (s *Store) keep(name ruleset.Name, r ruleset.Retention, lines, moveLines []string) (kept []any, left []record, removed, size int, err error) {
	moves, err := decodeMoves(name, moveLines)
	if err != nil {
		return nil, nil, 0, 0, err
	}
	records, err := decodeRecords(name, lines)
	if err != nil {
		return nil, nil, 0, 0, err
	}
	keep := r.Keep(s.decoder.newestFirst(name, records), moves, s.now())
	for i, line := range lines {
		if keep[len(lines)-1-i] {
			kept, left = append(kept, line), append(left, records[i])
		} else {
			removed++
			size += len(line)
		}
	}
	return kept, left, removed, size, nil
}
