package keys

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
	"golang.org/x/sync/singleflight"

	"github.com/triptych-mcp/triptych/mcp/host"
)

const (
	// valkeyRing is a hash: the field of each record's ID holds its JSON, and
	// the field version a text that every change makes another one.
	valkeyRing    = "triptych:keys:ring"
	valkeyVersion = "version"
	// valkeyEvents is the channel on which every change says so.
	valkeyEvents = "triptych:keys:events"
	// valkeyWait bounds one load or change.
	valkeyWait = 3 * time.Second
)

// ringNames are the names of the keys of an installation. All but made are in the slot of the
// ring, so that a script changes them as a whole on a cluster too.
type ringNames struct {
	ring    string
	tokens  string // a hash: the ID of the record of each token's hash, and the version of the ring that it fits
	ages    string // a sorted set: all IDs by the time of creation
	revoked string // a sorted set: the IDs of revoked keys by that time
	changes string // a list: the last changes as "VERSION ID", the newest first
	events  string // the channel
	made    string // see madeKey
}

// namesOf returns the names with a prefix, which may be empty.
func namesOf(prefix string) ringNames {
	ring := prefix + valkeyRing
	beside := func(what string) string { return prefix + "triptych:keys:" + what + ":{" + ring + "}" }
	return ringNames{
		ring: ring, tokens: beside("tokens"), ages: beside("ages"), revoked: beside("revoked"), changes: beside("changes"),
		events: prefix + valkeyEvents, made: prefix + madeKey,
	}
}

// scripted returns the keys for a script, in the order in which scripts name them.
func (n ringNames) scripted() []string {
	return []string{n.ring, n.tokens, n.ages, n.revoked, n.changes}
}

// A ValkeyStore keeps keys on a Valkey or Redis server, or a cluster of them,
// that any number of processes share: hashes of tokens, no secrets. Each key is an entry
// of its own; a process has those in memory that were used lately, [maxCached] at most,
// and forgets those that are changed. While the server cannot be reached no key is
// accepted: what is older than [MaxAge] may have been revoked.
//
// Of a change whose answer is lost the caller learns that the server was away,
// though it may have been made.
type ValkeyStore struct {
	refresher
	*manager
	client     redis.UniversalClient
	names      ringNames
	log        *slog.Logger
	tombstones tombstones
	cached     recordCache
	fitting    singleflight.Group
}

var _ Store = (*ValkeyStore)(nil)

// OpenValkey returns the store on a server, which is not asked yet, so that a program can
// start while the server is away. The client stays the caller's to close. The names of all
// keys begin with prefix, which may be empty. A new key that names no scopes gets those given
// here.
func OpenValkey(client redis.UniversalClient, prefix string, log *slog.Logger, now func() time.Time, scopes ...host.Scope) *ValkeyStore {
	s := &ValkeyStore{client: client, names: namesOf(prefix), log: log.With("component", "keys")}
	s.init(s.catchVersion)
	s.manager = &manager{backend: s, now: now, scopes: scopes}
	return s
}

// Close implements [Store]. The client is the caller's.
func (s *ValkeyStore) Close() error { return nil }

// away wraps an error of the server as [ErrUnavailable]: the caller is not at fault, and may
// try again.
func away(err error) error { return fmt.Errorf("%w: %w", ErrUnavailable, err) }

// Find implements [Ring]. It costs a round trip at most twice a second, and one more for a
// token that is not in memory.
func (s *ValkeyStore) Find(ctx context.Context, t Token) (Record, error) {
	if t == (Token{}) {
		return Record{}, ErrUnknown
	}
	now, h := s.clock(), t.Hash()
	err := s.refresh(ctx, now-int64(MaxAge))
	one, known := s.cached.find(h)
	switch {
	case err != nil:
		return one, err
	case known:
		return one, nil
	}
	return s.fetch(ctx, h)
}

