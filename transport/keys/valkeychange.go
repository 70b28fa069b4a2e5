package keys

import (
	"context"
	"crypto/rand"
	"fmt"
	"strconv"

	"github.com/redis/go-redis/v9"
)

// valkeyTries limits how often a change is tried whose record others change
// meanwhile.
const valkeyTries = 1000

// swapText replaces the text of one record if it has not changed meanwhile ("" is none),
// with its tokens, its age and its revocation, and publishes the change to all servers. With
// "first" there must be no other record. Arguments: ID, old, new, new version, channel, the number of changes
// to remember, "first" or "", milliseconds of creation, those of revocation or "", the
// number of hashes to remove, these, those to enter.
//
// It returns 1 when the record was replaced, 0 when it was another one, -1 when the tokens
// do not fit the ring, and -2 when there are records.
const swapText = `
local v = redis.call('HGET', KEYS[1], 'version') or ''
if v ~= (redis.call('HGET', KEYS[2], 'version') or '') then return -1 end
if ARGV[7] == 'first' and redis.call('EXISTS', KEYS[1]) == 1 then return -2 end
local id = ARGV[1]
if (redis.call('HGET', KEYS[1], id) or '') ~= ARGV[2] then return 0 end
local gone = tonumber(ARGV[10])
for i = 11, 10 + gone do
  if redis.call('HGET', KEYS[2], ARGV[i]) == id then redis.call('HDEL', KEYS[2], ARGV[i]) end
end
for i = 11 + gone, #ARGV do redis.call('HSET', KEYS[2], ARGV[i], id) end
redis.call('ZADD', KEYS[3], ARGV[8], id)
if ARGV[9] ~= '' then redis.call('ZADD', KEYS[4], ARGV[9], id) end
redis.call('LPUSH', KEYS[5], ARGV[4] .. ' ' .. id)
redis.call('LTRIM', KEYS[5], 0, ARGV[6] - 1)
redis.call('HSET', KEYS[1], id, ARGV[3], 'version', ARGV[4])
redis.call('HSET', KEYS[2], 'version', ARGV[4])
redis.call('PUBLISH', ARGV[5], ARGV[4])
return 1`

var (
	swapScript = redis.NewScript(swapText)
	// swapBeyond does the same though the server has no memory left: a revocation must
	// not wait for that.
	swapBeyond = redis.NewScript("#!lua flags=allow-oom\n" + swapText)
)

// The results of swapText.
const (
	swapped  = 1
	stale    = 0
	unfit    = -1
	notFirst = -2
)

// newVersion returns a version that no ring has had.
func newVersion() string { return rand.Text() }

// A swap is a change of one record: its text as it was read, and as it is to be. It is made
// only if the record still has the old text.
type swap struct {
	old   string  // its text, "" for none
	was   *Record // nil for none
	fresh Record
	text  string // of the fresh record
	first bool   // there must be no other record
}

// args returns the arguments of the script, with a new version.
func (c *swap) args(n ringNames) []any {
	first, revoked := "", ""
	if c.first {
		first = "first"
	}
	if !c.fresh.Revoked.IsZero() {
		revoked = strconv.FormatInt(c.fresh.Revoked.UnixMilli(), 10)
	}
	args := []any{c.fresh.ID, c.old, c.text, newVersion(), n.events, maxChanges, first, c.fresh.Created.UnixMilli(), revoked}
	var gone []Hash
	if c.was != nil {
		gone = c.was.hashes()
	}
	args = append(args, len(gone))
	for _, h := range append(gone, c.fresh.hashes()...) {
		text, _ := h.MarshalText() // never fails
		args = append(args, text)
	}
	return args
}

