package keys

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/redis/go-redis/v9"
)

// confirmWait limits the time in which replicas and the append-only file must confirm
// a change.
const confirmWait = "1000" // milliseconds

// A confirmation says which copies of a change there are.
type confirmation struct {
	replicas  int // connected to the primary
	confirmed int // of them, before confirmWait was over
}

// runConfirmed runs a script and waits, on the same connection, until the server has
// synced what it wrote and its replicas have got it.
func (s *ValkeyStore) runConfirmed(ctx context.Context, script *redis.Script, keys []string, args ...any) (done bool, c confirmation, err error) {
	node, err := s.node(ctx)
	if err != nil {
		return false, c, err
	}
	c.replicas = replicasOf(ctx, node)
	var result, acknowledged *redis.Cmd
	_, err = node.Pipelined(ctx, func(p redis.Pipeliner) error {
		result = script.Eval(ctx, p, keys, args...)
		_ = p.Do(ctx, "WAITAOF", 1, 0, confirmWait) // servers before 7.2, or without the file, refuse it
		acknowledged = p.Do(ctx, "WAIT", c.replicas, confirmWait)
		return nil
	})
	if result.Err() != nil {
		return false, c, result.Err()
	}
	if done, err = result.Bool(); err != nil {
		return false, c, err
	}
	if n, err := acknowledged.Int(); err == nil {
		c.confirmed = n
	}
	return done, c, nil
}

// node returns the client of the server that holds the ring.
func (s *ValkeyStore) node(ctx context.Context) (redis.UniversalClient, error) {
	if cluster, ok := s.client.(*redis.ClusterClient); ok {
		return cluster.MasterForKey(ctx, valkeyRing)
	}
	return s.client, nil
}

// replicasOf returns the number of replicas that a server knows, 0 if it does not say.
func replicasOf(ctx context.Context, client redis.UniversalClient) int {
	text, err := client.Info(ctx, "replication").Result()
	if err != nil {
		return 0
	}
	n := 0
	for line := range strings.Lines(text) {
		if value, ok := strings.CutPrefix(strings.TrimSpace(line), "connected_slaves:"); ok {
			n, _ = strconv.Atoi(value)
		}
	}
	return n
}

// isOutOfMemory reports whether a server refuses to take more memory.
func isOutOfMemory(err error) bool { return err != nil && strings.HasPrefix(err.Error(), "OOM ") }

// tombstones are the keys that this process has seen revoked. A store that has lost its
// newest writes may say that they work; here they do not, and Watch revokes them there
// again.
type tombstones struct {
	mu      sync.Mutex
	revoked map[string]Record
	undone  map[string]bool // not revoked in the store any more
}

// apply revokes the records that were revoked before, and notes those that are
// revoked now.
func (t *tombstones) apply(records []Record) (undone []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.revoked == nil {
		t.revoked, t.undone = map[string]Record{}, map[string]bool{}
	}
	for i := range records {
		r := &records[i]
		before, was := t.revoked[r.ID]
		switch {
		case !r.Revoked.IsZero():
			t.revoked[r.ID] = *r
			delete(t.undone, r.ID)
		case was:
			r.Revoked = before.Revoked
			if !t.undone[r.ID] {
				undone = append(undone, r.ID)
			}
			t.undone[r.ID] = true
		}
	}
	return undone
}

// pending returns the keys that must be revoked in the store again.
func (t *tombstones) pending() (ids []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for id := range t.undone {
		ids = append(ids, id)
	}
	return ids
}

// revokeAgain revokes keys in the store whose revocation it has lost.
func (s *ValkeyStore) revokeAgain(ctx context.Context) {
	for _, id := range s.tombstones.pending() {
		if _, err := s.Revoke(ctx, id); err == nil {
			s.log.Warn("a revoked key is revoked again in the store", "id", id)
		}
	}
}

// madeKey is set when a store gets its first key. A store that has it and no keys has
// lost them.
const madeKey = "triptych:keys:made"

// ErrLost is returned for a store that once had keys and has none.
var ErrLost = errors.New("the store has lost its keys")

// CreateFirst implements [Store].
func (s *ValkeyStore) CreateFirst(ctx context.Context, kind Kind, settings Settings) (Record, Token, error) {
	all, err := s.List(ctx)
	if err != nil {
		return Record{}, Token{}, err
	}
	made, err := s.client.Exists(ctx, madeKey).Result()
	switch {
	case err != nil:
		return Record{}, Token{}, away(err)
	case len(all) > 0:
		return Record{}, Token{}, s.markMade(ctx, made)
	case made > 0:
		if all, err = s.List(ctx); err == nil && len(all) == 0 { // no other server is just making one
			err = ErrLost
		}
		return Record{}, Token{}, err
	}
	only := *s.manager
	only.backend = firstOnly{s}
	r, t, err := only.Create(ctx, kind, settings)
	if errors.Is(err, errNotFirst) {
		return Record{}, Token{}, nil
	}
	if err != nil {
		return r, t, err
	}
	if err := s.markMade(ctx, made); err != nil { // the key is good, and its token is shown this once
		s.log.Warn("a loss of the first key would not be noticed", "err", err)
	}
	return r, t, nil
}

// markMade remembers in the store that it has keys.
func (s *ValkeyStore) markMade(ctx context.Context, made int64) error {
	if made > 0 {
		return nil
	}
	if err := s.client.Set(ctx, madeKey, "1", 0).Err(); err != nil && !isOutOfMemory(err) {
		return away(err)
	}
	return nil
}

// errNotFirst is returned for a key that is not the first one.
var errNotFirst = errors.New("there are keys")

// firstOnly is a backend that inserts a record only if there is no other.
type firstOnly struct{ *ValkeyStore }

// insertFirst adds a record to a ring without records. Arguments: field, text, version,
// channel.
var insertFirst = redis.NewScript(`
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2], 'version', ARGV[3])
redis.call('PUBLISH', ARGV[4], ARGV[3])
return 1`)

func (f firstOnly) insert(ctx context.Context, r Record) (bool, error) {
	ctx, stop := context.WithTimeout(ctx, valkeyWait)
	defer stop()
	defer f.catchUp(ctx)
	fresh, err := encodeRecord(r)
	if err != nil {
		return false, err
	}
	added, err := insertFirst.Run(ctx, f.client, []string{valkeyRing}, r.ID, fresh, newVersion(), valkeyEvents).Bool()
	if err != nil {
		// The answer may be lost, or that to an attempt before it.
		if text, readErr := f.read(ctx, r.ID); readErr == nil && text == fresh {
			return true, nil
		}
		return false, away(err)
	}
	if !added {
		return false, fmt.Errorf("%w", errNotFirst)
	}
	return true, nil
}