// Get implements [Store].
func (s *ValkeyStore) Get(ctx context.Context, id string) (Record, error) {
	found, err := s.GetAll(ctx, []string{id})
	if err == nil && len(found) == 0 {
		err = &NotFoundError{id}
	}
	if err != nil {
		return Record{}, err
	}
	return found[0], nil
}

// getAtOnce is the number of records that are read at once.
const getAtOnce = 500

// GetAll implements [Store].
func (s *ValkeyStore) GetAll(ctx context.Context, ids []string) ([]Record, error) {
	var found []Record
	for len(ids) > 0 {
		some := ids[:min(getAtOnce, len(ids))]
		ids = ids[len(some):]
		records, err := s.read(ctx, some)
		if err != nil {
			return nil, err
		}
		found = append(found, records...)
	}
	return found, nil
}

// read returns those of the records with some IDs that there are and that are valid.
func (s *ValkeyStore) read(ctx context.Context, ids []string) ([]Record, error) {
	ctx, stop := context.WithTimeout(ctx, valkeyWait)
	defer stop()
	texts, err := s.client.HMGet(ctx, s.names.ring, ids...).Result()
	if err != nil {
		return nil, away(err)
	}
	found := make([]Record, 0, len(ids))
	for i, id := range ids {
		if text, ok := texts[i].(string); ok && idForm.MatchString(id) {
			if one, ok := s.accept(id, text); ok {
				found = append(found, one)
			}
		}
	}
	return found, nil
}

// accept decodes the text of a record. A record that is not valid opens nothing and is
// reported. One that was seen revoked before stays revoked, whatever the text says.
func (s *ValkeyStore) accept(id, text string) (Record, bool) {
	one, err := decodeRecord(id, text)
	if err != nil {
		s.log.Error("a key is not valid and opens nothing", "id", id, "err", err)
		return Record{}, false
	}
	if s.tombstones.apply(&one) {
		s.log.Error("the store says again that a revoked key works: it has lost its newest writes; here the key stays revoked", "id", id)
	}
	return one, true
}

// List implements [Store].
func (s *ValkeyStore) List(ctx context.Context) ([]Record, error) {
	var all []Record
	for after := ""; ; {
		page, last, err := s.page(ctx, after, getAtOnce)
		if err != nil {
			return nil, err
		}
		all = append(all, page...)
		if last == "" {
			return all, nil
		}
		after = last
	}
}

// Page implements [Store]. It reads on where records are not valid, until there are n or no
// more.
func (s *ValkeyStore) Page(ctx context.Context, after string, n int) ([]Record, error) {
	if after != "" {
		if _, err := s.Get(ctx, after); err != nil {
			return nil, err
		}
	}
	var all []Record
	for len(all) < n { // records that are not valid leave room
		page, last, err := s.page(ctx, after, min(n-len(all), getAtOnce))
		if err != nil {
			return nil, err
		}
		all = append(all, page...)
		if last == "" {
			break
		}
		after = last
	}
	return all, nil
}

// A field is a record on the server.
type field struct {
	Record
	// Change is a text that every change makes another one, so that the process that
	// finds it knows that the change was its own.
	Change string `json:"change"`
}

// encodeRecord returns the text of a record that is changed. No two calls return the same
// text.
func encodeRecord(r Record) (string, error) {
	text, err := json.Marshal(field{r, rand.Text()})
	return string(text), err
}

// decodeRecord reads a field strictly: a member that is misspelled could be the
// one that takes a right away.
func decodeRecord(id, text string) (Record, error) {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.DisallowUnknownFields()
	var f field
	if err := dec.Decode(&f); err != nil {
		return f.Record, err
	}
	if f.ID != id {
		return f.Record, fmt.Errorf("it has the id %q", f.ID)
	}
	return f.Record, f.Record.check()
}

// isNil reports whether a server has answered that there is nothing.
func isNil(err error) bool { return errors.Is(err, redis.Nil) }
