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
var swapScript = redis.NewScript(`
if (redis.call('HGET', KEYS[1], ARGV[1]) or '') ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3], 'version', ARGV[4])
redis.call('PUBLISH', ARGV[5], ARGV[4])
return 1`)

// swap reports whether the record was replaced.
func (s *ValkeyStore) swap(ctx context.Context, id, old, fresh string) (bool, error) {
	done, err := swapScript.Run(ctx, s.client, []string{valkeyRing}, id, old, fresh, rand.Text(), valkeyEvents).Bool()
	if err != nil {
		return false, away(err)
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
