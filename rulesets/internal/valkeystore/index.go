package valkeystore

import (
	"context"
	"errors"
	"log/slog"
	"strconv"

	"github.com/redis/go-redis/v9"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// An index is the sorted sets of the names, by creation time and by themselves.
type index struct {
	client redis.UniversalClient
	key    keys
	log    *slog.Logger
}

// note notes a ruleset; a failure is mended by the next scan.
func (x *index) note(ctx context.Context, m ruleset.Meta) {
	if _, err := x.enter(ctx, m); err != nil {
		x.log.Warn("index is behind until the next scan", "component", "valkey", "err", err)
	}
}

// enter adds rulesets to the index and their names to the names, and returns the number
// of those that the index did not have.
func (x *index) enter(ctx context.Context, metas ...ruleset.Meta) (added int64, err error) {
	var cmd *redis.IntCmd
	_, err = x.client.TxPipelined(ctx, func(p redis.Pipeliner) error {
		cmd = x.queueEnter(ctx, p, metas...)
		return nil
	})
	return cmd.Val(), err
}

// queueEnter queues the commands of [Store.enter] and returns the one for the index.
func (x *index) queueEnter(ctx context.Context, p redis.Pipeliner, metas ...ruleset.Meta) *redis.IntCmd {
	entries, names := make([]redis.Z, len(metas)), make([]redis.Z, len(metas))
	for i, m := range metas {
		entries[i] = redis.Z{Score: float64(m.CreatedAt.Unix()), Member: string(m.Name)}
		names[i] = redis.Z{Member: string(m.Name)}
	}
	p.ZAdd(ctx, x.key.names(), names...)
	return p.ZAdd(ctx, x.key.index(), entries...)
}

// queueLeave queues the commands that take names out of the index and the names.
func (x *index) queueLeave(ctx context.Context, p redis.Pipeliner, names ...any) {
	p.ZRem(ctx, x.key.index(), names...)
	p.ZRem(ctx, x.key.names(), names...)
}

// remove takes a name out of the index; a failure is mended by the next list.
func (x *index) remove(ctx context.Context, name ruleset.Name) {
	_, err := x.client.TxPipelined(ctx, func(p redis.Pipeliner) error {
		x.queueLeave(ctx, p, string(name))
		return nil
	})
	if err != nil {
		x.log.Warn("index is behind until the next list", "component", "valkey", "err", err)
	}
}

// drop takes names without a hash out of the index. On a cluster no script can
// see both, and a creation at that very moment waits for the next scan.
func (x *index) drop(ctx context.Context, names []string) error {
	if len(names) == 0 {
		return nil
	}
	keys, args := []string{x.key.index(), x.key.names()}, make([]any, len(names))
	for i, name := range names {
		keys, args[i] = append(keys, hashPrefix+name), name
	}
	var err error
	if x.key.cluster {
		_, err = x.client.TxPipelined(ctx, func(p redis.Pipeliner) error {
			x.queueLeave(ctx, p, args...)
			return nil
		})
	} else {
		err = dropScript.Run(ctx, x.client, keys, args...).Err()
	}
	if err != nil {
		return unavailable(err)
	}
	return nil
}

// rank is the place in the index that follows a position. When the ruleset of
// the position has gone, its neighbours with the same time are looked at.
func (x *index) rank(ctx context.Context, after string) (int64, error) {
	if after == "" {
		return 0, nil
	}
	last, err := ruleset.ParsePosition(after)
	if err != nil {
		return 0, err
	}
	score, err := x.client.ZScore(ctx, x.key.index(), string(last.Name)).Result()
	if err == nil && int64(score) == last.CreatedAt.Unix() {
		rank, err := x.client.ZRank(ctx, x.key.index(), string(last.Name)).Result()
		if err == nil {
			return rank + 1, nil
		}
	}
	if err != nil && !errors.Is(err, redis.Nil) {
		return 0, unavailable(err)
	}
	return x.rankOfGap(ctx, last)
}

// rankOfGap returns the rank that a deleted ruleset would have.
func (x *index) rankOfGap(ctx context.Context, last ruleset.Meta) (int64, error) {
	score := strconv.FormatInt(last.CreatedAt.Unix(), 10)
	before, err := x.client.ZCount(ctx, x.key.index(), "-inf", "("+score).Result()
	if err != nil {
		return 0, unavailable(err)
	}
	err = x.ranges(ctx, before, func(names []string) error {
		for _, name := range names {
			if name > string(last.Name) {
				return errStop
			}
			before++
		}
		return nil
	})
	return before, err
}

// ranges goes over the index from a rank on, in chunks, until see returns
// errStop.
func (x *index) ranges(ctx context.Context, from int64, see func(names []string) error) error {
	for {
		names, err := x.client.ZRange(ctx, x.key.index(), from, from+chunk-1).Result()
		if err != nil {
			return unavailable(err)
		}
		if err := see(names); err != nil {
			if errors.Is(err, errStop) {
				return nil
			}
			return err
		}
		if len(names) < chunk {
			return nil
		}
		from += chunk
	}
}

// move gives entries the time of their hash where they have another: some other
// program deleted the ruleset and made it anew.
func (x *index) move(ctx context.Context, metas []ruleset.Meta, scores map[ruleset.Name]int64) (moved bool, err error) {
	var entries []redis.Z
	for _, m := range metas {
		if at := m.CreatedAt.Unix(); at != scores[m.Name] {
			entries = append(entries, redis.Z{Score: float64(at), Member: string(m.Name)})
		}
	}
	if len(entries) == 0 {
		return false, nil
	}
	if err := x.client.ZAddXX(ctx, x.key.index(), entries...).Err(); err != nil {
		return false, unavailable(err)
	}
	return true, nil
}

func member(z redis.Z) string {
	name, _ := z.Member.(string)
	return name
}