// run runs a swap and returns what the script does: swapped, stale or notFirst. It returns
// when the server has synced a change and its replicas have got it, or do not confirm it in
// time: a failover could undo it until then. Indexes that do not fit the ring are made to fit
// first. A record that is there may be changed though the server has no memory left, for a
// revocation must not wait; a new one may not.
func (s *ValkeyStore) run(ctx context.Context, c swap) (int64, error) {
	for range indexTries {
		args := c.args(s.names)
		result, copies, err := s.runConfirmed(ctx, swapScript, s.names.scripted(), args...)
		if isOutOfMemory(err) && c.old != "" {
			result, copies, err = s.runConfirmed(ctx, swapBeyond, s.names.scripted(), args...)
		}
		switch {
		case err != nil:
			return 0, away(err)
		case result == unfit:
			if err := s.fit(ctx); err != nil {
				return 0, err
			}
			continue
		case result == swapped:
			confirm(ctx, copies)
			if !copies.Safe() {
				s.log.Warn("a key was changed, and not all copies are confirmed: until they are, a failover can undo it; do it again to be sure",
					"id", c.fresh.ID, "replicas", copies.Replicas, "confirmed", copies.Confirmed, "synced", copies.Synced)
			}
		}
		return result, nil
	}
	return 0, fmt.Errorf("%w: others change keys all the time", ErrUnavailable)
}

// text returns a record's text as the server has it, "" when there is none.
func (s *ValkeyStore) text(ctx context.Context, id string) (string, error) {
	text, err := s.client.HGet(ctx, s.names.ring, id).Result()
	if err != nil && !isNil(err) {
		return "", away(err)
	}
	return text, nil
}

// insert implements [backend].
func (s *ValkeyStore) insert(ctx context.Context, r Record) (bool, error) {
	return s.insertRecord(ctx, r, false)
}

// insertRecord adds a record, with first only if there is no other: then the error wraps
// errNotFirst. It reports whether it was added, also where the answer of the server was lost
// and the record is there.
func (s *ValkeyStore) insertRecord(ctx context.Context, r Record, first bool) (bool, error) {
	ctx, stop := context.WithTimeout(ctx, indexWait)
	defer stop()
	defer s.catchUp(ctx)
	fresh, err := encodeRecord(r)
	if err != nil {
		return false, err
	}
	result, err := s.run(ctx, swap{fresh: r, text: fresh, first: first})
	if err == nil && result == swapped {
		return true, nil
	}
	// The answer may be lost, or that to an attempt before it: a client that sends the
	// script twice finds its own record in the way.
	text, readErr := s.text(context.WithoutCancel(ctx), r.ID)
	switch {
	case readErr == nil && text == fresh:
		return true, nil
	case err != nil:
		return false, err
	case readErr != nil:
		return false, readErr
	case result == notFirst:
		return false, fmt.Errorf("%w", errNotFirst)
	}
	return false, nil
}

// change implements [backend]. It reads the record, edits it and swaps it, again and again
// until no other process has changed it in between.
func (s *ValkeyStore) change(ctx context.Context, id string, edit func(Record) (Record, error)) (Record, error) {
	if !idForm.MatchString(id) {
		return Record{}, &NotFoundError{id}
	}
	ctx, stop := context.WithTimeout(ctx, indexWait)
	defer stop()
	defer s.catchUp(ctx)
	var c swap
	for range valkeyTries {
		written := c.text // by the last try: it may be there after all
		old, err := s.text(ctx, id)
		switch {
		case err != nil:
			return Record{}, err
		case old == "":
			return Record{}, &NotFoundError{id}
		case old == written:
			return c.fresh, nil
		}
		if c, err = edited(id, old, edit); err != nil {
			return Record{}, err
		}
		result, err := s.run(ctx, c)
		if err != nil || result == swapped {
			return c.fresh, err
		}
	}
	return Record{}, fmt.Errorf("%w: others change %s all the time", ErrUnavailable, id)
}

// edited returns the swap of a record for what an edit makes of it. The record must be valid:
// a text that this version cannot read is not replaced.
func edited(id, text string, edit func(Record) (Record, error)) (swap, error) {
	was, err := decodeRecord(id, text)
	if err != nil {
		return swap{}, fmt.Errorf("%w: %s is not valid: %w", ErrUnavailable, id, err)
	}
	fresh, err := edit(was)
	if err != nil {
		return swap{}, err
	}
	written, err := encodeRecord(fresh)
	return swap{old: text, was: &was, fresh: fresh, text: written}, err
}
