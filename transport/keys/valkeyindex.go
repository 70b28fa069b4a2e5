package keys

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// Scripts have the keys ring, tokens, ages, revoked, changes. An earlier version, or a
// backup, changes the ring and its version alone: then the others do not fit the ring until
// one process has made them anew ([ValkeyStore.reindex]).
var (
	// sinceScript returns the version of the ring. If it is not the one given, the IDs of
	// the keys that were changed since follow, or a false if that is not known.
	sinceScript = redis.NewScript(`
local v = redis.call('HGET', KEYS[1], 'version') or ''
if v == ARGV[1] then return {v} end
local changes, result = redis.call('LRANGE', KEYS[5], 0, -1), {v}
local newest = string.match(changes[1] or '', '^(%S*) ')
if newest ~= v then return {v, ''} end
for _, change in ipairs(changes) do
  local version, id = string.match(change, '^(%S*) (.*)$')
  if version == ARGV[1] then return result end
  local mark = '='
  if redis.call('ZSCORE', KEYS[4], id) then mark = '!' end
  result[#result + 1] = mark .. id
end
return {v, ''}`)

	// findScript returns the version and the ID and text of the record of a token. Without
	// one it returns the version alone, and where the tokens do not fit the ring nothing.
	findScript = redis.NewScript(`
local v = redis.call('HGET', KEYS[1], 'version') or ''
if v ~= (redis.call('HGET', KEYS[2], 'version') or '') then return {} end
local id = redis.call('HGET', KEYS[2], ARGV[1])
if not id then return {v} end
return {v, id, redis.call('HGET', KEYS[1], id) or ''}`)

	// pageScript returns the IDs and texts of records by age, after an ID, at most so many.
	// Where the ages do not fit the ring it returns false.
	pageScript = redis.NewScript(`
local v = redis.call('HGET', KEYS[1], 'version') or ''
if v ~= (redis.call('HGET', KEYS[2], 'version') or '') then return false end
local first = 0
if ARGV[1] ~= '' then first = (redis.call('ZRANK', KEYS[3], ARGV[1]) or -1) + 1 end
local result = {}
for _, id in ipairs(redis.call('ZRANGE', KEYS[3], first, first + ARGV[2] - 1)) do
  result[#result + 1] = id
  result[#result + 1] = redis.call('HGET', KEYS[1], id) or ''
end
return result`)

	// fitScript says that tokens and ages fit a version, if that is still the one of the ring.
	fitScript = redis.NewScript(`
if (redis.call('HGET', KEYS[1], 'version') or '') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[2], 'version', ARGV[1])
return 1`)
)

// maxChanges is the number of changes that are remembered for processes that were away. One
// that has missed more forgets all records that it has in memory.
const maxChanges = 1000

// catchVersion finds out which keys were changed since the version of the records in memory,
// and forgets them. It is the load of the store's refresher. The server answers one of three:
//
//	VERSION                 nothing has changed, if it is ours
//	VERSION MARK+ID …       these have changed; the mark ! says that one is revoked
//	VERSION ""              the changes since ours are not remembered: all may have changed
//
// A store without a version that had one before has lost its keys, which no change does.
func (s *ValkeyStore) catchVersion(ctx context.Context) error {
	ctx, stop := context.WithTimeout(ctx, valkeyWait)
	defer stop()
	last := s.cached.known()
	answer, err := sinceScript.Run(ctx, s.client, s.names.scripted(), string(last)).StringSlice()
	switch {
	case err != nil:
		return away(err)
	case len(answer) == 0:
		return away(fmt.Errorf("the server answers nothing"))
	}
	now := version(answer[0])
	if s.cached.lost(now) {
		return away(ErrLost)
	}
	if now == last && len(answer) == 1 {
		return nil
	}
	changed, all := answer[1:], len(answer) == 2 && answer[1] == ""
	if all {
		changed = nil
		if err := s.recallRevoked(ctx); err != nil {
			return err
		}
	}
	for i, marked := range changed {
		changed[i] = marked[1:]
		if marked[0] == '!' {
			s.tombstones.remember(marked[1:], s.now())
		}
	}
	s.cached.advance(now, changed, all)
	return nil
}

// recallRevoked remembers the keys that were revoked last, so that this process would miss the
// revocation if the store lost it. Of those that it knows it finds out whether they are still
// revoked there. It is called when changes may have been missed, at the start for one.
func (s *ValkeyStore) recallRevoked(ctx context.Context) error {
	before := s.tombstones.ids()
	last, err := s.client.ZRevRangeWithScores(ctx, s.names.revoked, 0, maxTombstones/2).Result()
	if err != nil {
		return away(err)
	}
	for _, z := range last {
		if id, ok := z.Member.(string); ok {
			s.tombstones.remember(id, time.UnixMilli(int64(z.Score)))
		}
	}
	_, err = s.GetAll(ctx, before) // accept compares
	return err
}

