package webhook

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
	"github.com/triptych-mcp/triptych/rulesets/valkeyconn"
)

const (
	// leaseLife is the time after which another process leads where the one that does
	// has ended without a word.
	leaseLife = 15 * time.Second
	// renewEvery is the interval at which the process that leads renews its lease.
	renewEvery = 4 * time.Second
	// valkeyWait bounds one request to the server.
	valkeyWait = 3 * time.Second
)

// The fields of the hash that are no names of rulesets.
const (
	fieldBegun  = ":begun"  // that Begin was called
	fieldSigner = ":signer" // see Signer
)

// A Valkey is a record on a Valkey or Redis server, or a cluster of them. The hash
// rulesets:webhook:ID, behind the prefix of the installation, has the revision of each
// ruleset; ID is made from the URL that is told, so that servers with different URLs do
// not wait for each other. A key beside it, in the same slot, is the lease of the process
// that leads, which expires unless that process renews it.
type Valkey struct {
	client redis.UniversalClient
	log    *slog.Logger
	keys   []string // the hash, the lease
	token  string   // the value of the lease while this process has it

	life  time.Duration // of the lease, unless it is renewed
	renew time.Duration // between two renewals
	every time.Duration // between two requests for it
}

var _ Record = (*Valkey)(nil)

// OpenValkey connects to the server of a URL (package valkeyconn says which there are)
// and returns the record for the target, which is a URL as well. It writes nothing.
func OpenValkey(ctx context.Context, url, prefix, target string, log *slog.Logger) (*Valkey, error) {
	client, _, err := valkeyconn.Dial(ctx, url, log)
	if err != nil {
		return nil, err
	}
	id := sha256.Sum256([]byte(target))
	main := prefix + "rulesets:webhook:" + hex.EncodeToString(id[:8])
	return &Valkey{
		client: client, log: log, token: rand.Text(), life: leaseLife, renew: renewEvery, every: lockEvery,
		keys: []string{main, prefix + "rulesets:webhook:lease:{" + main + "}"},
	}, nil
}

// Close implements [Record].
func (v *Valkey) Close() error { return v.client.Close() }

// writeScript sets and removes fields of the record while the caller has the lease.
//
// Keys: the record, the lease. Arguments: the lease's value, the number of fields to set,
// these and their values, the fields to remove.
var writeScript = redis.NewScript(`
if redis.call('GET', KEYS[2]) ~= ARGV[1] then return 0 end
local last = 2 + 2 * tonumber(ARGV[2])
for i = 3, last, 2 do redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1]) end
for i = last + 1, #ARGV do redis.call('HDEL', KEYS[1], ARGV[i]) end
return 1`)

// write sets and removes fields of the record. It is done although ctx is done: what the
// URL has accepted is not told again by the process that leads next.
func (v *Valkey) write(ctx context.Context, set map[string]string, remove ...string) error {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), valkeyWait)
	defer stop()
	args := []any{v.token, len(set)}
	for field, value := range set {
		args = append(args, field, value)
	}
	for _, field := range remove {
		args = append(args, field)
	}
	led, err := writeScript.Run(ctx, v.client, v.keys, args...).Bool()
	if err == nil && !led {
		err = errLostLease
	}
	if err != nil {
		return fmt.Errorf("recording what was delivered: %w", err)
	}
	return nil
}

// Known implements [Record].
func (v *Valkey) Known(ctx context.Context) (map[ruleset.Name]int, error) {
	ctx, stop := context.WithTimeout(ctx, valkeyWait)
	defer stop()
	fields, err := v.client.HGetAll(ctx, v.keys[0]).Result()
	if err != nil {
		return nil, fmt.Errorf("reading what was delivered: %w", err)
	}
	if fields[fieldBegun] == "" {
		return nil, nil
	}
	known := map[ruleset.Name]int{}
	for field, value := range fields {
		name, err := ruleset.ParseName(field)
		if isCount(ruleset.Name(field)) {
			name, err = ruleset.Name(field), nil
		}
		if err != nil {
			continue // another field
		}
		if known[name], err = strconv.Atoi(value); err != nil {
			return nil, fmt.Errorf("reading what was delivered: the revision of %s is %q", name, value)
		}
	}
	return known, nil
}

// fieldsAtOnce is the number of fields that one script sets, so that the server is not
// kept from others.
const fieldsAtOnce = 1000

// Begin implements [Record]. The field that says so is set last: a beginning that was cut
// off is begun again.
func (v *Valkey) Begin(ctx context.Context, known map[ruleset.Name]int) error {
	for names := range slices.Chunk(slices.Sorted(maps.Keys(known)), fieldsAtOnce) {
		fields := make(map[string]string, len(names))
		for _, name := range names {
			fields[string(name)] = strconv.Itoa(known[name])
		}
		if err := v.write(ctx, fields); err != nil {
			return err
		}
	}
	return v.write(ctx, map[string]string{fieldBegun: "1"})
}

// Accepted implements [Record].
func (v *Valkey) Accepted(ctx context.Context, m Message) error {
	name, n := m.recorded()
	if n == 0 {
		return v.write(ctx, nil, string(name))
	}
	return v.write(ctx, map[string]string{string(name): strconv.Itoa(n)})
}

// Signer implements [Record].
func (v *Valkey) Signer(ctx context.Context, id string) (before string, err error) {
	reading, stop := context.WithTimeout(ctx, valkeyWait)
	defer stop()
	before, err = v.client.HGet(reading, v.keys[0], fieldSigner).Result()
	if err != nil && !errors.Is(err, redis.Nil) {
		return "", fmt.Errorf("reading which secret signed: %w", err)
	}
	if before == id {
		return before, nil
	}
	return before, v.write(ctx, map[string]string{fieldSigner: id})
}
