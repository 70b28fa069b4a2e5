package keys

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// confirmWait limits the time in which replicas and the append-only file must confirm
// a change.
const confirmWait = "1000" // milliseconds

// runConfirmed runs a script and waits, on the same connection, until the server has synced
// what it wrote and its replicas have got it. WAITAOF and WAIT cover the writes of their own
// connection, so all three go in one pipeline to the node that has the ring. A server that
// knows no WAITAOF, or has no append-only file, refuses it, and the confirmation says that it
// cannot say so: that is no error.
func (s *ValkeyStore) runConfirmed(ctx context.Context, script *redis.Script, keys []string, args ...any) (result int64, c Confirmation, err error) {
	ctx, stop := context.WithTimeout(ctx, valkeyWait)
	defer stop()
	node, err := s.node(ctx)
	if err != nil {
		return 0, c, err
	}
	c.Replicas = replicasOf(ctx, node)
	var answer, synced, acknowledged *redis.Cmd
	_, err = node.Pipelined(ctx, func(p redis.Pipeliner) error {
		answer = script.Eval(ctx, p, keys, args...)
		synced = p.Do(ctx, "WAITAOF", 1, 0, confirmWait) // servers before 7.2, or without the file, refuse it
		acknowledged = p.Do(ctx, "WAIT", c.Replicas, confirmWait)
		return nil
	})
	if answer.Err() != nil {
		return 0, c, answer.Err()
	}
	if result, err = answer.Int64(); err != nil {
		return 0, c, err
	}
	if counts, err := synced.Int64Slice(); err == nil && len(counts) > 0 {
		c.OnDisk, c.Synced = true, counts[0] > 0
	}
	if n, err := acknowledged.Int(); err == nil {
		c.Confirmed = n
	}
	return result, c, nil
}

// node returns the client of the server that holds the ring.
func (s *ValkeyStore) node(ctx context.Context) (redis.UniversalClient, error) {
	if cluster, ok := s.client.(*redis.ClusterClient); ok {
		return cluster.MasterForKey(ctx, s.names.ring)
	}
	return s.client, nil
}

// replicasOf returns the number of replicas that a server knows, 0 if it does not say. A
// managed service may forbid the question.
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

// maxTombstones limits the revoked keys that a process remembers.
const maxTombstones = 20_000

// tombstones are the keys that this process has seen revoked. A store that has lost its newest
// writes, as in a failover, may say that they work; here they do not, and Watch revokes them
// there again. They last as long as the process.
type tombstones struct {
	mu      sync.Mutex
	revoked map[string]time.Time
	undone  map[string]bool // not revoked in the store any more
}

// remember records that a key was revoked at a time. Of too many keys any one is forgotten.
func (t *tombstones) remember(id string, at time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rememberLocked(id, at)
}

func (t *tombstones) rememberLocked(id string, at time.Time) {
	if t.revoked == nil {
		t.revoked, t.undone = map[string]time.Time{}, map[string]bool{}
	}
	for other := range t.revoked { // any one
		if len(t.revoked) < maxTombstones {
			break
		}
		delete(t.revoked, other)
		delete(t.undone, other)
	}
	t.revoked[id] = at
}

// apply revokes a record that was revoked before, and reports whether that is news, so that it
// is logged once. It remembers a record that is revoked.
func (t *tombstones) apply(r *Record) (undone bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !r.Revoked.IsZero() {
		t.rememberLocked(r.ID, r.Revoked)
		delete(t.undone, r.ID)
		return false
	}
	before, was := t.revoked[r.ID]
	if !was {
		return false
	}
	r.Revoked = before
	undone = !t.undone[r.ID]
	t.undone[r.ID] = true
	return undone
}

// ids returns the keys that were revoked.
func (t *tombstones) ids() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Collect(maps.Keys(t.revoked))
}

// pending returns the keys that must be revoked in the store again.
func (t *tombstones) pending() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Collect(maps.Keys(t.undone))
}

// revokeAgain revokes keys in the store whose revocation it has lost. One that fails stays
// pending.
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

// CreateFirst implements [Store]. A store that was emptied must not look like a new one: else
// a server would make a key with all rights after a loss of data.
func (s *ValkeyStore) CreateFirst(ctx context.Context, kind Kind, settings Settings) (Record, Token, error) {
	some, err := s.Page(ctx, "", 1)
	if err != nil {
		return Record{}, Token{}, err
	}
	made, err := s.client.Exists(ctx, s.names.made).Result()
	switch {
	case err != nil:
		return Record{}, Token{}, away(err)
	case len(some) > 0:
		return Record{}, Token{}, s.markMade(ctx, made)
	case made > 0:
		if some, err = s.Page(ctx, "", 1); err == nil && len(some) == 0 { // no other server is just making one
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

// markMade remembers in the store that it has keys, for CreateFirst to tell a store that was
// emptied from a new one. made says that it is known already.
func (s *ValkeyStore) markMade(ctx context.Context, made int64) error {
	if made > 0 {
		return nil
	}
	if err := s.client.Set(ctx, s.names.made, "1", 0).Err(); err != nil && !isOutOfMemory(err) {
		return away(err)
	}
	return nil
}

// errNotFirst is returned for a key that is not the first one.
var errNotFirst = errors.New("there are keys")

// firstOnly is a backend that inserts a record only if there is no other.
type firstOnly struct{ *ValkeyStore }

// insert implements [backend].
func (f firstOnly) insert(ctx context.Context, r Record) (bool, error) {
	return f.insertRecord(ctx, r, true)
}
