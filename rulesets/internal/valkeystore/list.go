package valkeystore

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

const (
	// chunk is the number of index entries or keys that one command reads.
	chunk = 1000
	// smallDatabase is the largest number of keys in a database that is scanned
	// before a list.
	smallDatabase = 200_000
	// scanAgain is the age at which a list repeats the scan.
	scanAgain = 30 * time.Second
	// listTimeout bounds a whole list, scan included.
	listTimeout = 60 * time.Second
	// pageTries limits how often a page with stale entries is read again.
	pageTries = 4
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
	if page.Limit > 0 && page.Match == nil {
		return s.wholePage(ctx, page)
	}
	from, err := s.index.rank(ctx, page.After)
	if err != nil {
		return nil, "", err
	}
	metas, err := s.all(ctx, from, page.Wants)
	if err != nil {
		return nil, "", err
	}
	return ruleset.CutSorted(metas, ruleset.Page{Limit: page.Limit})
}

// wholePage reads a page, and again when it met entries of the index that other
// programs had made wrong, which are mended by then.
func (s *Store) wholePage(ctx context.Context, page ruleset.Page) (metas []ruleset.Meta, next string, err error) {
	for range pageTries {
		from, err := s.index.rank(ctx, page.After)
		if err != nil {
			return nil, "", err
		}
		var good bool
		if metas, next, good, err = s.page(ctx, from, page.Limit); err != nil || good {
			return metas, next, err
		}
	}
	return metas, next, nil
}

// page reads one page from a rank on. It is good when every entry of the index
// has its hash and the time of it; the others are mended.
func (s *Store) page(ctx context.Context, from int64, limit int) (metas []ruleset.Meta, next string, good bool, err error) {
	entries, err := s.client.ZRangeWithScores(ctx, s.key.index(), from, from+int64(limit)).Result()
	if err != nil {
		return nil, "", false, unavailable(err)
	}
	if len(entries) > limit {
		entries = entries[:limit]
		last := entries[limit-1]
		next = strconv.FormatInt(int64(last.Score), 10) + ":" + member(last)
	}
	names, scores := make([]string, len(entries)), map[ruleset.Name]int64{}
	for i, e := range entries {
		names[i] = member(e)
		scores[ruleset.Name(names[i])] = int64(e.Score)
	}
	if metas, err = s.metas(ctx, names); err != nil {
		return nil, "", false, err
	}
	moved, err := s.index.move(ctx, metas, scores)
	return metas, next, !moved && len(metas) == len(entries), err
}

// all reads every ruleset from a rank on whose name is wanted.
func (s *Store) all(ctx context.Context, from int64, want func(name string) bool) ([]ruleset.Meta, error) {
	var names []string
	err := s.index.ranges(ctx, from, func(some []string) error {
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

// refresh scans for hashes of other programs when that is due: when no process
// has finished a scan of this database yet, and else, if the database is small,
// when this process's last one is a while ago.
func (s *Store) refresh(ctx context.Context) error {
	if !s.due() {
		return nil
	}
	select {
	case s.scanning <- struct{}{}:
		defer func() { <-s.scanning }()
	case <-ctx.Done():
		return unavailable(ctx.Err())
	}
	if !s.due() { // another list has scanned
		return nil
	}
	skip, err := s.large(ctx)
	if skip {
		s.markScanned()
	}
	if skip || err != nil {
		return err
	}
	_, err = s.scan(ctx, 0)
	return err
}

func (s *Store) due() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Since(s.scanned) > scanAgain
}

func (s *Store) markScanned() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.scanned = time.Now()
}

// large reports a database that is too large for a scan before a list and has
// an index that was once complete.
func (s *Store) large(ctx context.Context) (bool, error) {
	size, err := s.client.DBSize(ctx).Result()
	if err != nil {
		return false, unavailable(err)
	}
	ready, err := s.client.Exists(ctx, s.key.ready()).Result()
	if err != nil {
		return false, unavailable(err)
	}
	return size > smallDatabase && ready == 1, nil
}

// scan finds hashes that the index has not, resting after each command, and
// tells whether there were any.
func (s *Store) scan(ctx context.Context, rest time.Duration) (bool, error) {
	var found atomic.Bool // the nodes of a cluster are visited at once
	visit := func(ctx context.Context, node redis.Cmdable) error {
		return s.scanNode(ctx, node, rest, &found)
	}
	var err error
	if c, ok := s.client.(*redis.ClusterClient); ok {
		err = c.ForEachMaster(ctx, func(ctx context.Context, node *redis.Client) error { return visit(ctx, node) })
	} else {
		err = visit(ctx, s.client)
	}
	if err != nil {
		return found.Load(), err
	}
	s.markScanned()
	if err := s.client.Set(ctx, s.key.ready(), stampText(s.now()), 0).Err(); err != nil {
		return found.Load(), unavailable(err)
	}
	return found.Load(), nil
}

// scanNode is the part of a scan that one server does.
func (s *Store) scanNode(ctx context.Context, node redis.Cmdable, rest time.Duration, found *atomic.Bool) error {
	var cursor uint64
	for {
		keys, next, err := node.ScanType(ctx, cursor, hashPrefix+"*", chunk, "hash").Result()
		if err != nil {
			return unavailable(err)
		}
		more, err := s.adopt(ctx, keys)
		if err != nil {
			return err
		}
		if more {
			found.Store(true)
		}
		if cursor = next; cursor == 0 {
			return nil
		}
		if rest > 0 {
			pause(ctx, rest)
		}
	}
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
	scores, err := s.client.ZMScore(ctx, s.key.index(), names...).Result()
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
	added, err := s.index.enter(ctx, metas...)
	if err != nil {
		return false, unavailable(err)
	}
	return added > 0, nil
}
