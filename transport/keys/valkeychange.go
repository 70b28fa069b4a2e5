package keys

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	"github.com/redis/go-redis/v9"
)

// valkeyTries limits how often a change is tried whose record others change
// meanwhile.
const valkeyTries = 1000

// swapScript replaces one field if it has not changed meanwhile ("" is none), and
// tells everybody. Arguments: field, old, new, new version, channel.
const swapText = `
if (redis.call('HGET', KEYS[1], ARGV[1]) or '') ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3], 'version', ARGV[4])
redis.call('PUBLISH', ARGV[5], ARGV[4])
return 1`

var (
	swapScript = redis.NewScript(swapText)
	// swapBeyond does the same though the server has no memory left: a revocation must
	// not wait for that.
	swapBeyond = redis.NewScript("#!lua flags=allow-oom\n" + swapText)
)

// newVersion returns a version that no ring has had.
func newVersion() string { return rand.Text() }

// swap reports whether the record was replaced. It returns when the server has synced a
// change and its replicas have got it, and logs when they have not in time: a failover
// could undo it until then.
func (s *ValkeyStore) swap(ctx context.Context, id, old, fresh string) (bool, error) {
	args := []any{id, old, fresh, newVersion(), valkeyEvents}
	done, copies, err := s.runConfirmed(ctx, swapScript, []string{valkeyRing}, args...)
	if isOutOfMemory(err) && old != "" {
		done, copies, err = s.runConfirmed(ctx, swapBeyond, []string{valkeyRing}, args...)
	}
	if err != nil {
		return false, away(err)
	}
	if done && copies.confirmed < copies.replicas {
		s.log.Warn("a key was changed, and not all replicas have confirmed it: until they have, a failover can undo it; do it again to be sure",
			"id", id, "replicas", copies.replicas, "confirmed", copies.confirmed)
	}
	return done, nil
}

// read is a record's text, "" when there is none.
func (s *ValkeyStore) read(ctx context.Context, id string) (string, error) {
	text, err := s.client.HGet(ctx, valkeyRing, id).Result()
	if err != nil && !errors.Is(err, redis.Nil) {
		return "", away(err)
	}
	return text, nil
}

// insert implements [backend].
func (s *ValkeyStore) insert(ctx context.Context, r Record) (bool, error) {
	ctx, stop := context.WithTimeout(ctx, valkeyWait)
	defer stop()
	defer s.catchUp(ctx)
	fresh, err := encodeRecord(r)
	if err != nil {
		return false, err
	}
	added, err := s.swap(ctx, r.ID, "", fresh)
	if added || err != nil {
		return added, err
	}
	// A client that sends the script twice finds its own record in the way.
	text, err := s.read(ctx, r.ID)
	return text == fresh, err
}

// change implements [backend].
func (s *ValkeyStore) change(ctx context.Context, id string, edit func(Record) (Record, error)) (Record, error) {
	if !idForm.MatchString(id) {
		return Record{}, &NotFoundError{id}
	}
	ctx, stop := context.WithTimeout(ctx, valkeyWait)
	defer stop()
	defer s.catchUp(ctx)
	var changed Record
	var written string // what the last try wrote: it may be there after all
	for range valkeyTries {
		old, err := s.read(ctx, id)
		switch {
		case err != nil:
			return Record{}, err
		case old == "":
			return Record{}, &NotFoundError{id}
		case old == written:
			return changed, nil
		}
		if changed, err = edited(id, old, edit); err != nil {
			return Record{}, err
		}
		if written, err = encodeRecord(changed); err != nil {
			return Record{}, err
		}
		if done, err := s.swap(ctx, id, old, written); done || err != nil {
			return changed, err
		}
	}
	return Record{}, fmt.Errorf("%w: others change %s all the time", ErrUnavailable, id)
}

// edited returns the text of a record after an edit.
func edited(id, text string, edit func(Record) (Record, error)) (Record, error) {
	r, err := decodeRecord(id, text)
	if err != nil {
		return r, fmt.Errorf("%w: %s is not valid: %w", ErrUnavailable, id, err)
	}
	return edit(r)
}
