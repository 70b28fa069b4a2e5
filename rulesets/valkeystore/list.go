package valkeystore

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

const (
	// chunk is how many index entries or keys one command looks at.
	chunk = 1000
	// smallDatabase is how many keys a database may have to be scanned before
	// a list.
	smallDatabase = 200_000
	// scanAgain is how old a scan may be before a list does another.
	scanAgain = 30 * time.Second
	// listTimeout bounds a whole list, scan included.
	listTimeout = 60 * time.Second
)

// List implements [ruleset.Store].
func (s *Store) List(ctx context.Context, page ruleset.Page) ([]ruleset.Meta, string, error) {
	ctx, stop := context.WithTimeout(ctx, listTimeout)
	defer stop()
	if page.After == "" {
		if err := s.refresh(ctx); err != nil {
			return nil, "", err
		}
	}
	from, err := s.rank(ctx, page.After)
	if err != nil {
		return nil, "", err
	}
	if page.Limit == 0 {
		metas, err := s.all(ctx, from, func(string) bool { return true })
		return metas, "", err
	}
	return s.page(ctx, from, page.Limit)
}

// page reads one page from a rank on.
func (s *Store) page(ctx context.Context, from int64, limit int) ([]ruleset.Meta, string, error) {
	entries, err := s.client.ZRangeWithScores(ctx, indexKey, from, from+int64(limit)).Result()
	if err != nil {
		return nil, "", unavailable(err)
	}
	next := ""
	if len(entries) > limit {
		entries = entries[:limit]
		last := entries[limit-1]
		next = strconv.FormatInt(int64(last.Score), 10) + ":" + member(last)
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = member(e)
	}
	metas, err := s.metas(ctx, names)
	return metas, next, err
}

func member(z redis.Z) string {
	name, _ := z.Member.(string)
	return name
}

// rank is the place in the index that follows a position. When the ruleset of
// the position has gone, its neighbours with the same time are looked at.
func (s *Store) rank(ctx context.Context, after string) (int64, error) {
	if after == "" {
		return 0, nil
	}
	last, err := ruleset.ParsePosition(after)
	if err != nil {
		return 0, err
	}
	score, err := s.client.ZScore(ctx, indexKey, string(last.Name)).Result()
	if err == nil && int64(score) == last.CreatedAt.Unix() {
		rank, err := s.client.ZRank(ctx, indexKey, string(last.Name)).Result()
		if err == nil {
			return rank + 1, nil
		}
	}
	if err != nil && !errors.Is(err, redis.Nil) {
		return 0, unavailable(err)
	}
	return s.rankOfGap(ctx, last)
}

// rankOfGap is where a ruleset that has gone would be.
func (s *Store) rankOfGap(ctx context.Context, last ruleset.Meta) (int64, error) {
	score := strconv.FormatInt(last.CreatedAt.Unix(), 10)
	before, err := s.client.ZCount(ctx, indexKey, "-inf", "("+score).Result()
	if err != nil {
		return 0, unavailable(err)
	}
	err = s.ranges(ctx, before, func(names []string) error {
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
func (s *Store) ranges(ctx context.Context, from int64, see func(names []string) error) error {
	for {
		names, err := s.client.ZRange(ctx, indexKey, from, from+chunk-1).Result()
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

// all reads every ruleset from a rank on whose name is wanted.
func (s *Store) all(ctx context.Context, from int64, want func(name string) bool) ([]ruleset.Meta, error) {
	var names []string
	err := s.ranges(ctx, from, func(some []string) error {
		for _, name := range some {
			if want(name) {
				names = append(names, name)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	metas := make([]ruleset.Meta, 0, len(names))
	for some := range slices.Chunk(names, chunk) {
		more, err := s.metas(ctx, some)
		if err != nil {
			return nil, err
		}
		metas = append(metas, more...)
	}
	slices.SortFunc(metas, ruleset.Compare)
	return metas, nil
}

// Search implements [ruleset.Store].
func (s *Store) Search(ctx context.Context, pattern string) ([]ruleset.Meta, error) {
	ctx, stop := context.WithTimeout(ctx, listTimeout)
	defer stop()
	if err := s.refresh(ctx); err != nil {
		return nil, err
	}
	return s.all(ctx, 0, func(name string) bool { return ruleset.Match(pattern, name) })
}

// refresh scans for hashes of other programs when that is due: always before a
// process's first list of an index that is not there, else only in a database
// that is small.
func (s *Store) refresh(ctx context.Context) error {
	s.mu.Lock()
	due := time.Since(s.scanned) > scanAgain
	s.mu.Unlock()
	if !due {
		return nil
	}
	size, err := s.client.DBSize(ctx).Result()
	if err != nil {
		return unavailable(err)
	}
	indexed, err := s.client.Exists(ctx, indexKey).Result()
	if err != nil {
		return unavailable(err)
	}
	if size > smallDatabase && indexed == 1 {
		return nil
	}
	_, err = s.scan(ctx)
	return err
}

// scan finds hashes that the index has not, and tells whether there were any.
func (s *Store) scan(ctx context.Context) (found bool, err error) {
	visit := func(ctx context.Context, node redis.Cmdable) error {
		var cursor uint64
		for {
			keys, next, err := node.ScanType(ctx, cursor, hashPrefix+"*", chunk, "hash").Result()
			if err != nil {
				return unavailable(err)
			}
			more, err := s.adopt(ctx, keys)
			if found = found || more; err != nil {
				return err
			}
			if cursor = next; cursor == 0 {
				return nil
			}
		}
	}
	if c, ok := s.client.(*redis.ClusterClient); ok {
		err = c.ForEachMaster(ctx, func(ctx context.Context, node *redis.Client) error { return visit(ctx, node) })
	} else {
		err = visit(ctx, s.client)
	}
	if err == nil {
		s.mu.Lock()
		s.scanned = time.Now()
		s.mu.Unlock()
	}
	return found, err
}

// adopt gives hashes a place in the index that have none.
func (s *Store) adopt(ctx context.Context, keys []string) (found bool, err error) {
	var names []string
	for _, key := range keys {
		if name, err := ruleset.ParseName(strings.TrimPrefix(key, hashPrefix)); err == nil {
			names = append(names, string(name))
		}
	}
	if len(names) == 0 {
		return false, nil
	}
	scores, err := s.client.ZMScore(ctx, indexKey, names...).Result()
	if err != nil {
		return false, unavailable(err)
	}
	var missing []string
	for i, name := range names {
		if scores[i] == 0 { // not there, or never dated
			missing = append(missing, name)
		}
	}
	metas, err := s.metas(ctx, missing)
	if err != nil || len(metas) == 0 {
		return false, err
	}
	entries := make([]redis.Z, len(metas))
	for i, m := range metas {
		entries[i] = redis.Z{Score: float64(m.CreatedAt.Unix()), Member: string(m.Name)}
	}
	added, err := s.client.ZAdd(ctx, indexKey, entries...).Result()
	if err != nil {
		return false, unavailable(err)
	}
	return added > 0, nil
}
