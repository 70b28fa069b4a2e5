package consumers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
	"github.com/triptych-mcp/triptych/rulesets/valkeyconn"
)

const (
	// valkeyWait bounds one operation, with all its tries.
	valkeyWait = 3 * time.Second
	// valkeyTries limits how often a report is made again because another one of the
	// same consumer came first.
	valkeyTries = 20
)

// A Valkey is a book on a Valkey or Redis server, or a cluster of them, that any number
// of servers share. The hash rulesets:consumers, behind the prefix of the installation,
// has each consumer as JSON. Two keys beside it, in the same slot, have the times of the
// last reports and the bytes of all consumers, so that the oldest ones make room.
type Valkey struct {
	client redis.UniversalClient
	keys   []string
	now    func() time.Time

	most, bytes int           // limits, lower in tests
	wait        time.Duration // bounds one operation, longer in tests
}

var _ Book = (*Valkey)(nil)

// OpenValkey connects to the server of a URL (package valkeyconn says which there are).
func OpenValkey(ctx context.Context, url, prefix string, log *slog.Logger, now func() time.Time) (*Valkey, error) {
	client, _, err := valkeyconn.Dial(ctx, url, log)
	if err != nil {
		return nil, err
	}
	main := prefix + "rulesets:consumers"
	return &Valkey{
		client: client, now: now, most: MaxConsumers, bytes: MaxBytes, wait: valkeyWait,
		keys: []string{main, prefix + "rulesets:consumers:seen:{" + main + "}", prefix + "rulesets:consumers:bytes:{" + main + "}"},
	}, nil
}

// Close implements [Book].
func (b *Valkey) Close() error { return b.client.Close() }

// replaceScript replaces a consumer if it is still the one that was read, and removes
// those with the oldest reports while there are too many.
//
// Keys: the consumers, the times, the bytes. Arguments: the id, what it had and has, the
// time, how many bytes and consumers there may be.
var replaceScript = redis.NewScript(`
local had = redis.call('HGET', KEYS[1], ARGV[1]) or ''
if had ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
redis.call('ZADD', KEYS[2], ARGV[4], ARGV[1])
local bytes = redis.call('INCRBY', KEYS[3], #ARGV[3] - #had)
while bytes > tonumber(ARGV[5]) or redis.call('ZCARD', KEYS[2]) > tonumber(ARGV[6]) do
  local oldest = redis.call('ZPOPMIN', KEYS[2])[1]
  if not oldest then
    redis.call('DEL', KEYS[1], KEYS[3])
    break
  end
  bytes = redis.call('DECRBY', KEYS[3], redis.call('HSTRLEN', KEYS[1], oldest))
  redis.call('HDEL', KEYS[1], oldest)
end
return 1`)

// Report implements [Book].
func (b *Valkey) Report(ctx context.Context, r Report) error {
	if err := r.check(); err != nil {
		return err
	}
	now := b.now()
	return b.change(ctx, r.consumer(now).id(), func(old Consumer) (Consumer, bool) { return r.after(old, now) })
}

// Add implements [Book].
func (b *Valkey) Add(ctx context.Context, all []Consumer) error {
	for _, c := range all {
		if c.Rulesets == nil {
			c.Rulesets = map[ruleset.Name]int{}
		}
		err := b.change(ctx, c.id(), func(old Consumer) (Consumer, bool) { return c, old.Seen.Before(c.Seen) })
		if err != nil {
			return err
		}
	}
	return nil
}

// change replaces the consumer with an id by the result of edit, if edit reports that it
// has to be written.
func (b *Valkey) change(ctx context.Context, id string, edit func(old Consumer) (fresh Consumer, write bool)) error {
	ctx, stop := context.WithTimeout(ctx, b.wait)
	defer stop()
	for range valkeyTries {
		had, err := b.client.HGet(ctx, b.keys[0], id).Result()
		if err != nil && !errors.Is(err, redis.Nil) {
			return fmt.Errorf("reading a consumer: %w", err)
		}
		fresh, write := edit(decode(had))
		if !write {
			return nil
		}
		text, err := json.Marshal(fresh)
		if err != nil {
			return err
		}
		replaced, err := replaceScript.Run(ctx, b.client, b.keys, id, had, text, fresh.Seen.Unix(), b.bytes, b.most).Bool()
		if err != nil {
			return fmt.Errorf("recording a consumer: %w", err)
		}
		if replaced {
			return nil
		}
	}
	return errors.New("recording a consumer: others report it all the time")
}

// decode returns the consumer that a text describes, or the zero value if the text is malformed.
func decode(text string) (c Consumer) {
	if json.Unmarshal([]byte(text), &c) != nil {
		return Consumer{}
	}
	return c
}

// All implements [Book].
func (b *Valkey) All(ctx context.Context) ([]Consumer, error) {
	ctx, stop := context.WithTimeout(ctx, b.wait)
	defer stop()
	texts, err := b.client.HVals(ctx, b.keys[0]).Result()
	if err != nil {
		return nil, fmt.Errorf("reading the consumers: %w", err)
	}
	all := make([]Consumer, 0, len(texts))
	for _, text := range texts {
		if c := decode(text); c.Client != "" {
			all = append(all, c)
		}
	}
	slices.SortFunc(all, compare)
	return all, nil
}