// fetch looks a token up in the store and remembers the record.
func (s *ValkeyStore) fetch(ctx context.Context, h Hash) (Record, error) {
	text, _ := h.MarshalText() // never fails
	answer, err := s.indexed(ctx, func(ctx context.Context) ([]string, bool, error) {
		answer, err := findScript.Run(ctx, s.client, s.names.scripted(), text).StringSlice()
		return answer, len(answer) > 0, err
	})
	if err != nil {
		return Record{}, err
	}
	if s.cached.lost(version(answer[0])) {
		return Record{}, away(ErrLost)
	}
	if len(answer) < 3 {
		return Record{}, ErrUnknown
	}
	one, ok := s.accept(answer[1], answer[2])
	if !ok {
		return Record{}, ErrUnknown
	}
	s.cached.add(version(answer[0]), one)
	if opened, ok := one.openedBy(h); ok {
		return opened, nil
	}
	return Record{}, ErrUnknown
}

// page returns valid records by age, at most n behind the one with an ID, and the ID of the
// last one of a full page, "" at the end of the list. A page may have fewer valid records than
// n and not be the last.
func (s *ValkeyStore) page(ctx context.Context, after string, n int) (records []Record, last string, err error) {
	answer, err := s.indexed(ctx, func(ctx context.Context) ([]string, bool, error) {
		answer, err := pageScript.Run(ctx, s.client, s.names.scripted(), after, n).StringSlice()
		if isNil(err) {
			return nil, false, nil
		}
		return answer, err == nil, err
	})
	if err != nil {
		return nil, "", err
	}
	for i := 0; i+1 < len(answer); i += 2 {
		if one, ok := s.accept(answer[i], answer[i+1]); ok {
			records = append(records, one)
		}
	}
	if len(answer) == 2*n {
		last = answer[len(answer)-2]
	}
	return records, last, nil
}

// indexTries limits how often tokens are made to fit a ring that others change meanwhile.
const indexTries = 20

// indexed runs a function that needs tokens and ages which fit the ring, and makes them
// fit if they do not.
func (s *ValkeyStore) indexed(ctx context.Context, run func(context.Context) (answer []string, fits bool, err error)) ([]string, error) {
	for range indexTries {
		limited, stop := context.WithTimeout(ctx, valkeyWait)
		answer, fits, err := run(limited)
		stop()
		if err != nil {
			return nil, away(err)
		}
		if fits {
			return answer, nil
		}
		if err := s.fit(ctx); err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("%w: others change keys all the time", ErrUnavailable)
}

// indexWait bounds the time in which tokens are made to fit a ring.
const indexWait = time.Minute

// fit makes tokens and ages fit the ring. Concurrent callers share the work, which
// goes on when one of them is canceled.
func (s *ValkeyStore) fit(ctx context.Context) error {
	done := s.fitting.DoChan("", func() (any, error) { return nil, s.reindex(context.WithoutCancel(ctx)) })
	select {
	case result := <-done:
		return result.Err
	case <-ctx.Done():
		return away(ctx.Err())
	}
}

// reindex enters all records of the ring, such as those of an earlier version, into the other
// keys, and says for which version. Of two records with one token the older one has it. Where
// a record is changed meanwhile, the last script does nothing, and the caller tries again.
func (s *ValkeyStore) reindex(ctx context.Context) error {
	ctx, stop := context.WithTimeout(ctx, indexWait)
	defer stop()
	v, err := s.client.HGet(ctx, s.names.ring, valkeyVersion).Result()
	if err != nil && !isNil(err) {
		return away(err)
	}
	if isNil(err) {
		switch n, err := s.client.HLen(ctx, s.names.tokens).Result(); {
		case err != nil:
			return away(err)
		case n > 0:
			return away(ErrLost)
		}
	}
	owners := map[Hash]Record{} // without settings
	for cursor := uint64(0); ; {
		var pairs []string
		if pairs, cursor, err = s.client.HScan(ctx, s.names.ring, cursor, "", getAtOnce).Result(); err != nil {
			return away(err)
		}
		if err := s.enter(ctx, pairs, owners); err != nil {
			return err
		}
		if cursor == 0 {
			break
		}
	}
	if err := fitScript.Run(ctx, s.client, s.names.scripted(), v).Err(); err != nil {
		return away(err)
	}
	return nil
}

// enter enters some fields of the ring into the other keys. owners has the record that each
// token opens so far.
func (s *ValkeyStore) enter(ctx context.Context, pairs []string, owners map[Hash]Record) error {
	_, err := s.client.Pipelined(ctx, func(p redis.Pipeliner) error {
		for i := 0; i+1 < len(pairs); i += 2 {
			if pairs[i] == valkeyVersion || !strings.HasPrefix(pairs[i], IDPrefix) {
				continue
			}
			one, ok := s.accept(pairs[i], pairs[i+1])
			if !ok {
				continue
			}
			for _, h := range one.hashes() {
				if owner, taken := owners[h]; taken && owner.ID != one.ID {
					s.log.Error("a key is not valid and opens nothing", "id", one.ID, "err", "another key has its token")
					if byAge(owner, one) < 0 {
						continue
					}
				}
				owners[h] = Record{ID: one.ID, Created: one.Created}
				text, _ := h.MarshalText() // never fails
				p.HSet(ctx, s.names.tokens, text, one.ID)
			}
			p.ZAdd(ctx, s.names.ages, redis.Z{Score: float64(one.Created.UnixMilli()), Member: one.ID})
			if !one.Revoked.IsZero() {
				p.ZAdd(ctx, s.names.revoked, redis.Z{Score: float64(one.Revoked.UnixMilli()), Member: one.ID})
			}
		}
		return nil
	})
	if err != nil {
		return away(err)
	}
	return nil
}
